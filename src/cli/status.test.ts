import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeCollector, type FakeCollector } from './fakeCollector.testkit.ts';

let there: FakeCollector;
beforeEach(() => {
  there = fakeCollector();
});
afterEach(() => there.end());

const state = { revision: 7, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };

const older = [404, { ok: false, error: 'not found' }];
const serve = (answers: Readonly<Record<string, unknown>>) =>
  there.serve(({ path }) => answers[path] ?? (path.startsWith('/api/tracking') ? older : undefined));
const mascot = (...args: readonly string[]) => there.scene().run(...args);

test('HKI-9 STO-3 status says that nothing is stored, why, and how many events wait', async () => {
  const storing = { ok: false, code: 'ENOSPC', folder: '/store', since: '2026-01-01T00:00:00.000Z', refused: 4 };
  const spool = { waiting: 12, bytes: 3, dropped: 0 };
  await serve({ '/api/state': state, '/api/storing': { storing, spool } });
  const ran = await mascot('status');
  expect([ran.code, ran.out.split('\n').slice(-2)]).toEqual([
    0,
    [
      'Storing    NO, since 2026-01-01T00:00:00.000Z',
      '           The disk of /store is full (ENOSPC): make room. Nothing is stored until then; 12 events wait in the spool and are taken in then',
    ],
  ]);
  expect(JSON.parse((await mascot('status', '--json')).out)).toEqual({ ...state, storing, spool });
});

test.each([
  ['all is well', { storing: { ok: true }, spool: { waiting: 0, bytes: 0, dropped: 0 } }],
  ['the collector is older', 'no such route'],
])('HKI-9 status says nothing about storing when %s', async (_name, answer) => {
  await serve({ '/api/state': state, '/api/storing': answer });
  const ran = await mascot('status');
  expect([ran.code, ran.out.includes('Agents'), ran.out.includes('Storing')]).toEqual([0, true, false]);
});

test('HKI-9 COL-6 sessions are read on where a page is short though others follow', async () => {
  await serve({
    '/api/sessions?limit=3': { items: [{ id: 'newest' }], next: 'a/1' },
    '/api/sessions?limit=2&cursor=a%2F1': { items: [], next: 'b' },
    '/api/sessions?limit=2&cursor=b': { items: [{ id: 'older' }, { id: 'oldest' }], next: 'c' },
  });
  const { code, out } = await mascot('sessions', '--limit', '3', '--json');
  const answer = { items: [{ id: 'newest' }, { id: 'older' }, { id: 'oldest' }], next: 'c' };
  expect([code, JSON.parse(out)]).toEqual([0, answer]);
});

test('HKI-9 MWN-3 status of a collector that hangs ends after three seconds and says what to do', async () => {
  const port = await serve({});
  const since = performance.now();
  const { code, complaints } = await mascot('status');
  expect(performance.now() - since).toBeLessThan(4_500);
  expect([code, complaints]).toEqual([
    1,
    `mascot: process ${process.pid} (An [31m Editor) does not answer at http://127.0.0.1:${port}: if it hangs, another window takes over within ten seconds; else reload or end it`,
  ]);
});
