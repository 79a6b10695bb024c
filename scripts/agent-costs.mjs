#!/usr/bin/env node
/**
 * What our hooks cost the real agent program, beside others: one run of 40 shell calls against a scripted model that answers
 * at once, for each kind of hook. Needs root and the agent program (`node scripts/install-tools.mjs lab agents`); nothing outside its own
 * namespaces and cache folder is touched.
 *
 *   npm run agent:costs                                       medians of 3 interleaved rounds
 *   npm run agent:costs -- --slowly                           the model takes 100 ms for each reply, so that what a collector
 *                                                             does meanwhile is not in the agent's way
 *   npm run agent:costs -- --version 2.1.100 --rounds 5 --dist DIR
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { busyElsewhere, cpuMeter } from '../test/agent-kit/cpuMeter.ts';
import { arrivedHooks, ofMainAgent } from '../test/agent-kit/hookRuns.ts';
import { startAgentLab } from '../test/agent-kit/lab.ts';
import { MANY_CALLS, THINKING_MS } from '../test/agent-kit/plays.ts';
import { labLack, RELEASES } from '../test/agent-kit/program.mjs';
import { median } from './bench/frame.mjs';
import { textTable } from './lib/textTable.mjs';

/**
 * @typedef {import('../test/agent-kit/program.mjs').AgentVersion} AgentVersion
 * @typedef {import('../test/agent-kit/lab.ts').Lab} Lab
 * @typedef {{ type: string, command: string, timeout?: number, async?: boolean }} Hook
 * @typedef {{ hooks: Record<string, { matcher?: string, hooks: Hook[] }[]> }} Settings
 * @typedef {'alone' | 'watched' | 'stopped'} Collector  of ours: nobody follows it; one program does, as an editor would; none runs
 * @typedef {{ name: string, home: string, collector?: Collector }} Kind
 * @typedef {{ calls: number[], cpuMs: number, collectorMs?: number, lost?: number }} Measured
 */

const USAGE = `npm run agent:costs -- [--version ${Object.keys(RELEASES).join('|')}] [--rounds N] [--slowly] [--dist DIR]`;
/** SessionStart, UserPromptSubmit, Stop, SessionEnd, and two for each call. */
const EVENTS = 4 + 2 * MANY_CALLS;
/** FWD-11: of what as many hooks that do nothing add. */
const LIMITS = { time: 1.7, cpu: 2 };
/** What an idle lab itself takes is less. */
const BUSY_PERCENT = 10;
const OWN = '{}\n';

/** @param {readonly string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    args: [...args],
    options: {
      version: text,
      rounds: text,
      dist: text,
      slowly: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const version = /** @type {AgentVersion} */ (values.version ?? 'latest');
  if (!Object.hasOwn(RELEASES, version)) throw new Error(`Unknown version: ${version}`);
  const rounds = Number(values.rounds ?? 3);
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error(`--rounds needs a whole number above 0`);
  const dist = values.dist === undefined ? undefined : path.resolve(values.dist);
  return { help: values.help === true, slowly: values.slowly === true, version, rounds, dist };
}

/** @param {string} home */
function settingsFile(home) {
  return path.join(home, '.claude', 'settings.json');
}

/**
 * Others' hooks at the same places as ours.
 * @param {Lab} lab
 * @returns {Kind[]}
 */
function kindsOf(lab) {
  /** @type {Settings} */
  const ours = JSON.parse(readFileSync(settingsFile(lab.home), 'utf8'));
  let number = 0;
  /** @param {string} name @param {string} command @param {{ one?: boolean, more?: Partial<Hook> }} [how] */
  const instead = (name, command, { one = false, more = {} } = {}) => {
    const hooks = Object.fromEntries(
      Object.entries(ours.hooks).map(([event, groups]) => [
        event,
        groups.slice(0, one ? 1 : undefined).map((group) => ({
          ...group,
          // An agent runs the same command once only.
          hooks: group.hooks.map((hook) => ({ ...hook, command: `${command} #${++number}`, ...more })),
        })),
      ]),
    );
    const home = lab.newHome(name.replace(/\W+/g, '-'), JSON.stringify({ hooks }));
    writeFileSync(path.join(home, 'true.sh'), 'true\n');
    writeFileSync(path.join(home, 'noop.mjs'), 'for await (const _ of process.stdin);\n');
    return { name, home };
  };
  const node = 'node "$HOME/noop.mjs"';
  return [
    { name: 'none', home: lab.newHome('none', OWN) },
    instead('`true`', 'true'),
    { name: 'ours, a collector running', home: lab.home, collector: 'alone' },
    { name: 'ours, and one follows it', home: lab.home, collector: 'watched' },
    { name: 'ours, none running', home: lab.home, collector: 'stopped' },
    instead('`sh` true.sh', 'sh "$HOME/true.sh"'),
    instead('one asynchronous `node`', node, { one: true, more: { async: true } }),
    instead('one synchronous `node`', node, { one: true }),
  ];
}

