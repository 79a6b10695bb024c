#!/usr/bin/env node
/**
 * npm test: installs what is missing, builds, and runs every check. Exit code 0 only when all of them passed.
 *
 *   npm test                        everything
 *   npm test -- unit ui             only these steps: types lint unit process ui exthost
 *   npm test -- unit -t 'MSK-1'     what follows a step's name goes to Vitest
 *
 * The last line is always "N passed, N failed, N skipped", summed over Vitest and Mocha.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ensureTools } from './install-tools.mjs';
import { buildBundles, packVsix } from './lib/buildVsix.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { interruptSignal } from './lib/interrupt.mjs';
import { npm } from './lib/npm.mjs';
import { createProgress } from './lib/progress.mjs';
import { run } from './lib/run.mjs';
import { toolEnv, toolNode } from './lib/toolNode.mjs';

/**
 * @typedef {import('./install-tools.mjs').ToolName} ToolName
 * @typedef {{ passed: number, failed: number, skipped: { title: string, reason: string }[] }} Summary
 * @typedef {{ build: 'none' | 'bundles' | 'vsix', tools: readonly ToolName[] }} Needs
 */

const root = path.join(import.meta.dirname, '..');
const results = path.join(root, 'test-results');

/** @type {Record<string, Needs>} */
const STEPS = {
  types: { build: 'none', tools: [] },
  lint: { build: 'none', tools: [] },
  unit: { build: 'bundles', tools: [] },
  process: { build: 'bundles', tools: ['node18'] },
  ui: { build: 'vsix', tools: ['code-server', 'chromium'] },
  exthost: { build: 'bundles', tools: ['code-server', 'chromium'] },
};
const VITEST_STEPS = ['unit', 'process', 'ui'];

/** @param {readonly string[]} args */
function parse(args) {
  const firstOther = args.findIndex((arg) => !(arg in STEPS));
  const chosen = firstOther === -1 ? args : args.slice(0, firstOther);
  const vitestArgs = firstOther === -1 ? [] : args.slice(firstOther);
  return {
    chosen: chosen.length > 0 ? Object.keys(STEPS).filter((name) => chosen.includes(name)) : Object.keys(STEPS),
    vitestArgs,
  };
}

