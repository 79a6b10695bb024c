import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pipeline } from '../../src/app/ports.ts';
import { logLines } from '../../src/app/testkit/fakes.testkit.ts';
import type { HookEnvelope } from '../../src/protocol/hook.ts';
import { BODY_MAX_BYTES } from '../../src/protocol/limits.ts';
import { homeAt } from '../../src/node/machine/home.ts';
import { ThreadLimitError } from '../../src/node/machine/thread.ts';
import { watchTurns } from '../../src/node/turns.testkit.ts';
import { type Complete, completeInThread } from '../../src/node/collector/handOverThread.ts';
import { eventAtStart } from '../../src/node/collector/payloadStart.ts';
import { type SpoolOptions, type SpoolWatch, watchSpool } from '../../src/node/collector/spool.ts';
import { createDropLedger, spoolStanding } from '../../src/node/collector/spoolDropped.ts';

const MiB = 1024 * 1024;
/** In yardsticks of some 10 ms. A window that does not answer for six seconds counts as hung; a fast typist notices a fifth of one. */
const TURN_MAX = 20;
const pace = { sweepMs: 3, pendingMs: 3, fullRestMs: 2, firstRestMs: 2, longestRestMs: 6, firstAsideMs: 2 };

let programs = '';
let home = '';
let folder = '';
let watching: SpoolWatch | undefined;
beforeAll(async () => {
  programs = mkdtempSync(path.join(tmpdir(), 'mascot-spool-thread-'));
  await build({
    entryPoints: [path.join(import.meta.dirname, '../../src/node/collector/handOverWorker.ts')],
    outfile: path.join(programs, 'handOver.cjs'),
    bundle: true,
    platform: 'node',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(programs, { recursive: true, force: true, maxRetries: 5 }));
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'mascot-spool-hostile-'));
  folder = path.join(home, 'spool');
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  await watching?.close();
  watching = undefined;
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text, { mode: 0o600 });
const names = () => readdirSync(folder).toSorted();
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const fields = (session: string) => `"session_id":"${session}","hook_event_name":"PostToolUse","cwd":"/p"`;
const filled = (unit: string, bytes: number) => `${`${unit},`.repeat(bytes / (unit.length + 1))}${unit}`;
const large = (session: string, unit: string, bytes: number) =>
  `{${fields(session)},"tool_response":[${filled(unit, bytes)}]}`;
const handOver = (payload: string, head = '') =>
  `agent-mascot-hook/1\0provider=claude\0event=PostToolUse\0host=${hostname()}${head}\0\0${payload}\0\n`;

function collecting(ingest: (hook: HookEnvelope) => void = () => undefined) {
  const log = logLines();
  const taken: HookEnvelope[] = [];
  const pipeline: Pick<Pipeline, 'ingest'> = {
    async ingest(hook) {
      await Promise.resolve();
      ingest(hook);
      taken.push(hook);
      return { id: 'x', duplicate: false };
    },
  };
  const told: number[] = [];
  const { spool, dropped: totalFile } = homeAt(home);
  const dropped = createDropLedger({ spool, totalFile, log, tell: (count) => void told.push(count) });
  const complete = completeInThread(path.join(programs, 'handOver.cjs'));
  const start = (options: SpoolOptions = {}) =>
    (watching = watchSpool(folder, pipeline, log, { pace, dropped, complete, ...options }));
  return { log, taken, told, start };
}

