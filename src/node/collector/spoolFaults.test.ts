import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPipeline } from '../../app/pipeline.ts';
import { fakeClock, keepsAll, logLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { homeAt } from '../machine/home.ts';
import { type SpoolWatch, watchSpool } from './spool.ts';
import { faultySpoolDisk, type SpoolFault } from './spoolDisk.testkit.ts';
import { createDropLedger, spoolStanding } from './spoolDropped.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';

let dir = '';
let watching: SpoolWatch | undefined;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'mascot-spool-faults-'));
});
afterEach(async () => {
  await watching?.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** Everything at a fortieth of its time or less: what is waited for is the same. */
const pace = { sweepMs: 3, pendingMs: 3, fullRestMs: 2, firstRestMs: 2, longestRestMs: 6, firstAsideMs: 2 };

const prompts = ['event 1', 'event 2', 'hand-over 1', 'hand-over 2', 'draft'];

function fill(home: string): string {
  const spool = path.join(home, 'spool');
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  const put = (name: string, text: string) => writeFileSync(path.join(spool, name), text, { mode: 0o600 });
  const hook = (prompt: string) => ({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt });
  const event = (prompt: string, id: string) =>
    `${JSON.stringify({ ...hook(prompt), _meta: { delivery_id: id, collected_at: new Date().toISOString() } })}\n`;
  const handOver = (prompt: string) =>
    `agent-mascot-hook/1\0provider=claude\0event=UserPromptSubmit\0host=${hostname()}\0\0${JSON.stringify(hook(prompt))}\0\n`;
  put('1700000000000-a.json', event('event 1', 'a'));
  put('1700000000001-b.json', event('event 2', 'b'));
  put('1-1-x.hook', handOver('hand-over 1'));
  put('2-1-y.hook', handOver('hand-over 2'));
  put('3-torn.json', '{"cut');
  put('.1700000000002-c.json.tmp', event('draft', 'c'));
  put('dropped.count', '5\n-2\n');
  const old = new Date(Date.now() - 120_000);
  utimesSync(path.join(spool, '.1700000000002-c.json.tmp'), old, old);
  return spool;
}

function collector(home: string) {
  const spool = path.join(home, 'spool');
  const early: string[] = [];
  const store = memoryStore();
  const stored = () =>
    store.records().map(({ event }) => String(wordsOf(event.payload)['prompt'] ?? wordsOf(event.payload)['text']));
  const disk = faultySpoolDisk((file) => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const prompt = prompts.find((each) => text.includes(`"${each}"`));
    if (prompt !== undefined && !stored().includes(prompt)) early.push(file);
  });
  const hub = { commit: () => undefined, remake: () => undefined, state: () => undefined };
  const projects = { locate: (place: string) => Promise.resolve({ path: place }) };
  const log = logLines();
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, clock: fakeClock(Date.now()), log });
  const ingested: string[] = [];
  const counting: typeof pipeline = {
    ...pipeline,
    ingest(hook) {
      ingested.push(String(hook.raw['prompt']));
      return pipeline.ingest(hook);
    },
  };
  const told: number[] = [];
  const totalFile = homeAt(home).dropped;
  const dropped = createDropLedger({ spool, totalFile, log, disk, tell: (count) => void told.push(count) });
  const start = () => watchSpool(spool, counting, log, { disk, pace, dropped });
  const left = () => readdirSync(spool).filter((name) => name !== 'fresh');
  return { spool, disk, store, stored, ingested, early, told, log, start, left };
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** How many calls a take-in without a fault makes. */
async function callsOfOne(): Promise<number> {
  const home = path.join(dir, 'rehearsal');
  fill(home);
  const { disk, start, left } = collector(home);
  watching = start();
  await until(() => left().length === 0);
  await watching.close();
  return disk.calls.length;
}

async function oneFault(home: string, fault: SpoolFault): Promise<void> {
  fill(home);
  const { spool, disk, stored, early, told, start, left } = collector(home);
  disk.arm(fault);
  watching = start();
  await until(() => disk.failed() > 0);
  disk.arm(undefined);
  await until(() => left().length === 0);
  const after = [...prompts, 'later'];
  writeFileSync(
    path.join(spool, '1800000000000-z.json'),
    JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'later' }),
  );
  await until(() => left().length === 0);
  await watching.close();
  const { dropped } = await spoolStanding(homeAt(home));
  const where = `${fault.code} ${fault.lasting} at ${fault.nth} (${disk.calls[fault.nth - 1] ?? ''})`;
  expect({ where, stored: stored().toSorted(), early, told, dropped }).toEqual({
    where,
    stored: after.toSorted(),
    early: [],
    told: [3],
    dropped: 3,
  });
}

describe('STO-3 FWD-6 every call of a take-in to the disk fails', () => {
  test.each([
    ['ENOSPC', 'once'],
    ['EIO', 'once'],
    ['EACCES', 'once'],
    ['EBUSY', 'once'],
    ['EIO', 'onward'],
  ] as const)(
    'STO-3 FWD-6 %s %s: each event is stored once, nothing goes before that, what was dropped is told once',
    async (code, lasting) => {
      const calls = await callsOfOne();
      expect(calls).toBeGreaterThan(20);
      for (let nth = 1; nth <= calls; nth++) {
        await oneFault(path.join(dir, `home-${nth}`), { nth, code, lasting });
      }
    },
  );

  test('STO-3 FWD-6 a file that stays although it was taken in is taken in once, keeps nobody waiting and is told of once', async () => {
    const home = path.join(dir, 'home');
    fill(home);
    const { disk, stored, ingested, log, start, spool } = collector(home);
    disk.arm({ nth: 1, operation: 'unlink', code: 'EACCES', lasting: 'onward' });
    watching = start();
    await until(() => stored().length === prompts.length && disk.failed() > 20);
    writeFileSync(
      path.join(spool, '1800000000000-z.json'),
      JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'later' }),
    );
    await until(() => stored().includes('later'));
    expect(log.lines.filter((line) => line.includes('EACCES') && line.includes('removed'))).toHaveLength(1);
    disk.arm(undefined);
    await until(() => readdirSync(spool).length === 0);
    expect(stored().toSorted()).toEqual([...prompts, 'later'].toSorted());
    // Not even asked again: that would be work for nothing, as often as the folder is looked through.
    expect(ingested.toSorted()).toEqual([...prompts, 'later'].toSorted());
  });
});

describe('STO-3 FWD-6 the store fails', () => {
  test('STO-3 FWD-6 a store that refuses: nothing is removed, it is asked ever more seldom, and then all go in once', async () => {
    const home = path.join(dir, 'home');
    fill(home);
    const { store, stored, early, log, spool, start } = collector(home);
    let appends = 0;
    const append = store.append.bind(store);
    store.append = (records) => {
      appends++;
      return append(records);
    };
    store.failAppendsWith(new Error('ENOSPC'));
    watching = start();
    await until(() => appends > 12);
    const waiting = readdirSync(spool).filter((name) => name.endsWith('.json') || name.endsWith('.hook'));
    expect([waiting.length, stored()]).toEqual([5, []]);
    store.failAppendsWith(undefined);
    await until(() => readdirSync(spool).length === 0);
    expect([stored().toSorted(), early]).toEqual([prompts.toSorted(), []]);
    expect(log.lines.filter((line) => line.includes('Spooled events wait'))).toHaveLength(1);
  });
});
