#!/usr/bin/env node
/**
 * npm run bench: measures what was built, beside what a person would use instead. Prints Markdown tables and writes
 * test-results/bench.md.
 *
 *   npm run bench                          all
 *   npm run bench -- forwarder --runs 80   one, with as many runs
 *   npm run bench -- footprint --hooks 40000,100000 --against HEAD~20
 *                                          the collector with so many hooks, beside that of an earlier revision
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { arch, cpus, platform, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { activation } from './bench/activation.mjs';
import { context } from './bench/context.mjs';
import { footprint } from './bench/footprint.mjs';
import { forwarder } from './bench/forwarder.mjs';
import { markdownTable } from './bench/frame.mjs';
import { guard } from './bench/guard.mjs';
import { hooks } from './bench/hooks.mjs';
import { ingest } from './bench/ingest.mjs';
import { masking } from './bench/masking.mjs';
import { memory } from './bench/memory.mjs';
import { panel } from './bench/panel.mjs';
import { panelLatency } from './bench/panelLatency.mjs';
import { postgres } from './bench/postgres.mjs';
import { search } from './bench/search.mjs';
import { sessions } from './bench/sessions.mjs';
import { takeover } from './bench/takeover.mjs';
import { vsixSize } from './bench/vsixSize.mjs';
import { buildBundles, isVsixFresh, packVsix } from './lib/buildVsix.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { interruptSignal } from './lib/interrupt.mjs';
import { createProgress } from './lib/progress.mjs';
import { run } from './lib/run.mjs';
import { toolNode } from './lib/toolNode.mjs';

const root = path.join(import.meta.dirname, '..');
const BENCHES = [
  hooks,
  guard,
  forwarder,
  panel,
  panelLatency,
  ingest,
  footprint,
  postgres,
  takeover,
  search,
  context,
  sessions,
  memory,
  masking,
  activation,
  vsixSize,
];
const USAGE = `npm run bench [-- [name…] [--runs N] [--hooks N,…] [--against REVISION]]\n\n${BENCHES.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`;

/** @param {readonly string[]} args */
function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        runs: { type: 'string' },
        hooks: { type: 'string' },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
    if (unknown.length > 0) return { error: `Unknown bench: ${unknown.join(', ')}` };
    const runs = values.runs === undefined ? undefined : Number(values.runs);
    if (runs !== undefined && !(Number.isInteger(runs) && runs > 0))
      return { error: `--runs needs a whole number above 0, not ${values.runs}` };
    const hooks = values.hooks?.split(',').map(Number);
    if (hooks?.some((each) => !(Number.isInteger(each) && each > 0)))
      return { error: `--hooks needs whole numbers above 0 with commas between, not ${values.hooks}` };
    return {
      help: values.help,
      runs,
      hooks,
      against: values.against,
      chosen: BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function main() {
  const { error, help, runs, hooks: hookCounts, against, chosen = [] } = parse(process.argv.slice(2));
  if (error !== undefined || help) {
    (error === undefined ? console.log : console.error)(error === undefined ? USAGE : `${error}\n\n${USAGE}`);
    return error === undefined ? 0 : 2;
  }
  const signal = interruptSignal();
  const progress = createProgress();
  await progress.step('dependencies', () => ensureDependencies({ root, log: progress.line, signal }));
  if (!(await isVsixFresh(root))) {
    await progress.step('build', () => buildBundles({ root, signal }));
    await progress.step('package', () => packVsix({ root, signal }));
  }
  const { node } = toolNode(root);
  const version = (await run(node, ['--version'], { signal })).stdout.trim();
  const tables = [`# Bench\n\n${platform()}-${arch()}, ${cpus().length} cores, Node ${version}\n`];
  let failed = 0;
  for (const { name, about, run: measure } of chosen) {
    const scratch = await mkdtemp(path.join(tmpdir(), 'am-bench-'));
    try {
      const asked = { runs, hooks: hookCounts, against };
      const rows = await progress.step(name, () =>
        measure({ root, node, scratch, ...asked, signal, log: progress.line }),
      );
      tables.push(markdownTable(`${name}: ${about}`, rows));
      progress.line(`\n${tables.at(-1)}`);
    } catch (problem) {
      signal.throwIfAborted();
      failed++;
      progress.line(problem instanceof Error ? problem.message : String(problem));
    } finally {
      await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  }
  const file = path.join(root, 'test-results', 'bench.md');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, tables.join('\n'));
  progress.line(`Written to ${path.relative(process.cwd(), file)}`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
