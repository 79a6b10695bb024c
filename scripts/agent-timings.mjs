#!/usr/bin/env node
/**
 * Times how soon the built collector shows what happens in a real agent's terminal. Needs root, tmux and the agent program
 * (`node scripts/install-tools.mjs lab agents`); nothing outside its own namespaces and cache folder is touched.
 *
 *   npm run agent:timings                         each case 3 times: median, and the slowest
 *   npm run agent:timings -- --only kill,clear    these cases
 *   npm run agent:timings -- --version 2.1.100 --runs 1 --dist DIR
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cases } from '../test/agent-kit/cases.ts';
import { startAgentLab } from '../test/agent-kit/lab.ts';
import { labLack, RELEASES } from '../test/agent-kit/program.mjs';
import { median } from './bench/frame.mjs';
import { textTable } from './lib/textTable.mjs';

/**
 * @typedef {import('../test/agent-kit/cases.ts').Case} Case
 * @typedef {import('../test/agent-kit/program.mjs').AgentVersion} AgentVersion
 * @typedef {{ measures: Map<string, { seconds: number[], atMost: number }>, errors: string[], stories: Map<string, number> }} Findings
 */

const USAGE = `npm run agent:timings -- [--version ${Object.keys(RELEASES).join('|')}] [--only case,…] [--runs N] [--dist DIR] [--screens]

--dist: another build than dist/; --screens: shows what the terminal showed when a case fails

Cases: ${cases.map(({ name }) => name).join(' ')}`;

/** @param {readonly string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args: [...args],
    options: {
      version: text,
      only: text,
      runs: text,
      dist: text,
      screens: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const only = values.only?.split(',') ?? [];
  const unknown = only.filter((name) => !cases.some((each) => each.name === name));
  if (unknown.length > 0) throw new Error(`Unknown case: ${unknown.join(', ')}`);
  const version = /** @type {AgentVersion} */ (values.version ?? 'latest');
  if (!Object.hasOwn(RELEASES, version)) throw new Error(`Unknown version: ${version}`);
  const runs = Number(values.runs ?? 3);
  if (!(Number.isInteger(runs) && runs > 0)) throw new Error(`--runs needs a whole number above 0, not ${values.runs}`);
  const dist = values.dist === undefined ? undefined : path.resolve(values.dist);
  const chosen = cases.filter(({ name }) => only.length === 0 || only.includes(name));
  return { help: values.help === true, screens: values.screens === true, version, runs, dist, chosen };
}

/** @param {ReturnType<typeof parse>} options */
async function measure({ version, runs, dist, chosen, screens }) {
  const lab = await startAgentLab({ version, ...(dist === undefined ? {} : { dist }) });
  /** @type {Map<Case, Findings>} */
  const all = new Map(chosen.map((each) => [each, { measures: new Map(), errors: [], stories: new Map() }]));
  try {
    for (let round = 0; round < runs; round++)
      for (const [each, findings] of all) if (round === 0 || !each.slow) await once(lab, each, findings, screens);
  } finally {
    await lab.end();
  }
  return all;
}

/**
 * @param {import('../test/agent-kit/lab.ts').Lab} lab
 * @param {Case} each
 * @param {Findings} findings
 * @param {boolean} screens
 */
async function once(lab, each, { measures, errors, stories }, screens) {
  try {
    const played = await each.run(lab, ({ what, seconds, atMost }) => {
      measures.set(what, { seconds: [...(measures.get(what)?.seconds ?? []), seconds], atMost });
    });
    const story = played.stories.map(shortStory).join(' | ');
    stories.set(story, (stories.get(story) ?? 0) + 1);
    console.error(`${each.name}: ${story}`);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    errors.push(text);
    console.error(`${each.name}: ${screens ? text : text.split('\n')[0]}`);
  }
}

/** @param {readonly string[]} story */
function shortStory(story) {
  return story.join(' > ');
}

/** @param {Map<Case, Findings>} all */
function print(all) {
  const rows = [...all].flatMap(([each, { measures, errors, stories }]) => {
    const failed = errors.length > 0 ? `${errors.length} failed` : '';
    const expected = each.stories.map(shortStory).join(' | ');
    const odd = [...stories].filter(([story]) => story !== expected).map(([story, times]) => `${times}x ${story}`);
    const remark = [failed, ...odd].filter((part) => part !== '').join('; ');
    const times = [...measures].map(([what, { seconds, atMost }]) => {
      const slowest = Math.max(...seconds);
      const late = slowest > atMost ? `at most ${atMost} s allowed` : '';
      const numbers = [median(seconds).toFixed(2), slowest.toFixed(2), String(seconds.length)];
      return [each.name, what, ...numbers, [late, remark].filter((part) => part !== '').join('; ')];
    });
    return times.length > 0 ? times : [[each.name, '', '', '', '0', remark]];
  });
  console.log(textTable([['case', 'what', 'median s', 'slowest s', 'runs', 'not as expected'], ...rows]));
}

async function main() {
  const options = parse(process.argv.slice(2));
  if (options.help) return void console.log(USAGE);
  const lack = labLack(options.version);
  if (lack !== undefined) throw new Error(lack);
  // Leaving by ourselves takes the lab along.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => process.exit(130));
  print(await measure(options));
}

try {
  await main();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