describe('FWD-6 SEC-3 what is too large to be parsed', () => {
  test('FWD-6 60 MB of structure count as an event that is known by its beginning; who waits behind is not held up', async () => {
    put('1-1-big.hook', handOver(large('big', '{}', 60 * MiB)));
    put('2-1-next.hook', handOver(`{${fields('next')}}`));
    const { start, taken, log, told } = collecting();
    const turns = watchTurns();
    start();
    await until(() => names().length === 0);
    expect(turns.stop().longest).toBeLessThan(TURN_MAX);
    expect(taken.map(({ name, raw }) => [name, raw])).toEqual([
      [
        'PostToolUse',
        {
          session_id: 'big',
          hook_event_name: 'PostToolUse',
          cwd: '/p',
          '(cut)': expect.stringMatching(/^\[agent-mascot: all else of \d+ bytes cut\]$/) as unknown,
        },
      ],
      ['PostToolUse', { session_id: 'next', hook_event_name: 'PostToolUse', cwd: '/p' }],
    ]);
    expect(taken[0]?.meta).toMatchObject({ provider: 'claude', event: 'PostToolUse', host: hostname() });
    expect(log.lines).toEqual([
      'warn The event in "1-1-big.hook" (60.0 MB) was too much to read whole; only its beginning is kept.',
    ]);
    expect(told).toEqual([]);
  });

  test('FWD-6 one that does not say whose event it is is dropped, counted and told', async () => {
    put('1-1-a.hook', handOver(`{"tool_response":[${filled('{}', 17 * MiB)}],${fields('late')}}`));
    put('1700000000000-b.json', `{"tool_response":[${filled('{}', 5 * MiB)}]}\n`);
    const { start, taken, log, told } = collecting();
    start();
    await until(() => told.length > 0 && names().length === 0);
    expect([taken, (await spoolStanding(homeAt(home))).dropped]).toEqual([[], 2]);
    expect(log.lines[0]).toMatch(/^warn An event was dropped: "[^"]+" is too large to be read/);
  });

  test('FWD-6 an event of more than `/ingest` takes is known by its beginning and keeps its id', async () => {
    put('1700000000000-id-1.json', `${large('s', '[]', 5 * MiB)}\n`);
    const { start, taken } = collecting();
    start();
    await until(() => names().length === 0);
    expect(taken.map(({ meta, raw }) => [meta.delivery_id, raw['session_id'], '(cut)' in raw])).toEqual([
      ['id-1', 's', true],
    ]);
  });

  test('FWD-6 a head that no entry wrote is not taken apart', async () => {
    put('1-1-a.hook', handOver('{}', '\0a=b'.repeat(3 * MiB)));
    const { start, taken, log } = collecting();
    const turns = watchTurns();
    start();
    await until(() => names().length === 0);
    expect([taken, turns.stop().longest < TURN_MAX, log.lines.length]).toEqual([[], true, 1]);
  });
});