/**
 * @param {Lab} lab
 * @param {Kind} kind
 * @param {import('../test/agent-kit/cpuMeter.ts').CpuMeter} meter
 * @param {boolean} slowly
 * @returns {Promise<Measured>}
 */
async function measure(lab, { name, home, collector }, meter, slowly) {
  const play = slowly ? 'many-slowly' : 'many';
  if (collector === 'stopped') await lab.stopCollector('SIGTERM');
  else await lab.listen(collector === 'watched');
  const runs = collector === 'alone' || collector === 'watched';
  const collectorBefore = runs ? await lab.collectorCpuMs() : 0;
  const began = Date.now();
  const { project, ran } = await lab.print(`play:${play} please`, { home, under: meter.under, timeoutMs: 120_000 });
  if (ran.code !== 0) throw new Error(`${name}: the agent ended with ${ran.code}: ${ran.stderr}`);
  const cpuMs = await meter.sinceLastMs();
  const times = lab.watch.playedSince(began).filter((played) => played.play === play);
  if (times.length !== MANY_CALLS + 1) throw new Error(`${name}: the run broke off: ${ran.stdout}`);
  await (collector === 'stopped' ? lab.startCollector() : lab.listen(true));
  const lost = collector ? { lost: EVENTS - ofMainAgent(await arrivedHooks(lab, project)).length } : {};
  const collectorMs = runs ? { collectorMs: (await lab.collectorCpuMs()) - collectorBefore } : {};
  const thought = slowly ? THINKING_MS : 0;
  const calls = times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? at) - thought);
  return { calls, cpuMs, ...collectorMs, ...lost };
}

/** @param {{ version: AgentVersion, rounds: number, dist: string | undefined, slowly: boolean }} options */
async function rounds({ version, rounds: count, dist, slowly }) {
  const lab = await startAgentLab({ version, settings: OWN, ...(dist === undefined ? {} : { dist }) });
  try {
    const meter = cpuMeter(lab.folder);
    try {
      const kinds = kindsOf(lab);
      /** @type {Map<Kind, Measured[]>} */
      const all = new Map(kinds.map((kind) => [kind, []]));
      // The first run of all reads everything from the disk.
      if (kinds[0]) await measure(lab, kinds[0], meter, slowly);
      const busy = [await busyElsewhere()];
      for (let round = 0; round < count; round++) {
        for (const [index] of kinds.entries()) {
          const kind = /** @type {Kind} */ (kinds[(index + round) % kinds.length]);
          const measured = await measure(lab, kind, meter, slowly);
          all.get(kind)?.push(measured);
          console.error(`round ${round + 1}: ${kind.name}: ${mean(measured.calls).toFixed(1)} ms a call`);
        }
        busy.push(await busyElsewhere());
      }
      return { all, how: meter.how, busy: mean(busy), sizes: sizes(lab) };
    } finally {
      meter.close();
    }
  } finally {
    await lab.end();
  }
}

