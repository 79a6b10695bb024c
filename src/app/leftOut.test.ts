import { describe, expect, test } from 'vitest';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { Observation } from '../domain/observed.ts';
import { createHub } from './hub.ts';
import { createLeftOut, sweepNowAndThen } from './leftOut.ts';
import { createPipeline } from './pipeline.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

/** Repositories are the folders right below `/w`; `/link` leads to `/w`. */
function setUp() {
  const excluded = new Set<string>();
  const exclusions = {
    excludes: (folder: string) => [...excluded].some((root) => folder === root || folder.startsWith(`${root}/`)),
  };
  const store = memoryStore();
  const clock = fakeClock();
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const leftOut = createLeftOut({ exclusions, hub });
  const projects = {
    locate: (asked: string) => {
      const folder = asked.replace(/^\/link/, '/w');
      return Promise.resolve({ path: folder.split('/').slice(0, 3).join('/'), folder });
    },
  };
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, leftOut, clock, log });
  let hooks = 0;
  const hook = (fields: Record<string, unknown>, meta: Record<string, unknown> = {}) => {
    const named = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: `p${hooks++}` };
    return pipeline.ingest(hookEnvelopeSchema.parse({ ...named, ...fields, _meta: meta }));
  };
  const seen = (more: Partial<Observation> = {}) =>
    pipeline.record([
      {
        key: `k${hooks++}`,
        ts: new Date(clock.now()).toISOString(),
        provider: 'claude',
        sessionId: 's',
        agentId: 's/main',
        source: 'transcript',
        type: 'session_started',
        payload: { source: 'seen' },
        ...more,
      } as Observation,
    ]);
  const shown = () => hub.snapshot().sessions.map(({ id }) => id);
  const stored = () => store.events('s').length;
  return { excluded, store, hub, clock, log, leftOut, hook, seen, shown, stored };
}

describe('HKI-9 a hook of an excluded project is answered, and nothing of it is kept', () => {
  const table: readonly [string, string, Record<string, unknown>, Record<string, unknown>, boolean][] = [
    ['its folder', '/w/shop', { cwd: '/w/shop' }, {}, true],
    ['below its folder', '/w/shop', { cwd: '/w/shop/src/deep' }, {}, true],
    ['through a link', '/w/shop', { cwd: '/link/shop/src' }, {}, true],
    ['started there, and gone elsewhere', '/w/shop', { cwd: '/w/till' }, { project_dir: '/w/shop' }, true],
    ['started elsewhere, and gone there', '/w/shop', { cwd: '/w/shop' }, { project_dir: '/w/till' }, true],
    ['a part of a repository', '/w/shop/private', { cwd: '/w/shop/private/x' }, { project_dir: '/w/shop' }, true],
    ['beside that part', '/w/shop/private', { cwd: '/w/shop/public' }, { project_dir: '/w/shop' }, false],
    ['all below a folder', '/w', { cwd: '/w/till' }, {}, true],
    ['told by the sender alone', '/w/shop', {}, { cwd: '/w/shop' }, true],
    ['a like name', '/w/shop', { cwd: '/w/shop-two' }, {}, false],
    ['no folder', '/w/shop', {}, {}, false],
  ];
  test.each(table)('HKI-9 %s', async (_name, root, fields, meta, isExcluded) => {
    const { excluded, store, hook, shown, log } = setUp();
    excluded.add(root);
    const answer = await hook(fields, meta);
    expect([answer.id === '', answer.duplicate, answer.event === undefined]).toEqual([isExcluded, false, isExcluded]);
    expect([shown(), store.eventCount(), log.lines]).toEqual(isExcluded ? [[], 0, []] : [['s'], 1, []]);
  });
});

describe('HKI-9 its sessions come in by no back door', () => {
  test.each<[string, Partial<Observation>]>([
    ['found by its transcript', { folder: '/w/shop/src' }],
    ['found where it has left the project', { folder: '/w/till', wasIn: ['/w/till', '/w/shop'] }],
  ])('HKI-9 %s', async (_name, found) => {
    const { excluded, seen, shown, stored } = setUp();
    excluded.add('/w/shop');
    await seen(found);
    expect([shown(), stored()]).toEqual([[], 0]);
  });

  test('HKI-9 what does not say its folder is told by its session, also once that goes elsewhere', async () => {
    const { excluded, hook, seen, stored } = setUp();
    excluded.add('/w/shop');
    await hook({ cwd: '/w/shop' });
    await seen({ type: 'turn_ended', payload: { reason: 'completed' } });
    await hook({ cwd: '/w/till' });
    await hook({});
    expect(stored()).toBe(0);
    excluded.clear();
    await hook({});
    expect(stored()).toBe(1);
  });

  test('HKI-9 sessions that nobody can tell apart are not judged by one of them', async () => {
    const { excluded, hook, shown } = setUp();
    excluded.add('/w/shop');
    await hook({ cwd: '/w/shop', session_id: undefined });
    await hook({ cwd: '/w/till', session_id: undefined });
    expect(shown()).toEqual(['unknown:unknown']);
  });
});

