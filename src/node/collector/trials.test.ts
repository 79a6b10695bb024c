import { expect, test } from 'vitest';
import { readHook } from '../../domain/readHook.ts';
import type { HookEnvelope } from '../../protocol/hook.ts';
import { TRIAL_EVENT, TRIAL_FIELD } from '../../protocol/handOver.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { createHookTimes } from './hookTimes.ts';
import { createTrials, settingTrialsAside } from './trials.ts';

const now = Date.UTC(2026, 10, 18);

function hookOf(payload: Record<string, unknown>): HookEnvelope {
  const read = readHook(payload);
  if (!read.ok) throw new Error(read.error);
  return read.hook;
}

test('HKI-5 a trial goes no further, whatever its id; every other hook does', async () => {
  const taken: string[] = [];
  const noted: [string, number][] = [];
  const pipeline = settingTrialsAside(
    { ingest: (hook) => (taken.push(hook.name), Promise.resolve({ id: 'e', duplicate: false })) },
    { note: (id, ms) => void noted.push([id, ms]) },
    () => now,
  );
  const _meta = { collected_at: new Date(now - 7).toISOString() };
  const ids = ['a-1', 'x'.repeat(65), '', '../x', 7, undefined];
  for (const id of ids) await pipeline.ingest(hookOf({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: id, _meta }));
  await pipeline.ingest(hookOf({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: 'undated' }));
  expect(await pipeline.ingest(hookOf({ hook_event_name: 'Stop', [TRIAL_FIELD]: 'b' }))).toMatchObject({ id: 'e' });
  expect([noted, taken]).toEqual([
    [
      ['a-1', 7],
      ['undated', 0],
    ],
    ['Stop'],
  ]);
});

test('HKI-5 trials are forgotten, the oldest first, and none is told of twice', () => {
  const trials = createTrials();
  for (let n = 0; n <= 100; n++) trials.note(`t${n}`, n);
  trials.note('t100', 5);
  expect([trials.arrived('t0'), trials.arrived('t1'), trials.arrived('t100')]).toEqual([undefined, 1, 100]);
});

test('HKI-5 the figures are of the last 500', () => {
  const times = createHookTimes();
  expect(times.read()).toEqual({ count: 0, p50: null, p95: null });
  times.note(3);
  expect(times.read()).toEqual({ count: 1, p50: 3, p95: 3 });
  for (let n = 1; n <= 500; n++) times.note(n);
  expect(times.read()).toEqual({ count: 500, p50: 250, p95: 475 });
});

test('HKI-5 a posted trial is answered, found by its id, and stored nowhere', async () => {
  const { collector, post, get, store } = await collectorUnderTest();
  expect((await get('/api/hook-trials/a')).status).toBe(404);
  expect((await post({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: 'a', session_id: 's' })).json()).toEqual({
    ok: true,
    id: '',
  });
  expect((await get('/api/hook-trials/a')).json()).toEqual({ arrived: true, ms: 0 });
  expect((await get('/api/hook-times')).json()).toEqual({ count: 0, p50: null, p95: null });
  expect(store.eventCount()).toBe(0);
  await collector.close();
});
