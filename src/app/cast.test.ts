import { describe, expect, test } from 'vitest';
import { anEvent } from '../domain/event.testkit.ts';
import { emptyCast } from '../domain/cast.ts';
import { rankOf } from '../domain/order.ts';
import { type CastFile, castFileSchema, MASCOT_NAME_MAX } from '../protocol/cast.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { openCast } from './cast.ts';
import { createHub, type Hub } from './hub.ts';
import { recasting } from './ownerRole.ts';
import { fakeClock, IDLE_MS, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

const START = Date.UTC(2026, 0, 1);
const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };

/** What one owner leaves is there for the next: `again` is a restart. */
async function stage(store = memoryStore(), kept: { file: CastFile } = { file: emptyCast }) {
  const clock = fakeClock(START);
  const log = logLines();
  let failing = false;
  const keeper = {
    read: () => Promise.resolve(kept.file),
    update(change: (present: CastFile) => CastFile) {
      if (failing) return Promise.reject(new Error('ENOSPC'));
      kept.file = castFileSchema.parse(JSON.parse(JSON.stringify(change(kept.file))));
      return Promise.resolve();
    },
  };
  const cast = await openCast({ keeper, clock, log, onChange: () => hub.recast() });
  const hub: Hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS, cast });
  const change = recasting(cast, hub);
  return {
    hub,
    clock,
    change,
    kept,
    log,
    failFromNowOn: () => void (failing = true),
    async play(...events: AgentEvent[]) {
      for (const event of events) {
        await store.append([{ event, keys: [event.id], rank: rankOf(event.event_type) }]);
        clock.advance(Math.max(0, Date.parse(event.ts) - clock.now()));
        hub.commit([event]);
      }
    },
    again: () => stage(store, kept),
    agent: (id: string) => {
      const found = hub.snapshot().agents.find((agent) => agent.id === id);
      if (!found) throw new Error(`no agent ${id}`);
      return found;
    },
  };
}

/** Everything that two mascots must have in common to be one to the person. */
const face = ({ name, avatarSeed, employmentType }: ReturnType<Awaited<ReturnType<typeof stage>>['agent']>) => ({
  name,
  avatarSeed,
  employmentType,
});

const started = (at: number, session: string, changes: Partial<AgentEvent> = {}) =>
  anEvent(
    at,
    'session_started',
    { source: 'startup', cwd: '/p' },
    {
      session_id: session,
      agent_id: `${session}/main`,
      id: `start-${session}-${at}`,
      project: { path: '/p' },
      ...changes,
    },
  );
const ended = (at: number, session: string) =>
  anEvent(
    at,
    'session_ended',
    { reason: 'exit' },
    {
      session_id: session,
      agent_id: `${session}/main`,
      id: `end-${session}-${at}`,
      project: { path: '/p' },
    },
  );