/** @param {Lab} lab */
function sizes(lab) {
  const bin = path.join(lab.home, '.agent-mascot', 'bin');
  const files = readdirSync(bin).map((name) => ({ name, bytes: statSync(path.join(bin, name)).size }));
  const settings = readFileSync(settingsFile(lab.home), 'utf8');
  const hooks = Object.values(/** @type {Settings} */ (JSON.parse(settings)).hooks).flat().length;
  return { added: Buffer.byteLength(settings) - Buffer.byteLength(OWN), hooks, files };
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

/**
 * The mean of the middle half: finer than a median of whole milliseconds, and as deaf to what else the machine does.
 * @param {readonly number[]} numbers
 */
function middle(numbers) {
  const quarter = Math.floor(numbers.length / 4);
  return mean(numbers.toSorted((a, b) => a - b).slice(quarter, numbers.length - quarter));
}

/** @param {Awaited<ReturnType<typeof rounds>>} measured */
function report({ all, how, busy, sizes: { added, hooks, files } }) {
  const rows = [...all].map(([{ name }, runs]) => {
    const cpu = median(runs.map(({ cpuMs }) => cpuMs));
    const collector = runs.flatMap(({ collectorMs }) => (collectorMs === undefined ? [] : [collectorMs]));
    const lost = runs.flatMap((run) => (run.lost === undefined ? [] : [run.lost]));
    const inRounds = runs.map(({ calls }) => middle(calls));
    return {
      name,
      ms: median(inRounds),
      inRounds,
      mean: median(runs.map(({ calls }) => mean(calls))),
      cpu,
      collector,
      lost,
    };
  });
  const none = rows.find(({ name }) => name === 'none');
  const nothing = rows.find(({ name }) => name === '`true`');
  if (!none || !nothing) return;
  /** @param {{ ms: number, cpu: number }} row */
  const against = ({ ms, cpu }) => ({
    time: (ms - none.ms) / (nothing.ms - none.ms),
    cpu: (cpu - none.cpu) / (nothing.cpu - none.cpu),
  });
  const table = rows.map((row) => {
    const collector = row.collector.length > 0 ? (median(row.collector) / EVENTS).toFixed(1) : '';
    const lost = row.lost.length > 0 ? `${row.lost.reduce((a, b) => a + b)} of ${EVENTS * row.lost.length}` : '';
    if (row === none) return [row.name, row.ms.toFixed(1), '', '', '', '', '', '', collector, lost];
    const ratio = against(row);
    // Each beside the run without hooks of its own round: a machine may change its pace in between.
    const apart = row.inRounds.map((ms, round) => ms - (none.inRounds[round] ?? none.ms));
    const range = `${Math.min(...apart).toFixed(1)} to ${Math.max(...apart).toFixed(1)}`;
    const added = [(row.ms - none.ms).toFixed(1), ratio.time.toFixed(2), range, (row.mean - none.mean).toFixed(1)];
    const cpu = [((row.cpu - none.cpu) / EVENTS).toFixed(1), ratio.cpu.toFixed(2)];
    return [row.name, row.ms.toFixed(1), ...added, ...cpu, collector, lost];
  });
  const head = [
    'hooks',
    'ms a call',
    'added',
    '× `true`',
    'added, in the rounds',
    'added (mean)',
    'CPU ms an event',
    '× `true`',
    'collector’s',
    'lost',
  ];
  console.log(textTable([head, ...table]));
  console.log(`\nTimes: the middle half of the calls, and all of them (mean); medians of the rounds, as for CPU.`);
  console.log(`CPU: ${how}. ${EVENTS} events a run.`);
  console.log(`Between the rounds, others took ${busy.toFixed(0)} % of the machine.`);
  if (busy > BUSY_PERCENT)
    console.log('FWD-11: too much to tell whether its limits are held; measure when the machine rests');
  for (const row of rows.filter(({ name }) => name.startsWith('ours') && busy <= BUSY_PERCENT)) {
    const ratio = against(row);
    const verdict = (/** @type {'time' | 'cpu'} */ what) => (ratio[what] <= LIMITS[what] ? 'held' : 'NOT held');
    console.log(
      `FWD-11, ${row.name}: time ≤ ${LIMITS.time} × ${verdict('time')}, CPU ≤ ${LIMITS.cpu} × ${verdict('cpu')}`,
    );
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`\nInstalled: ${hooks} hooks, ${added} bytes of settings; ${total} bytes in ~/.agent-mascot/bin:`);
  console.log(files.map(({ name, bytes }) => `  ${name} ${bytes}`).join('\n'));
}

async function main() {
  const options = parse(process.argv.slice(2));
  if (options.help) return void console.log(USAGE);
  const lack = labLack(options.version);
  if (lack !== undefined) throw new Error(lack);
  // Leaving by ourselves takes the lab along.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => process.exit(130));
  report(await rounds(options));
}

try {
  await main();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
