/**
 * What the collector costs: memory, bytes on disk, processor time, hold-ups, its start and its search, for so many hooks. It knows
 * only the process, its folder and its HTTP routes, so that releases with another storage can be measured beside it.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { nameOfRevision, withRevision } from './earlierRelease.mjs';
import { measureFootprint, SEED } from './footprintRun.mjs';
import { median, quantile, ratio } from './frame.mjs';
import { measureIngest } from './ingest.mjs';

const DEFAULT_HOOKS = [40_000];
const MEGABYTE = 1_000_000;
const NOT_MEASURED = 'not measured here';

/** Product code of storage and its consumers. A tree may lack some of these places. */
const CODE_PARTS = {
  store: ['src/node/store', 'src/app/storing.ts', 'src/domain/storedEvent.ts'],
  log: ['src/node/log', 'src/node/history'],
  'earlier stores': ['src/node/oldStore'],
  retention: ['src/app/retention.ts', 'src/app/observedTime.ts'],
  erasure: ['src/app/erasing.ts', 'src/app/erasurePorts.ts', 'src/app/takingBack.ts'],
  'relay queue': ['src/app/relay/queue.ts', 'src/app/shelfPorts.ts'],
  sink: ['src/app/sink', 'src/app/changePorts.ts'],
  'spool take-in': ['src/node/collector/spool*.ts', 'src/node/collector/handOver*.ts'],
};

/**
 * @typedef {import('./footprintRun.mjs').Footprint} Footprint
 *
 * @typedef {object} Line  a row of the table
 * @property {string} what
 * @property {(hooks: number) => string} goal  of so many hooks
 * @property {(of: Footprint) => number | undefined} figure  undefined where it can't be measured
 * @property {(figure: number) => string} shown
 * @property {(of: Footprint) => string} note
 */

/** @type {readonly Line[]} */
const LINES = [
  {
    what: 'memory held over an empty process',
    goal: (hooks) => (hooks <= 40_000 ? '≤ +60 MB' : '≤ +90 MB'),
    figure: ({ memory }) => memory && memory.held - memory.empty,
    shown: more,
    note: ({ memory, wentQuiet }) =>
      memory
        ? `${mb(memory.empty)} empty, ${mb(memory.held)} then${wentQuiet ? '' : ', though it was still at work'}`
        : '',
  },
  {
    what: 'memory at its peak over an empty process',
    goal: (hooks) => (hooks <= 40_000 ? '≤ +150 MB' : ''),
    figure: ({ memory }) => memory && memory.peak - memory.empty,
    shown: more,
    note: () => '',
  },
  {
    what: 'memory after a start with them over an empty process',
    goal: () => '',
    figure: ({ memory }) => memory && memory.restarted - memory.empty,
    shown: more,
    note: ({ memory }) => (memory ? `${mb(memory.searched)} after the searches` : ''),
  },
  {
    what: 'bytes on disk ÷ bytes of hooks',
    goal: () => '≤ 0.3',
    figure: ({ disk, bytes }) => disk.quiet / bytes,
    shown: twoDigits,
    note: ({ disk, bytes, gzipped }) =>
      `${twoDigits(disk.stopped / bytes)} once it was stopped; the hooks alone in gzipped blocks of 64 KiB ${twoDigits(gzipped)}`,
  },
  {
    what: 'bytes written ÷ bytes of hooks',
    goal: () => '≤ 3',
    figure: ({ written, bytes }) => written && (written.toDisk || written.byCalls) / bytes,
    shown: twoDigits,
    note: ({ written, bytes }) =>
      !written
        ? ''
        : written.toDisk > 0
          ? `write_bytes: whole pages; wchar, with the answers, ${twoDigits(written.byCalls / bytes)}`
          : 'wchar: what was given to write, with the answers; write_bytes is 0 here',
  },
  {
    what: 'longest hold-up of the thread',
    goal: () => '≤ 15 ms',
    figure: ({ holdUp }) => holdUp && (holdUp.intake.workMs ?? holdUp.intake.maxMs),
    shown: ms,
    note: ({ holdUp }) =>
      holdUp
        ? `its own work; with waits for the disk and for other processes ${ms(holdUp.intake.maxMs)}; in the quiet time after it ${ms(holdUp.after.workMs)}`
        : '',
  },
  {
    what: 'processor time an event',
    goal: () => '≤ 0.3 ms',
    figure: ({ cpuMs, hooks }) => cpuMs && cpuMs / hooks,
    shown: (figure) => `${twoDigits(figure)} ms`,
    note: ({ hooks, seconds }) =>
      `of all threads until it was quiet, less what an empty collector uses; ${Math.round(hooks / seconds)} hooks/s`,
  },
  {
    what: 'ready after a start',
    goal: (hooks) => (hooks <= 100_000 ? '≤ 0.5 s' : '≤ 1 s'),
    figure: ({ ready }) => median(ready) / 1_000,
    shown: (figure) => `${twoDigits(figure)} s`,
    note: ({ ready, readyCpu }) =>
      `median of ${ready.length}, until the answer of /api/state; its files are in the page cache` +
      (readyCpu ? `; ${twoDigits(median(readyCpu) / 1_000)} s of processor time` : ''),
  },
  ...searchLines(),
];