describe('HKI-9 a session whose project is excluded while it runs', () => {
  test('HKI-9 is shown no more within a second, and stays in the history', async () => {
    const { excluded, hook, shown, stored, hub, leftOut, clock } = setUp();
    const sweeping = sweepNowAndThen(leftOut, clock);
    await hook({ cwd: '/w/shop' });
    await hook({ cwd: '/w/till', session_id: 'other' });
    excluded.add('/w/shop');
    clock.advance(1_000);
    expect([shown(), hub.sessionIds(), stored()]).toEqual([['other'], ['other'], 1]);
    sweeping.dispose();
  });

  test('HKI-9 does not come back by what its files tell without a folder', async () => {
    const { excluded, hook, seen, shown, stored, leftOut } = setUp();
    await hook({ cwd: '/w/shop' });
    excluded.add('/w/shop');
    leftOut.sweep();
    await seen({ type: 'turn_ended', payload: { reason: 'completed' } });
    expect([shown(), stored()]).toEqual([[], 1]);
  });

  test('HKI-9 goes with its next event, before anybody has looked', async () => {
    const { excluded, hook, shown, stored } = setUp();
    await hook({ cwd: '/w/shop' });
    excluded.add('/w/shop');
    await hook({ hook_event_name: 'Stop' });
    expect([shown(), stored()]).toEqual([[], 1]);
  });

  test('HKI-9 comes back as it was when its project is included again', async () => {
    const { excluded, hook, shown, stored } = setUp();
    await hook({ cwd: '/w/shop' });
    excluded.add('/w/shop');
    await hook({ cwd: '/w/shop' });
    excluded.clear();
    await hook({ cwd: '/w/shop' });
    expect([shown(), stored()]).toEqual([['s'], 2]);
  });

  test('HKI-9 one that only went to an excluded folder is out of sight until it comes back', async () => {
    const { excluded, hook, seen, shown } = setUp();
    const steps: (readonly string[])[] = [];
    excluded.add('/w/shop');
    for (const cwd of ['/w/till', '/w/shop', undefined, '/w/till']) {
      if (cwd === undefined) await seen();
      else await hook({ cwd }, { project_dir: '/w/till' });
      steps.push(shown());
    }
    expect(steps).toEqual([['s'], [], [], ['s']]);
  });

  test('HKI-9 one that names an excluded folder to a hook is out of sight until it no longer does', async () => {
    const { excluded, hook, shown, stored } = setUp();
    excluded.add('/w/shop');
    const steps: (readonly string[])[] = [];
    for (const project_dir of ['/w/till', '/w/shop', '/w/till']) {
      await hook({ cwd: '/w/till' }, { project_dir });
      steps.push(shown());
    }
    expect([steps, stored()]).toEqual([[['s'], [], ['s']], 2]);
  });
});

describe('GRD-4 an edit of a session in a guarded project is judged there, and nothing of it is kept', () => {
  test.each<readonly [string, object, Record<string, unknown>]>([
    ['its agent has gone to an excluded folder', { cwd: '/w/shop' }, { project_dir: '/w/till' }],
    ['its hook names an excluded project', { cwd: '/w/till' }, { project_dir: '/w/shop' }],
    ['both', { cwd: '/w/shop' }, { project_dir: '/w/shop' }],
    ['it has gone to an excluded part of its own', { cwd: '/w/till/private' }, {}],
  ])('GRD-4 HKI-9 where %s', async (_name, fields, meta) => {
    const { excluded, hook, stored } = setUp();
    await hook({ cwd: '/w/till' });
    for (const root of ['/w/shop', '/w/till/private']) excluded.add(root);
    const edit = { hook_event_name: 'PreToolUse', tool_name: 'Edit', ...fields };
    for (let time = 0; time < 2; time++) {
      const { id, event } = await hook(edit, { ...meta, guard: 'asks' });
      expect([id, event?.event_type, event?.project?.path]).toEqual(['', 'tool_started', '/w/till']);
    }
    expect([(await hook(edit, meta)).event, stored()]).toEqual([undefined, 1]);
  });

  test.each(['/w/shop', '/elsewhere'])(
    'GRD-4 Codex inherits CLAUDE_PROJECT_DIR (%s), and its session belongs to the folder at hand',
    async (project_dir) => {
      const { excluded, hook } = setUp();
      excluded.add('/w/shop');
      const edit = { hook_event_name: 'PreToolUse', tool_name: 'apply_patch', cwd: '/w/till' };
      const { event } = await hook(edit, { provider: 'codex', project_dir, guard: 'asks' });
      expect(event?.project?.path).toBe('/w/till');
    },
  );

  test('HKI-9 a question of an excluded project’s session is not judged', async () => {
    const { excluded, hook } = setUp();
    await hook({ cwd: '/w/shop' });
    excluded.add('/w/shop');
    const edit = { hook_event_name: 'PreToolUse', tool_name: 'Edit' };
    expect(await hook({ ...edit, cwd: '/w/till' }, { guard: 'asks' })).toEqual({ id: '', duplicate: false });
  });
});