async function main() {
  const { chosen, vitestArgs } = parse(process.argv.slice(2));
  const signal = interruptSignal();
  const progress = createProgress();
  /** @type {Map<string, Summary>} */
  const summaries = new Map();
  await mkdir(results, { recursive: true });

  /**
   * A failed step doesn't keep the independent ones from running; Ctrl-C does.
   * @param {string} name
   * @param {(note: (text: string) => void) => Promise<void>} work
   * @param {{ streams?: boolean }} [options]
   */
  const attempt = async (name, work, options) => {
    if (signal.aborted) return false;
    try {
      await progress.step(name, work, options);
      return true;
    } catch (error) {
      if (!signal.aborted) progress.line(error instanceof Error ? error.message : String(error));
      return false;
    }
  };

  const ready = await attempt('dependencies', async () => {
    await ensureDependencies({ root, log: progress.line, signal });
  });
  if (ready) await runSteps();
  return report();

  async function runSteps() {
    const needed = chosen.map((name) => /** @type {Needs} */ (STEPS[name]));
    const tools = [...new Set(needed.flatMap((step) => step.tools))];
    const wantsVsix = needed.some((step) => step.build === 'vsix');
    const wantsBundles = wantsVsix || needed.some((step) => step.build === 'bundles');
    // Vitest colours even what goes into a file.
    const plain = !process.stdout.isTTY && !process.env.FORCE_COLOR;
    const env = toolEnv(root, plain ? { ...process.env, NO_COLOR: '1' } : process.env);

    /** @param {string} name */
    const script = async (name) => {
      if (!chosen.includes(name)) return;
      const logFile = path.join(results, `${name}.log`);
      await rm(logFile, { force: true });
      await attempt(
        name,
        async () => void (await npm(['run', '--silent', name], { root, cwd: root, logFile, signal })),
      );
    };
    // Two lanes for two cores. Nothing here measures time, so nothing is disturbed.
    const [built, equipped] = await Promise.all([
      (async () => {
        const bundled = !wantsBundles || (await attempt('build', () => buildBundles({ root, signal })));
        const packed =
          bundled && (!wantsVsix || (await attempt('package', async () => void (await packVsix({ root, signal })))));
        await script('types');
        return { none: true, bundles: bundled, vsix: packed };
      })(),
      (async () => {
        let fine = true;
        if (tools.length > 0) {
          fine = await attempt('tools', async (note) => {
            const found = await ensureTools({ need: tools, log: progress.line, signal });
            Object.assign(
              env,
              found.chromium && { CHROMIUM_PATH: found.chromium },
              found.node18 && { AGENT_MASCOT_NODE18: found.node18 },
            );
            note(found.unavailable.map(({ tool, reason }) => `no ${tool}: ${reason}`).join('; '));
          });
        }
        await script('lint');
        return fine;
      })(),
    ]);

    for (const name of chosen.filter((step) => step !== 'types' && step !== 'lint')) {
      const needs = /** @type {Needs} */ (STEPS[name]);
      if (signal.aborted) progress.notRun(name, 'stopped');
      else if (!built[needs.build]) progress.notRun(name, 'the build failed');
      else if (!equipped && needs.tools.length > 0) progress.notRun(name, 'a tool is missing');
      else await tests(name, env);
    }
  }

  /**
   * @param {string} name
   * @param {NodeJS.ProcessEnv} env
   */
  async function tests(name, env) {
    const file = path.join(results, `${name}.json`);
    await rm(file, { force: true });
    const { node } = toolNode(root);
    const common = { label: name, cwd: root, stream: true, signal };
    await attempt(
      name,
      async (note) => {
        try {
          if (VITEST_STEPS.includes(name))
            await run(node, vitestCommand(name), { ...common, env: { ...env, MASCOT_TEST_SUMMARY: file } });
          else await run(node, [path.join(import.meta.dirname, 'test-exthost.mjs')], { ...common, env });
        } finally {
          const summary = await readSummary(file);
          summaries.set(name, summary ?? { passed: 0, failed: 1, skipped: [] });
          note(summary ? counts([summary]) : 'ended without a result');
        }
      },
      { streams: true },
    );
  }

  /** @param {string} name */
  function vitestCommand(name) {
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = [
      '--reporter=default',
      '--reporter=json',
      `--reporter=${path.join(import.meta.dirname, 'lib', 'vitestSummary.mjs')}`,
    ];
    return [
      vitest,
      'run',
      '--project',
      name,
      '--passWithNoTests',
      ...reporters,
      `--outputFile.json=${path.join(results, `vitest-${name}.json`)}`,
      ...vitestArgs,
    ];
  }

  function report() {
    const skipped = [...summaries].flatMap(([name, summary]) => summary.skipped.map((test) => ({ name, ...test })));
    // A filter skips everything else, which nobody wants to read.
    if (vitestArgs.length > 0) skipped.length = 0;
    if (skipped.length > 0) progress.line('\nSkipped:');
    for (const { name, title, reason } of skipped) progress.line(`  ${name}: ${title}${reason ? ` (${reason})` : ''}`);
    progress.line(`\n${progress.table().join('\n')}\n`);
    const bad = progress.results.filter((result) => result.outcome !== 'ok').map((result) => result.name);
    if (signal.aborted) progress.line('Stopped before the end.');
    else if (bad.length > 0) progress.line(`Not passed: ${bad.join(', ')}`);
    progress.line(counts([...summaries.values()]));
    if (signal.aborted) return 130;
    return bad.length > 0 ? 1 : 0;
  }
}

/**
 * @param {string} file
 * @returns {Promise<Summary | undefined>}
 */
async function readSummary(file) {
  return readFile(file, 'utf8').then(JSON.parse, () => undefined);
}

/** @param {readonly Summary[]} summaries */
function counts(summaries) {
  const sum = (/** @type {(summary: Summary) => number} */ part) =>
    summaries.reduce((total, summary) => total + part(summary), 0);
  return `${sum((s) => s.passed)} passed, ${sum((s) => s.failed)} failed, ${sum((s) => s.skipped.length)} skipped`;
}

process.exitCode = await main();
