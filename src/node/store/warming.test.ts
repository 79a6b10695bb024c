import { expect, test, vi } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { watchTurns } from '../turns.testkit.ts';
import { loadSqlite, openDatabase } from './database.ts';
import { record, wasm } from './store.testkit.ts';
import { warmLater, warmUp } from './warming.ts';

function saying(number: number): EventRecord {
  return record(number, { type: 'user_prompt', session: `s${number % 5}`, payload: { prompt: `hay ${number}` } });
}

test('CNV-3 once it is warm a first search waits for nothing, and everybody had a turn after each few rows', async () => {
  const sqlite = await loadSqlite(await wasm);
  const made = openDatabase(sqlite, undefined);
  made.insert(Array.from({ length: 3_000 }, (_, number) => saying(number)));
  const bytes = made.exportImage(new Map());
  made.close();
  const needle = { text: 'needle' };
  const cold = openDatabase(sqlite, { bytes, verified: true });
  expect(cold.search(needle, undefined, 5).lookedTo).toBeDefined();
  cold.close();

  const database = openDatabase(sqlite, { bytes, verified: true });
  let steps = 0;
  const turns = watchTurns(() => steps);
  await warmUp(() => {
    steps++;
    return database.warmSearch();
  }, new AbortController().signal);
  const { most, longest } = turns.stop();
  // A step takes less than a tenth of a yardstick; a collection of the full heap that all tests share takes five.
  expect([steps, most, longest < 8]).toEqual([61, 1, true]);
  expect(database.search(needle, undefined, 5)).toEqual({ events: [], lookedTo: undefined });
  expect(database.search({ text: 'hay 2999' }, undefined, 5).events.length).toBe(1);
  database.close();
});

test('CNV-3 warming begins some seconds after the start, and ends with its store', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let steps = 0;
    const step = () => ++steps > 0;
    const log = logLines();
    warmLater(step, log).stop();
    const warming = warmLater(step, log);
    vi.advanceTimersByTime(4_000);
    expect(steps).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(steps).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    warming.stop();
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = steps;
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps).toBe(stopped);
  } finally {
    vi.useRealTimers();
  }
});