describe('FWD-9 SEC-3 large hand-overs', () => {
  test.each(['{}', '[]', '1', '{"a":{"b":[1]}}', '"\\n"'])(
    'FWD-9 of 8 MB of %s, cut elsewhere than on this thread, in order',
    async (unit) => {
      put('1-1-a.hook', handOver(large('a', unit, 8 * MiB)));
      put('1-1-b.hook', handOver(`{${fields('b')}}`));
      const { start, taken, log } = collecting();
      const turns = watchTurns();
      start();
      await until(() => names().length === 0);
      expect(turns.stop().longest).toBeLessThan(TURN_MAX);
      expect(taken.map(({ raw }) => raw['session_id'])).toEqual(['a', 'b']);
      expect(JSON.stringify(taken[0]).length).toBeLessThanOrEqual(BODY_MAX_BYTES);
      expect(taken[0]?.raw['tool_response']).not.toBe(undefined);
      expect(log.lines).toEqual([]);
    },
  );

  test('FWD-9 what the agent wrote comes whole through the thread, and says who brought it', async () => {
    const content = 'line\n'.repeat(200_000);
    const parts = Array.from({ length: 5 }, (_, n) => content.slice(n * 200_000, (n + 1) * 200_000));
    put('1-1-a.hook', handOver(`{${fields('a')},"tool_input":{"parts":${JSON.stringify(parts)}}}`));
    const { start, taken } = collecting();
    start();
    await until(() => names().length === 0);
    expect(taken[0]?.raw['tool_input']).toEqual({ parts });
    expect(taken[0]?.meta).toMatchObject({ provider: 'claude', host: hostname() });
    expect(taken[0]?.meta.delivery_id).toMatch(/^1-1-a@\d+$/);
  });

  test('FWD-6 several of them are no longer together than each alone', async () => {
    for (let n = 0; n < 12; n++) put(`${n}-1-a.hook`, handOver(large('a', '{}', 500 * 1024)));
    for (let n = 0; n < 3; n++) put(`${1_700_000_000_000 + n}-b.json`, `${large('b', '{}', 3.9 * MiB)}\n`);
    let bytes = 0;
    const { start, taken } = collecting(({ raw }) => (bytes += JSON.stringify(raw).length));
    // What is read in one turn, for the time that a turn takes hangs on when the heap is tidied up.
    const turns = watchTurns(() => bytes);
    start();
    await until(() => names().length === 0);
    const { most } = turns.stop();
    expect([taken.length, most > 3.9 * MiB, most < 4 * MiB]).toEqual([15, true, true]);
  });

  test.each([
    ['is not there', undefined],
    ['ends in the middle', "require('node:worker_threads').parentPort.on('message', () => process.exit(1))"],
  ])(
    'FWD-6 where the thread %s the event is tried again, and known by its beginning in the end',
    async (_what, program) => {
      const file = path.join(programs, 'other.cjs');
      rmSync(file, { force: true });
      if (program !== undefined) writeFileSync(file, program);
      put('1-1-a.hook', handOver(large('a', '{}', MiB)));
      const { start, taken, log } = collecting();
      start({ complete: completeInThread(file) });
      await until(() => names().length === 0);
      expect(taken.map(({ raw }) => ['(cut)' in raw, raw['session_id']])).toEqual([[true, 'a']]);
      expect(log.lines.join()).toContain('only its beginning is kept');
    },
  );

  test('FWD-6 that there was no thread for a moment costs an event nothing', async () => {
    put('1-1-a.hook', handOver(large('a', '{}', MiB)));
    let tries = 0;
    const inThread = completeInThread(path.join(programs, 'handOver.cjs'));
    const complete: Complete = async (...given) =>
      ++tries === 1 ? Promise.reject(new Error('EAGAIN')) : inThread(...given);
    const { start, taken } = collecting();
    start({ complete });
    await until(() => names().length === 0);
    expect([tries, taken.map(({ raw }) => ['(cut)' in raw, raw['session_id']])]).toEqual([2, [[false, 'a']]]);
  });

  test('FWD-6 what is too much for the thread is not tried again', async () => {
    put('1-1-a.hook', handOver(large('a', '{}', MiB)));
    let tries = 0;
    const complete: Complete = async () => {
      tries++;
      return Promise.reject(new ThreadLimitError('heap'));
    };
    const { start, taken } = collecting();
    start({ complete });
    await until(() => names().length === 0);
    expect([tries, taken.map(({ raw }) => '(cut)' in raw)]).toEqual([1, [true]]);
  });

  test('MWN-2 an owner that stops waits for no thread, and its work is as if it had not been begun', async () => {
    const file = path.join(programs, 'endless.cjs');
    writeFileSync(file, "require('node:worker_threads').parentPort.on('message', () => { for (;;); })");
    put('1-1-a.hook', handOver(large('a', '{}', MiB)));
    const { start, taken, log } = collecting();
    const spool = start({ complete: completeInThread(file) });
    await until(() => names().includes('1-1-a.begun-1.hook'));
    await spool.close();
    expect([names(), taken, log.lines]).toEqual([['1-1-a.hook'], [], []]);
  });
});

describe('MWN-3 FWD-6 one that its owner did not survive', () => {
  const id = (hook: HookEnvelope | undefined) => hook?.meta.delivery_id?.replace(/@.*$/, '');

  test.each([
    ['1-1-a.hook', '1-1-a.begun-1.hook', false, '1-1-a'],
    ['1-1-a.begun-1.hook', '1-1-a.begun-2.hook', false, '1-1-a'],
    ['1-1-a.begun-2.hook', '1-1-a.begun-2.hook', true, '1-1-a'],
    ['1700000000000-i.json', '1700000000000-i.begun-1.json', false, 'i'],
    ['1700000000000-i.begun-1.json', '1700000000000-i.begun-2.json', false, 'i'],
    ['1700000000000-i.begun-2.json', '1700000000000-i.begun-2.json', true, 'i'],
  ])('MWN-3 FWD-6 %s is %s while it is worked on, its beginning alone: %s', async (name, during, isCut, deliveryId) => {
    const payload = large('s', '[]', MiB);
    const event = `${payload.slice(0, -1)},"_meta":{"delivery_id":"i"}}\n`;
    put(name, name.endsWith('.hook') ? handOver(payload) : event);
    const seen: string[][] = [];
    const { start, taken } = collecting(() => void seen.push(names()));
    start();
    await until(() => names().length === 0);
    expect([seen, '(cut)' in (taken[0]?.raw ?? {}), id(taken[0])]).toEqual([[[during]], isCut, deliveryId]);
  });

  test('FWD-6 a store that refuses is not its fault: it gets its name back, and goes in whole', async () => {
    put('1-1-a.begun-1.hook', handOver(large('s', '[]', MiB)));
    let asked = 0;
    const { start, taken } = collecting(() => {
      if (++asked <= 4) throw new Error('refused');
    });
    start();
    await until(() => asked > 1);
    await until(() => names().length === 0);
    expect([taken.length, '(cut)' in (taken[0]?.raw ?? {})]).toEqual([1, false]);
  });

  test('FWD-11 a small one keeps its name: that costs nothing', async () => {
    put('1-1-a.hook', handOver(`{${fields('a')}}`));
    const seen: string[][] = [];
    collecting(() => void seen.push(names())).start();
    await until(() => names().length === 0);
    expect(seen).toEqual([['1-1-a.hook']]);
  });
});

