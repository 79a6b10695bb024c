import { expect, test } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
import { loadSqlite, openDatabase } from './database.ts';
import { openIn, record, temporaryFolder, wasm } from './store.testkit.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';

const at = '2027-01-01T00:00:00.000Z';
const one = (number: number, session: string, text = 'x') => record(number, { session, text, type: 'user_prompt' });

function telling(number: number, told: readonly string[]): EventRecord {
  return record(number, { session: 'later', type: 'context_loaded', payload: { text: 'words', told: [...told] } });
}

async function filled(records: readonly EventRecord[]) {
  const database = openDatabase(await loadSqlite(await wasm), undefined);
  database.insert(records);
  const erase = (sessions: readonly string[] | 'all') => {
    const left: number[] = [];
    const work = database.erase({ sessions });
    for (;;) {
      const step = work.next();
      if (step.done) return { erased: step.value, left };
      left.push(database.eventCount());
    }
  };
  return { database, erase };
}

const many = Array.from({ length: 700 }, (_, index) => one(index, 'long'));
const large = Array.from({ length: 6 }, (_, index) => one(index + 1_000, 'long', 'x'.repeat(600_000)));

test.each<[string, readonly string[] | 'all']>([
  ['a session', ['long']],
  ['everything', 'all'],
])('CNV-4 %s goes in slices of so many events, and of so many bytes', async (_name, sessions) => {
  const { database, erase } = await filled([...many, ...large]);
  const { erased, left } = erase(sessions);
  expect(erased.events).toBe(706);
  const steps = left.map((count, index) => (index === 0 ? 706 : (left[index - 1] ?? 0)) - count);
  expect(Math.max(...steps)).toBe(250);
  expect(steps.filter((step) => step === 2).length).toBeGreaterThanOrEqual(2);
  const used = database.space().used;
  expect([database.eventCount(), database.events('long'), database.counts().interactions, used]).toEqual([0, [], 0, 0]);
  database.close();
});

test.each<readonly string[] | 'all'>([['long'], 'all'])(
  'CNV-4 a row that is saved while %j goes does not stay',
  async (sessions) => {
    const { database } = await filled([...many, ...large]);
    const work = database.erase({ sessions });
    const save = () => database.saveSessions([{ id: 'long', lastEventAt: '2026-01-01', reducer: 1, json: '{}' }]);
    for (let step = work.next(); !step.done; step = work.next()) save();
    expect([database.session('long'), database.unreduced(), database.erased.had('long')]).toEqual([
      undefined,
      [],
      true,
    ]);
    database.close();
  },
);

test('CNV-4 MEM-3 what others were told of it goes, and no other event is looked at for that', async () => {
  const tells = [telling(2_001, ['gone', 'kept']), telling(2_002, ['kept'])];
  const { database, erase } = await filled([one(1, 'gone'), one(2, 'kept'), ...tells]);
  const told = () =>
    database.events('later').map(({ payload }) => [wordsOf(payload)['text'], wordsOf(payload)['told']]);
  erase(['gone']);
  expect(told()).toEqual([
    ['', ['kept']],
    ['words', ['kept']],
  ]);
  database.trim({ remove: [tells[0]!.event.id], strip: [], forget: [], rows: [] });
  expect(told()).toEqual([['words', ['kept']]]);
  erase(['kept']);
  expect([told(), database.eventCount()]).toEqual([[['', []]], 1]);
  database.close();
});

test('CNV-4 a trim that is read late brings no row of an erased session back', async () => {
  const { database, erase } = await filled([one(1, 'gone'), one(2, 'kept')]);
  const rowOf = (id: string, lastEventAt: string) => ({ id, lastEventAt, reducer: 1, json: '{"words":"GONE"}' });
  erase(['gone', 'new']);
  const rows = [rowOf('gone', at), rowOf('kept', '2026-01-01T00:00:02.000Z'), rowOf('new', '2027-01-01T00:00:00.001Z')];
  database.trim({ remove: [], strip: [], forget: [], rows }, true);
  expect(['gone', 'kept', 'new'].map((id) => database.session(id)?.id)).toEqual([undefined, 'kept', undefined]);
  database.close();
});

test('CNV-4 others have a turn while a long session goes, and find the rest untouched', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  await store.append([...many, one(5_000, 'other')]);
  const seen: number[] = [];
  let erasing = true;
  const look = () => {
    seen.push(store.eventCount());
    if (erasing) setImmediate(look);
  };
  setImmediate(look);
  await store.erase({ sessions: ['long'] });
  erasing = false;
  expect(seen.filter((count) => count > 1 && count < 701)).not.toEqual([]);
  expect([store.events('long'), store.events('other').length, store.eventCount()]).toEqual([[], 1, 1]);
  await store.close();
});