/** @returns {Line[]} */
function searchLines() {
  return /** @type {const} */ (['common', 'rare', 'absent']).map((kind) => ({
    what: `search for ${kind} words, p95`,
    goal: (hooks) => (hooks <= 100_000 ? '≤ 50 ms' : '≤ 300 ms'),
    figure: ({ searches }) => quantile(searches[kind].times, 0.95),
    shown: ms,
    note: ({ searches, interactions }) =>
      `p50 ${ms(median(searches[kind].times))}; ${searches[kind].hits} hits in ${count(interactions)} interactions`,
  }));
}

/** @type {import('./frame.mjs').Bench} */
export const footprint = {
  name: 'footprint',
  about: 'memory, bytes, processor time, hold-ups, start and search of the collector with --hooks stored',
  async run(context) {
    const here = { name: await nameOfRevision(context.root), root: context.root };
    const { against } = context;
    if (against === undefined) return measureAll(context, [here]);
    const name = await nameOfRevision(context.root, against);
    return withRevision(context, against, (root) => measureAll(context, [here, { name, root }]));
  },
};

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @param {readonly { name: string, root: string }[]} releases  this tree's first
 */
async function measureAll(context, releases) {
  const [here, earlier] = releases.map(({ name }) => name);
  /** @type {import('./frame.mjs').Row[]} */
  const rows = [{ what: 'revision', value: here ?? '', ...(earlier === undefined ? {} : { against: earlier }) }];
  for (const hooks of context.hooks ?? DEFAULT_HOOKS) {
    const measured = [];
    for (const [index, { root }] of releases.entries())
      measured.push(await attempt(context, () => measureFootprint({ ...context, root }, hooks, `${hooks}-${index}`)));
    rows.push(...rowsOf(hooks, measured));
  }
  const served = [];
  for (const [index, { root }] of releases.entries()) {
    const home = path.join(context.scratch, `ingest-${index}`);
    served.push(await attempt(context, async () => (await measureIngest({ ...context, root }, home, [32]))[0]));
  }
  rows.push(...ingestRows(served));
  rows.push(loadRow());
  rows.push(codeRow(await Promise.all(releases.map(({ root }) => linesOfCode(root)))));
  return rows;
}

/**
 * A release that fails at a size costs only its own cells.
 * @template Result
 * @param {import('./frame.mjs').BenchContext} context
 * @param {() => Promise<Result>} measure
 * @returns {Promise<Result | string>}
 */
async function attempt({ signal, log }, measure) {
  try {
    return await measure();
  } catch (error) {
    signal.throwIfAborted();
    log(error instanceof Error ? error.message : String(error));
    return 'failed';
  }
}

/**
 * @param {number} hooks
 * @param {readonly (Footprint | string)[]} measured
 * @returns {import('./frame.mjs').Row[]}
 */
function rowsOf(hooks, measured) {
  const [first] = measured.filter((each) => typeof each !== 'string');
  const head = {
    what: `${count(hooks)} hooks`,
    value: first ? mb(first.bytes) : 'failed',
    note: first
      ? `seed ${SEED}; ${first.sessions} sessions; ${Math.round(first.bytes / hooks)} bytes a hook; ${first.retried} sent again after a 503`
      : '',
  };
  const rows = LINES.map(({ what, goal, figure, shown, note }) => {
    const figures = measured.map((each) => (typeof each === 'string' ? each : figure(each)));
    const [own] = measured;
    return { what, ...cells(figures, shown), goal: goal(hooks), note: own && typeof own !== 'string' ? note(own) : '' };
  });
  return [head, ...rows];
}

