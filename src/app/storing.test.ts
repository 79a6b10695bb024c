import { expect, test } from 'vitest';
import { storingTrouble } from '../domain/storing.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { Storing } from '../protocol/reading.ts';
import { createPipeline } from './pipeline.ts';
import { ClaimLostError } from './ports.ts';
import { fakeClock, keepsAll, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

const failing = (code: string, path?: string) => Object.assign(new Error(`${code}: planted`), { code, path });

function setUp(folder?: string) {
  const store = memoryStore();
  const log = logLines();
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const hub = { commit: () => undefined, remake: () => undefined, state: () => undefined };
  const projects = { locate: (path: string) => Promise.resolve({ path }) };
  const kept = folder === undefined ? store : { ...store, folder };
  const pipeline = createPipeline({ ...keepsAll(), store: kept, hub, projects, clock, log });
  const told: Storing[] = [];
  pipeline.onStoring((storing) => told.push(storing));
  let count = 0;
  const send = async (error?: Error) => {
    store.failAppendsWith(error);
    const hook = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: `${count++}` };
    await pipeline.ingest(hookEnvelopeSchema.parse(hook)).catch(() => undefined);
    clock.advance(1_000);
  };
  return { pipeline, log, told, send };
}
const since = '2026-01-01T00:00:00.000Z';

test('STO-3 a disk that stays full is told once, with what to do, and once when it ends', async () => {
  const { pipeline, log, told, send } = setUp('/store');
  for (let n = 0; n < 26; n++) await send(failing('ENOSPC'));
  const full = { ok: false, code: 'ENOSPC', folder: '/store', since };
  expect([pipeline.storing(), told]).toEqual([{ ...full, refused: 26 }, [{ ...full, refused: 1 }]]);
  await send();
  await send();
  expect([pipeline.storing(), told.slice(1)]).toEqual([{ ok: true }, [{ ok: true }]]);
  expect(log.lines).toEqual([
    expect.stringMatching(/Nothing is stored: the disk of \/store is full\. Make room\. .+ \(Error: ENOSPC: planted\)/),
    expect.stringContaining('Events are stored again, after 26 refusal(s).'),
  ]);
});

test('STO-3 another reason is told for itself, and the trouble goes on', async () => {
  const { pipeline, log, told, send } = setUp();
  for (const code of ['ENOSPC', 'ENOSPC', 'EROFS', 'EROFS']) await send(failing(code, '/s/journal'));
  await send(new TypeError('odd'));
  expect(told.map(({ code, refused }) => [code, refused])).toEqual([
    ['ENOSPC', 1],
    ['EROFS', 3],
    ['TypeError', 5],
  ]);
  expect(pipeline.storing()).toEqual({ ok: false, code: 'TypeError', since, refused: 5 });
  expect(log.lines.map((line) => /stored: (.+?)\. /.exec(line)?.[1])).toEqual([
    'the disk of /s/journal is full',
    '/s/journal can’t be written',
    'writing to the store fails',
  ]);
});

test('STO-3 a disk that is full again is told again', async () => {
  const { told, log, send } = setUp('/store');
  for (const error of [failing('ENOSPC'), undefined, failing('ENOSPC'), undefined]) await send(error);
  expect([told.map(({ ok }) => ok), log.lines.length]).toEqual([[false, true, false, true], 4]);
});

test('MWN-2 a store that is another’s now, or closed, is no trouble of a disk', async () => {
  const { pipeline, told, log, send } = setUp('/store');
  await send(new ClaimLostError());
  await send(Object.assign(new Error('closed'), { name: 'StoreClosedError' }));
  expect([pipeline.storing(), told]).toEqual([{ ok: true }, []]);
  expect(log.lines.map((line) => line.includes('could not be stored'))).toEqual([true, true]);
});

test('STO-3 what a person can do about it', () => {
  expect(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EBUSY', 'constructor'].map(storingTrouble)).toEqual([
    'full',
    'full',
    'unwritable',
    'unwritable',
    'unwritable',
    'failed',
    'failed',
    'failed',
  ]);
});
