import { expect, test } from 'vitest';
import { openIn, temporaryFolder } from '../node/store/store.testkit.ts';
import { openObservedTime } from './observedTime.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 5, 1);

test('STO-5 the next owner continues observed time after a crash, from the journal and from an image', async () => {
  await using folder = await temporaryFolder();
  const clock = fakeClock(start);
  for (let owner = 1; owner <= 6; owner++) {
    // The owner before was killed: its store was never closed.
    const { store } = await openIn(folder.path, { generation: owner });
    const time = openObservedTime({ store, clock, log: logLines() });
    // Each crash loses the uptime since the last look.
    expect(time.uptime() / HOUR).toBeGreaterThanOrEqual((owner - 1) * 4.8);
    // Like an editor that is quit every evening.
    for (let hours = 0; hours < 5; hours++) clock.advance(HOUR);
    await store.shelf('any').put([{ key: 'after', value: owner }]);
    time.dispose();
    if (owner % 2 === 0) await store.checkpoint();
    clock.sleep(10 * DAY);
  }
  const { store } = await openIn(folder.path, { generation: 7 });
  const time = openObservedTime({ store, clock, log: logLines() });
  // A jump counts after a day of uptime: of the six jumps, only the first.
  expect(Math.round((time.now() - start) / DAY)).toBe(11);
});

test('STO-5 does not count sleep as uptime', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  const clock = fakeClock(start);
  const time = openObservedTime({ store, clock, log: logLines() });
  clock.advance(HOUR);
  clock.sleep(3 * DAY);
  clock.advance(HOUR);
  expect(time.uptime()).toBeLessThan(3 * HOUR);
});

test('STO-5 erasing a session removes its late arrival', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  const time = openObservedTime({ store, clock: fakeClock(start), log: logLines() });
  await time.arriving([
    { session_id: 'late', ts: '2020-01-01T00:00:00.000Z' },
    { session_id: 'now', ts: new Date(start).toISOString() },
  ]);
  expect([time.arrivedLate('late'), time.arrivedLate('now')]).toEqual([start, undefined]);
  await store.erase({ sessions: ['late'] });
  expect(time.arrivedLate('late')).toBeUndefined();
});