/** @param {readonly (Awaited<ReturnType<typeof measureIngest>>[number] | string | undefined)[]} served */
function ingestRows(served) {
  /** @param {'perSecond' | 'p99'} name */
  const figures = (name) =>
    served.map((each) => (typeof each === 'object' ? each.collector[name] / each.bare[name] : each));
  const [own] = served;
  const isMeasured = typeof own === 'object';
  return [
    {
      what: 'durable ingest ÷ bare server, 32 clients',
      ...cells(figures('perSecond'), twoDigits),
      goal: '≥ 0.35',
      note: isMeasured ? `${Math.round(own.collector.perSecond)} /s to ${Math.round(own.bare.perSecond)} /s` : '',
    },
    {
      what: 'its p99 ÷ that of the bare server',
      ...cells(figures('p99'), twoDigits),
      goal: '≤ 3',
      note: isMeasured ? `${ms(own.collector.p99)} to ${ms(own.bare.p99)}` : '',
    },
  ];
}

/** Other processes lengthen all times, and processor time by sharing its caches. */
function loadRow() {
  const minutes = loadavg()[2];
  return {
    what: 'load of the machine',
    value: minutes ? twoDigits(minutes) : NOT_MEASURED,
    note: `of the last 15 minutes, on ${availableParallelism()} processors`,
  };
}

/** @param {readonly Awaited<ReturnType<typeof linesOfCode>>[]} counted */
function codeRow(counted) {
  const sums = counted.map((parts) => parts.reduce((sum, [, lines]) => sum + lines, 0));
  const note = (counted[0] ?? []).map(([name, lines]) => `${name} ${count(lines)}`).join(', ');
  return { what: 'lines of code', ...cells(sums, count), goal: 'about 6,000', note };
}

/**
 * @param {readonly (number | string | undefined)[]} figures  this tree's, then the earlier release's if there is one
 * @param {(figure: number) => string} shown
 */
function cells(figures, shown) {
  const texts = figures.map((each) => (typeof each === 'number' ? shown(each) : (each ?? NOT_MEASURED)));
  const [own, earlier] = figures;
  const isComparable = typeof own === 'number' && typeof earlier === 'number' && earlier > 0;
  return {
    value: texts[0] ?? '',
    ...(texts[1] === undefined ? {} : { against: texts[1] }),
    ...(isComparable ? { ratio: ratio(own, earlier) } : {}),
  };
}

/**
 * Lines of each part, tests left out.
 * @param {string} root
 * @returns {Promise<[name: string, lines: number][]>}
 */
async function linesOfCode(root) {
  return Promise.all(
    Object.entries(CODE_PARTS).map(async ([name, places]) => {
      const files = (await Promise.all(places.map((place) => filesAt(root, place)))).flat();
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      return /** @type {[string, number]} */ ([
        name,
        texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0),
      ]);
    }),
  );
}

/**
 * @param {string} root
 * @param {string} place  a file, a folder with all below, or files of a folder by the beginning of their names
 */
async function filesAt(root, place) {
  const at = path.join(root, place);
  const begin = /^(.*)\*\.ts$/.exec(path.basename(place))?.[1];
  const folder = begin === undefined ? at : path.dirname(at);
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return [];
  const names = found.isDirectory() ? await readdir(folder, { recursive: begin === undefined }) : [''];
  return names
    .filter((name) => name.startsWith(begin ?? ''))
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.ts') && !/\.(test|testkit)\.ts$/.test(file));
}

/** @param {number} bytes */
function mb(bytes) {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

/** @param {number} bytes */
function more(bytes) {
  return `${bytes < 0 ? '−' : '+'}${mb(Math.abs(bytes))}`;
}

/** @param {number} figure */
function twoDigits(figure) {
  return figure.toFixed(2);
}

/** @param {number | undefined} figure */
function ms(figure) {
  return figure === undefined ? 'not known' : `${figure.toFixed(1)} ms`;
}

/** @param {number} figure */
function count(figure) {
  return figure.toLocaleString('en');
}