describe('FWD-6 SEC-4 what the log says', () => {
  test.runIf(process.platform !== 'win32')(
    'SEC-4 a name that a terminal would obey is shown as what it is',
    async () => {
      const odd = '\u001b[31m\n\u0007\u202eexe\u2028\u009b';
      put(`${odd}1.json`, 'x');
      put(`${odd}2.hook`, 'x\0\n');
      put(`${odd}.json`, `{"a":[${filled('[]', 5 * MiB)}]}`);
      mkdirSync(path.join(folder, `${odd}4.json`));
      const { start, log, told } = collecting();
      start();
      await until(() => told.length > 0 && names().length === 1);
      await watching?.close();
      expect(log.lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(log.lines.some((line) => line.includes(String.raw`"\u001b[31m\n\u0007\u{202e}exe\u{2028}\u{9b}`))).toBe(
        true,
      );
    },
  );

  test.runIf(process.platform !== 'win32')('FWD-6 many troubles of one kind do not silence the others', async () => {
    for (let n = 0; n < 60; n++) mkdirSync(path.join(folder, `${n}-odd.json`));
    const { start, log } = collecting();
    start();
    await until(() => log.lines.some((line) => line.includes('60 of this kind by now')));
    put('bad.json', 'x');
    chmodSync(folder, 0o755);
    await until(() => log.lines.length === 4);
    expect(log.lines.map((line) => /left alone|was removed|private again/.exec(line)?.[0]).toSorted()).toEqual([
      'left alone',
      'left alone',
      'private again',
      'was removed',
    ]);
  });

  test('FWD-6 what was dropped is counted, whatever else is called like a count', async () => {
    const count = (n: number) => `dropped.00000000-0000-4000-8000-00000000000${n}.taken`;
    mkdirSync(path.join(folder, count(1)));
    put(count(2), '3\n');
    put('dropped.count', '4\n');
    const { start, told, log } = collecting();
    start();
    await until(() => told.length > 0 && !existsSync(path.join(folder, 'dropped.count')));
    put('dropped.count', '5\n');
    await until(() => !existsSync(path.join(folder, 'dropped.count')));
    await watching?.close();
    expect([told, (await spoolStanding(homeAt(home))).dropped, names()]).toEqual([[7], 12, [count(1)]]);
    expect(log.lines.filter((line) => line.includes('could not be counted'))).toHaveLength(1);
    expect(JSON.parse(readFileSync(homeAt(home).dropped, 'utf8'))).toMatchObject({ total: 12 });
  });
});

describe('FWD-6 the beginning of a payload', () => {
  const cut = { '(cut)': '[agent-mascot: all else of 9 bytes cut]' };
  test.each<[string, object | undefined]>([
    ['{"session_id":"s","tool_response":[{"session_id":"inner"},', { session_id: 's', ...cut }],
    [' { "a" : {"x":"}\\"]"} , "sessionId" : "\\u0073" , "b', { sessionId: 's', ...cut }],
    ['{"content":"\\",\\"session_id\\":\\"no\\"","session_id":"s"}', { session_id: 's', ...cut }],
    ['{"session_id":"s","__proto__":"x","other":"y"}', { session_id: 's', ...cut }],
    ['{"session_id":"never ends', undefined],
    ['{"session_id":7}', undefined],
    ['{"a":[{"session_id":"inner"}]}', undefined],
    ['["session_id","s"]', undefined],
    ['}{"session_id":"s"}', undefined],
    ['', undefined],
    ['{', undefined],
    ['{"session_id"', undefined],
    ['{"a":]"session_id":"s"}', undefined],
  ])('FWD-6 %s', (text, expected) => {
    expect(eventAtStart(text, 9)).toEqual(expected);
  });
});
