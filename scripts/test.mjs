#!/usr/bin/env node
/**
 * npm test: installs what is missing, builds, and runs every check. Exit code 0 only when all of them passed.
 *
 *   npm test                        everything
 *   npm test -- unit ui             only these steps; --help lists them
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
import { hasRun, mayBeEmpty, parseTest, shortcoming, STEPS, TEST_USAGE, VITEST_STEPS } from './lib/testSteps.mjs';
import { toolEnv, toolNode } from './lib/toolNode.mjs';
import { UsageError } from './lib/usageError.mjs';

/**
 * @typedef {import('./lib/testSteps.mjs').Needs} Needs
 * @typedef {import('./lib/testSteps.mjs').Summary} Summary
 * @typedef {import('./lib/testSteps.mjs').TestOptions} TestOptions
 */

const root = path.join(import.meta.dirname, '..');
const results = path.join(root, 'test-results');

/** @param {TestOptions} options */
async function main(options) {
  const { chosen, vitestArgs } = options;
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
    /**
     * @param {string} name
     * @param {boolean} isBuilt
     * @param {boolean} isEquipped
     */
    const testOrSay = async (name, isBuilt, isEquipped) => {
      if (signal.aborted) progress.notRun(name, 'stopped');
      else if (!isBuilt) progress.notRun(name, 'the build failed');
      else if (!isEquipped) progress.notRun(name, 'a tool is missing');
      else await tests(name, env);
    };
    // Two lanes for two cores. The unit tests, which need no tool, begin beside the linter, which keeps one core busy alone.
    // What the panel costs is found out by waiting, beside whatever runs then.
    const [built, { equipped, watching }] = await Promise.all([
      (async () => {
        const bundled = !wantsBundles || (await attempt('build', () => buildBundles({ root, signal })));
        const packed =
          bundled && (!wantsVsix || (await attempt('package', async () => void (await packVsix({ root, signal })))));
        await script('types');
        if (chosen.includes('unit')) await testOrSay('unit', bundled, true);
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
        const panelCost = chosen.includes('cost') ? testOrSay('cost', true, fine) : undefined;
        await script('lint');
        return { equipped: fine, watching: panelCost };
      })(),
    ]);

    for (const name of chosen.filter((step) => !['types', 'lint', 'unit', 'cost'].includes(step))) {
      const needs = /** @type {Needs} */ (STEPS[name]);
      await testOrSay(name, built[needs.build], equipped || needs.tools.length === 0);
    }
    await watching;
    const filtered = VITEST_STEPS.flatMap((name) => summaries.get(name) ?? []);
    if (!signal.aborted && mayBeEmpty(options) && filtered.length > 0 && !hasRun(filtered, options)) {
      summaries.set('filter', { passed: 0, failed: 1, skipped: [] });
      await attempt('filter', () => Promise.reject(new Error(`No test fits: ${vitestArgs.join(' ')}`)));
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
    // It runs beside other tests, which have the terminal.
    const stream = name !== 'cost';
    const logFile = stream ? undefined : path.join(results, `${name}.log`);
    if (logFile !== undefined) await rm(logFile, { force: true });
    const common = { label: name, cwd: root, stream, logFile, signal };
    await attempt(
      name,
      async (note) => {
        /** @type {string | undefined} */
        let lack;
        try {
          if (VITEST_STEPS.includes(name))
            await run(node, vitestCommand(name), { ...common, env: { ...env, MASCOT_TEST_SUMMARY: file } });
          else await run(node, [path.join(import.meta.dirname, 'test-exthost.mjs')], { ...common, env });
        } finally {
          const summary = await readSummary(file);
          lack = shortcoming(summary, options);
          const counted = summary ?? { passed: 0, failed: 0, skipped: [] };
          summaries.set(name, lack === undefined ? counted : { ...counted, failed: 1 });
          note(lack ?? counts([counted]));
        }
        if (lack !== undefined) throw new Error(`${name}: ${lack}`);
      },
      { streams: stream },
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
      ...(name === 'unit' ? ['--project', 'unit-alone'] : []),
      // An editor and a browser for each file fill the processors; a third one would only make all wait.
      ...(name === 'ui' ? ['--maxWorkers=100%'] : []),
      ...(mayBeEmpty(options) ? ['--passWithNoTests'] : []),
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

/** @returns {TestOptions | undefined} */
function optionsOrExitCode() {
  try {
    const options = parseTest(process.argv.slice(2));
    if (!options.help) return options;
    console.log(TEST_USAGE);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${TEST_USAGE}`);
    process.exitCode = 2;
  }
  return undefined;
}

const options = optionsOrExitCode();
if (options !== undefined) process.exitCode = await main(options);
