import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { type Pipeline, PipelineFullError } from '../../app/ports.ts';
import type { HookEnvelope } from '../../protocol/hook.ts';
import { nodeSpoolDisk } from './spoolDisk.ts';
import { type SpoolWatch, watchSpool } from './spool.ts';

let folder = '';
let watching: SpoolWatch | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-spool-'));
});
afterEach(async () => {
  await watching?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function drop(name: string, content: unknown): void {
  const draft = path.join(folder, `.${name}.tmp`);
  writeFileSync(draft, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  renameSync(draft, path.join(folder, name));
}
const hook = (prompt: string) => ({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt });

function collecting(fail?: () => Error | undefined) {
  const taken: string[] = [];
  let wake: () => void = () => undefined;
  const pipeline: Pick<Pipeline, 'ingest'> = {
    ingest: ({ raw }) => {
      const error = fail?.();
      if (error) return Promise.reject(error);
      taken.push(String(raw['prompt']));
      wake();
      return Promise.resolve({ id: 'x', duplicate: false });
    },
  };
  return {
    pipeline,
    taken,
    async until(count: number) {
      while (taken.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
const isEmpty = async () => {
  while (readdirSync(folder).some((name) => name.endsWith('.json')))
    await new Promise((resolve) => setImmediate(resolve));
};

test('FWD-6 what waits is taken in on start, oldest first, and removed', async () => {
  for (let i = 0; i < 250; i++) drop(`${String(1000 + i)}-x.json`, hook(`p${i}`));
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(250);
  expect(taken).toEqual(Array.from({ length: 250 }, (_, i) => `p${i}`));
  await isEmpty();
});

test('FWD-6 what comes later is seen by watching; a file still being written is left alone', async () => {
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  writeFileSync(path.join(folder, '.half.json.tmp'), '{"hook_event');
  drop('1-a.json', hook('late'));
  await until(1);
  await isEmpty();
  expect(taken).toEqual(['late']);
  expect(existsSync(path.join(folder, '.half.json.tmp'))).toBe(true);
});

test('FWD-6 an event whose payload does not name it is taken in by its shape, or by what the forwarder was told', async () => {
  drop('1-shape.json', { sessionId: 's', timestamp: 1, cwd: '/p', prompt: 'by shape' });
  drop('2-told.json', { session_id: 's', prompt: 'told', _meta: { provider: 'claude', event: 'UserPromptSubmit' } });
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(2);
  await isEmpty();
  expect(taken).toEqual(['by shape', 'told']);
});

test('FWD-6 what can never be understood is removed and told, and does not stop the rest', async () => {
  drop('1-a.json', '{"cut');
  drop('2-b.json', ['an array']);
  drop('3-c.json', hook('good'));
  const log = logLines();
  const { pipeline, until } = collecting();
  watching = watchSpool(folder, pipeline, log);
  await until(1);
  await isEmpty();
  await watching.close();
  expect(log.lines.filter((line) => line.includes('could not be understood'))).toHaveLength(2);
});

test.each([new Error('ENOSPC'), new PipelineFullError('full')])(
  'FWD-6 what can’t be stored now (%s) stays for later',
  async (error) => {
    drop('1-a.json', hook('kept'));
    let broken = true;
    const { pipeline, taken, until } = collecting(() => (broken ? error : undefined));
    watching = watchSpool(folder, pipeline, logLines());
    await watching.close();
    expect(readdirSync(folder)).toEqual(['1-a.json']);
    broken = false;
    watching = watchSpool(folder, pipeline, logLines());
    await until(1);
    expect(taken).toEqual(['kept']);
  },
);

test('FWD-6 what can’t be read keeps nobody waiting: folders, pipes, links', async () => {
  for (let i = 0; i < 120; i++) mkdirSync(path.join(folder, `0${String(i).padStart(3, '0')}-folder.json`));
  if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(folder, '0-pipe.json')]);
  symlinkSync('/etc/hostname', path.join(folder, '0-link.json'));
  drop('9-good.json', hook('good'));
  const log = logLines();
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, log);
  await until(1);
  expect(taken).toEqual(['good']);
  await watching.close();
  expect(new Set(log.lines).size).toBe(log.lines.length);
});

test('MSK-1 a killed writer’s draft does not stay: a whole one is taken in, a torn one removed', async () => {
  const old = new Date(Date.now() - 120_000);
  for (const [name, text] of [
    ['.1-whole.json.tmp', `${JSON.stringify(hook('whole'))}\n`],
    ['.2-torn.json.tmp', '{"hook_event_name":"Stop","prompt":"secr'],
    ['.3-fresh.json.tmp', '{"hook'],
  ] as const) {
    writeFileSync(path.join(folder, name), text);
    if (!name.includes('fresh')) utimesSync(path.join(folder, name), old, old);
  }
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(1);
  await isEmpty();
  expect([taken, readdirSync(folder)]).toEqual([['whole'], ['.3-fresh.json.tmp']]);
});

const record = (text: string, head = `host=${hostname()}`) =>
  `agent-mascot-hook/1\0provider=claude\0event=UserPromptSubmit\0${head}\0\0${JSON.stringify(hook(text))}\0\n`;
/** Above what the system gives: a writer that is gone. */
const GONE = 2 ** 22 + 1;
const entries = () => readdirSync(folder).toSorted();
const age = (name: string, ms: number) => {
  const then = new Date(Date.now() - ms);
  utimesSync(path.join(folder, name), then, then);
};
const put = (name: string, text: string, ms = 0) => {
  writeFileSync(path.join(folder, name), text);
  if (ms > 0) age(name, ms);
};

test('FWD-6 hand-overs and events are taken in by the moment of each', async () => {
  const at = Date.now() - 10_000;
  put('9-1-z.hook', record('first'), 9_000);
  drop(`${at + 2_000}-b.json`, hook('second'));
  put('8-1-y.hook', record('third'), 7_000);
  drop(`${at + 4_000}-a.json`, hook('fourth'));
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(4);
  expect(taken).toEqual(['first', 'second', 'third', 'fourth']);
});

test('FWD-11 a hand-over says who told it, since when, and by which id; the same however often it is taken in', async () => {
  put('8-1-y.hook', record('x'));
  const { birthtimeMs, mtimeMs } = statSync(path.join(folder, '8-1-y.hook'));
  const made = Math.min(birthtimeMs, mtimeMs);
  const seen: HookEnvelope[] = [];
  let broken = true;
  const pipeline: Pick<Pipeline, 'ingest'> = {
    ingest: (envelope) => {
      seen.push(envelope);
      return broken ? Promise.reject(new Error('ENOSPC')) : Promise.resolve({ id: 'x', duplicate: false });
    },
  };
  watching = watchSpool(folder, pipeline, logLines());
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await watching.close();
  broken = false;
  watching = watchSpool(folder, pipeline, logLines());
  while (entries().length > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toHaveLength(2);
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]?.meta).toMatchObject({
    provider: 'claude',
    event: 'UserPromptSubmit',
    host: hostname(),
    delivery_id: `8-1-y@${Math.trunc(made)}`,
    collected_at: new Date(made).toISOString(),
  });
});

test('MSK-1 what was cut off does not stay: taken in when its payload is whole, removed when not; nothing else is touched', async () => {
  const whole = record('whole').slice(0, -2);
  const old = 120_000;
  put(`${GONE}-1-whole.hook`, whole, 1_500);
  put(`${GONE}-1-torn.hook`, record('torn').slice(0, -20), 1_500);
  put(`.${GONE}-1-held.hook`, record('held'), 1_500);
  put(`${GONE}-1-elsewhere.hook`, record('no', 'host=elsewhere').slice(0, -20), 1_500);
  put(`${GONE}-1-headless.hook`, record('no').slice(0, 40), 1_500);
  put(`${GONE}-1-fresh.hook`, record('no').slice(0, -20));
  put(`${process.pid}-1-alive.hook`, record('no').slice(0, -20), 1_500);
  put(`.${process.pid}-1-held.hook`, record('no'), 1_500);
  put(`${process.pid}-1-old.hook`, record('old').slice(0, -2), old);
  put(`${process.pid}-1-oldTorn.hook`, record('no').slice(0, 40), old);
  put(`.${process.pid}-1-oldHeld.hook`, record('old, held'), old);
  put('1-1-foreign.hook', 'not ours\0\n');
  const log = logLines();
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, log);
  await until(4);
  await watching.close();
  expect(taken.toSorted()).toEqual(['held', 'old', 'old, held', 'whole']);
  expect(entries()).toEqual(
    [
      `${GONE}-1-elsewhere.hook`,
      `${GONE}-1-headless.hook`,
      `${GONE}-1-fresh.hook`,
      `${process.pid}-1-alive.hook`,
      `.${process.pid}-1-held.hook`,
    ].toSorted(),
  );
  const removed = log.lines.filter((line) => line.includes('was removed'));
  expect([removed.length, removed.at(-1)?.endsWith('(3 of this kind by now.)')]).toEqual([2, true]);
});

test('FWD-6 a hand-over that is larger than any is removed unread', async () => {
  put('1-1-big.hook', '');
  truncateSync(path.join(folder, '1-1-big.hook'), 65 * 1024 * 1024);
  const { pipeline, taken } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  while (entries().length > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toEqual([]);
});

test('HKI-5 the time is noted of those that came while we watched, and were no duplicates', async () => {
  put('1-1-before.hook', record('before'), 5_000);
  const noted: number[] = [];
  const { pipeline, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines(), { times: { note: (ms) => void noted.push(ms) } });
  await until(1);
  put('2-1-after.hook', record('after'));
  await until(2);
  while (entries().length > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(noted.map((ms) => ms >= 0 && ms < 5_000)).toEqual([true]);
});

test('FWD-11 a folder that was removed and made again is watched like the first', async () => {
  const { pipeline, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  put('1-1-first.hook', record('first'));
  await until(1);
  for (let n = 1; n <= 3; n++) {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    put(`${n}-1-swept.hook`, record(`swept ${n}`));
    await until(2 * n);
    // The sweep has been; the next one is far, so that only watching can be this quick.
    const since = performance.now();
    put(`${n}-1-watched.hook`, record(`watched ${n}`));
    await until(2 * n + 1);
    expect(performance.now() - since).toBeLessThan(1_000);
  }
});

test('CNV-5 a file that was there when its session was erased is removed without being taken in', async () => {
  const { pipeline, taken, until } = collecting();
  drop('1-gone.json', hook('gone'));
  drop('2-kept.json', hook('kept'));
  drop('3-gone.begun-1.json', hook('gone'));
  const isWaiting = (name: string) => name.endsWith('-gone.json');
  watching = watchSpool(folder, pipeline, logLines(), { erased: { count: () => 1, isWaiting } });
  await until(1);
  await isEmpty();
  expect(taken).toEqual(['kept']);
});

test('CNV-5 passes on the number of erasures from before a file was read', async () => {
  let count = 4;
  const asOf: (number | undefined)[] = [];
  const pipeline: Pick<Pipeline, 'ingest'> = {
    ingest: (_hook, _isLive, of) => {
      asOf.push(of);
      return Promise.resolve({ id: 'x', duplicate: false });
    },
  };
  const disk = { ...nodeSpoolDisk, read: (file: string, max: number) => (count++, nodeSpoolDisk.read(file, max)) };
  drop('1-a.json', hook('a'));
  watching = watchSpool(folder, pipeline, logLines(), { disk, erased: { count: () => count, isWaiting: () => false } });
  await isEmpty();
  expect([asOf, count > 4]).toEqual([[4], true]);
});