describe('AGT-1 what people make of a mascot', () => {
  test('AGT-1 a name that was given is shown with its own beside it, and goes when it is taken back', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    const own = agent('a/main').name;
    expect(await change('a/main', { name: '  Captain\n Haddock ' })).toBe('changed');
    expect(agent('a/main')).toMatchObject({ name: 'Captain Haddock', ownName: own, employmentType: 'contractor' });
    expect(await change('a/main', { name: ' ' })).toBe('changed');
    expect(agent('a/main').name).toBe(own);
    expect(agent('a/main').ownName).toBeUndefined();
  });

  test('AGT-1 a name turns no words around it and is no longer than its place', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { name: `\u202eevil\u2066${'😀'.repeat(60)}` });
    const { name } = agent('a/main');
    expect(name).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect([...name]).toHaveLength(MASCOT_NAME_MAX);
    expect(name.isWellFormed()).toBe(true);
  });

  test('AGT-1 names, pins and hiding outlive a restart, and every change reaches who listens', async () => {
    const first = await stage();
    await first.play(started(1, 'a'));
    await first.change('a/main', { name: 'Ada' });
    await first.change('a/main', { hidden: true });
    await first.change('a/main', { pinned: true });
    const before = first.agent('a/main');
    expect(before).toMatchObject({ name: 'Ada', hidden: true, employmentType: 'employee' });
    expect(before.pinnedAt).toBeDefined();
    const second = await first.again();
    expect(second.agent('a/main')).toEqual(before);
    await second.change('a/main', { hidden: false, pinned: false });
    expect(second.agent('a/main')).toMatchObject({ name: 'Ada', employmentType: 'contractor' });
    expect(second.agent('a/main').hidden).toBeUndefined();
  });

  test('AGT-1 an employee returns with its look and name when a new session of its project begins', async () => {
    const { play, change, agent, again } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, name: 'Ada' });
    const employee = face(agent('a/main'));
    await play(ended(5, 'a'), started(10, 'b'));
    expect(face(agent('b/main'))).toEqual(employee);
    // Another one beside it is another.
    await play(started(12, 'c'));
    expect(agent('c/main').name).not.toBe('Ada');
    const after = await again();
    expect([face(after.agent('b/main')), after.agent('c/main').name]).toEqual([employee, agent('c/main').name]);
  });

  test('AGT-1 nobody changes face while people look: who was there before the employee left stays itself', async () => {
    const { play, change, agent, again } = await stage();
    await play(started(1, 'a'), started(2, 'c'));
    await change('a/main', { pinned: true });
    const other = face(agent('c/main'));
    await play(ended(5, 'a'));
    await play(anEvent(6, 'user_prompt', { prompt: 'go' }, { id: 'p', session_id: 'c', agent_id: 'c/main' }));
    expect(face(agent('c/main'))).toEqual(other);
    expect(face((await again()).agent('c/main'))).toEqual(other);
  });

  test('AGT-1 an employee of another project, provider or kind does not come back as this one', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, name: 'Ada' });
    await play(
      ended(2, 'a'),
      started(3, 'x', { project: { path: '/elsewhere' } }),
      started(4, 'y', { provider: 'codex' }),
    );
    expect([agent('x/main').name, agent('y/main').name]).not.toContain('Ada');
  });

  test('AGT-1 unpinned it goes on as it looks and comes back no more', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, name: 'Ada' });
    await play(ended(2, 'a'), started(3, 'b'));
    const looks = agent('b/main');
    await change('b/main', { pinned: false });
    expect(agent('b/main')).toMatchObject({ name: 'Ada', avatarSeed: looks.avatarSeed, employmentType: 'contractor' });
    await play(ended(4, 'b'), started(5, 'c'));
    expect(agent('c/main').name).not.toBe('Ada');
  });

  test('AGT-1 after /clear the name goes on with the agent', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { name: 'Ada' });
    await play(
      ended(2, 'a'),
      started(3, 'b'),
      anEvent(
        4,
        'session_continued',
        { session: 'a', seed: 5, name: 'Old' },
        {
          id: 'k',
          source: 'synthetic',
          session_id: 'b',
          agent_id: 'b/main',
        },
      ),
    );
    expect(agent('b/main').name).toBe('Ada');
  });

  test('AGT-1 of two that are there one wears the pinned look: the pinned one itself, should it come back', async () => {
    const { play, change, agent, clock } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, name: 'Ada' });
    const employee = face(agent('a/main'));
    await play(ended(2, 'a'), started(3, 'b'));
    expect(face(agent('b/main'))).toEqual(employee);
    await play(started(4, 'a', { payload: { source: 'resume', cwd: '/p' } }));
    clock.advance(1);
    expect(face(agent('a/main'))).toEqual(employee);
    expect(agent('b/main')).toMatchObject({ employmentType: 'contractor' });
    expect(agent('b/main').name).not.toBe('Ada');
    expect(agent('b/main').avatarSeed).not.toBe(employee.avatarSeed);
    // It has changed face once, and does not again.
    const itself = face(agent('b/main'));
    await play(ended(5, 'a'));
    await play(anEvent(6, 'user_prompt', { prompt: 'go' }, { id: 'p', session_id: 'b', agent_id: 'b/main' }));
    clock.advance(1);
    expect(face(agent('b/main'))).toEqual(itself);
  });

  test('AGT-1 nobody is hidden from birth, though an employee was', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, hidden: true });
    await play(ended(2, 'a'), started(3, 'b'));
    expect(agent('b/main').hidden).toBeUndefined();
  });

  test('AGT-1 an employee returns also where the end of its session is told after the next one began', async () => {
    const { play, change, agent } = await stage();
    await play(started(1, 'a'));
    await change('a/main', { pinned: true, name: 'Ada' });
    await play(started(3, 'b'));
    expect(agent('b/main').name).not.toBe('Ada');
    await play(ended(2, 'a'));
    await play(anEvent(4, 'user_prompt', { prompt: 'go' }, { id: 'p', session_id: 'b', agent_id: 'b/main' }));
    expect(agent('b/main').name).toBe('Ada');
  });

  test('AGT-1 a thousand names and pins cost an event no more than a few', async () => {
    const play = async (count: number) => {
      const bearers = (n: number) => [{ agentId: `x${n}/main`, sessionId: `x${n}` }];
      const at = '2026-01-01T00:00:00.000Z';
      const mascots = Array.from({ length: count }, (_, n) => ({ bearers: bearers(n), name: `N${n}`, at }));
      const { play } = await stage(memoryStore(), { file: { version: 1, mascots } });
      await play(started(1, 'a'));
      const prompts = Array.from({ length: 300 }, (_, n) =>
        anEvent(n + 2, 'user_prompt', { prompt: 'go' }, { id: `p${n}`, session_id: 'a', agent_id: 'a/main' }),
      );
      const began = process.cpuUsage();
      await play(...prompts);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    // In turns, and of each the best: what else the machine does meanwhile is in none of them.
    let [few, many] = [Infinity, Infinity];
    for (let round = 0; round < 5; round++) {
      few = Math.min(few, await play(1));
      many = Math.min(many, await play(1_000));
    }
    expect(many / few).toBeLessThan(3);
  });

  test('AGT-1 what can’t be kept is not shown as if it were', async () => {
    const { play, change, agent, failFromNowOn } = await stage();
    await play(started(1, 'a'));
    const own = agent('a/main').name;
    failFromNowOn();
    expect(await change('a/main', { name: 'Ada' })).toBe('refused');
    expect(agent('a/main').name).toBe(own);
    expect(await change('nobody', { name: 'Ada' })).toBe('unknown');
  });
});
