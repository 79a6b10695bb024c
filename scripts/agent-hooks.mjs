#!/usr/bin/env node
/**
 * Counts which hooks arrive in many runs of the real agent program, with hooks that the product's own command line installed.
 * Needs root, tmux and the agent program (`node scripts/install-tools.mjs lab agents`).
 *
 *   npm run agent:hooks                                        20 runs of each kind with each version
 *   npm run agent:hooks -- --version 2.1.100 --runs 5 --kind headless --dist DIR
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { countedRun, expectedHooks, ofMainAgent, runKinds, tracesOn } from '../test/agent-kit/hookRuns.ts';
import { startAgentLab } from '../test/agent-kit/lab.ts';
import { labLack, RELEASES } from '../test/agent-kit/program.mjs';
import { textTable } from './lib/textTable.mjs';

/**
 * @typedef {import('../test/agent-kit/program.mjs').AgentVersion} AgentVersion
 * @typedef {import('../test/agent-kit/hookRuns.ts').RunKind} RunKind
 * @typedef {{ runs: number, whole: number, expected: number, arrived: number, lost: Map<string, number>, odd: number, traces: number }} Sum
 */

const USAGE = `npm run agent:hooks -- [--version ${Object.keys(RELEASES).join('|')}] [--kind ${runKinds.join('|')}] [--runs N] [--dist DIR]`;

/** @param {readonly string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args: [...args],
    options: { version: text, kind: text, runs: text, dist: text, help: { type: 'boolean', short: 'h' } },
  });
  const versions = /** @type {AgentVersion[]} */ (
    values.version === undefined ? Object.keys(RELEASES) : [values.version]
  );
  const kinds = runKinds.filter((kind) => values.kind === undefined || values.kind === kind);
  const runs = Number(values.runs ?? 20);
  if (!versions.every((version) => Object.hasOwn(RELEASES, version)))
    throw new Error(`Unknown version: ${values.version}`);
  if (kinds.length === 0) throw new Error(`Unknown kind: ${values.kind}`);
  if (!(Number.isInteger(runs) && runs > 0)) throw new Error(`--runs needs a whole number above 0, not ${values.runs}`);
  const dist = values.dist === undefined ? undefined : path.resolve(values.dist);
  return { help: values.help === true, versions, kinds, runs, dist };
}

/**
 * @param {import('../test/agent-kit/lab.ts').Lab} lab
 * @param {AgentVersion} version
 * @param {RunKind} kind
 * @param {number} runs
 */
async function count(lab, version, kind, runs) {
  const wanted = expectedHooks(version, kind);
  /** @type {Sum} */
  const sum = { runs, whole: 0, expected: 0, arrived: 0, lost: new Map(), odd: 0, traces: 0 };
  for (let run = 0; run < runs; run++) {
    const { arrived, own, seen } = await countedRun(lab, version, kind);
    const left = [...ofMainAgent(arrived)];
    const lost = wanted.filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    for (const name of lost) sum.lost.set(name, (sum.lost.get(name) ?? 0) + 1);
    sum.expected += wanted.length;
    sum.arrived += wanted.length - lost.length;
    sum.odd += left.length;
    const others = own.filter((name) => !arrived.includes(name));
    for (const name of others) sum.lost.set(`(own ran: ${name})`, (sum.lost.get(`(own ran: ${name})`) ?? 0) + 1);
    sum.traces += tracesOn(seen.shown).length;
    if (lost.length === 0 && left.length === 0) sum.whole++;
    console.error(
      `${RELEASES[version]} ${kind} ${run + 1}: ${arrived.length} arrived${lost.length > 0 ? `, lost ${lost.join(' ')}` : ''}`,
    );
  }
  return sum;
}

async function main() {
  const { help, versions, kinds, runs, dist } = parse(process.argv.slice(2));
  if (help) return void console.log(USAGE);
  const lack = versions.map((version) => labLack(version)).find((found) => found !== undefined);
  if (lack !== undefined) throw new Error(lack);
  // Leaving by ourselves takes the lab along.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => process.exit(130));
  const rows = [['version', 'run', 'runs', 'whole', 'expected', 'arrived', 'lost', 'too many', 'lines shown']];
  for (const version of versions)
    for (const kind of kinds) {
      // A lab for each, so that no session of before is in the way.
      const lab = await startAgentLab({ version, ...(dist === undefined ? {} : { dist }) });
      try {
        const { whole, expected, arrived, lost, odd, traces } = await count(lab, version, kind, runs);
        const names = [...lost].map(([name, times]) => `${times} ${name}`).join(', ');
        const numbers = [runs, whole, expected, arrived].map(String);
        rows.push([RELEASES[version], kind, ...numbers, names || '0', String(odd), String(traces)]);
      } finally {
        await lab.end();
      }
    }
  console.log(textTable(rows));
}

try {
  await main();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
