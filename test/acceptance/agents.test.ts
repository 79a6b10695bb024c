import { describe, expect, test } from 'vitest';
import { applyPatch } from '../../src/domain/diff.ts';
import { recording } from '../../src/domain/recordings.testkit.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

const worker = {
  hook_type: 'SubagentStart',
  session_id: 's1',
  agent_name: 'worker-01',
  team_name: 'my-project',
  _meta: { workspace_id: 'my-project', terminal_session_id: 't1', collected_at: '2026-02-20T15:00:00Z' },
};
const now = { ...worker, _meta: { workspace_id: 'my-project', terminal_session_id: 't1' } };
const shown = { id: 'my-project/worker-01', name: 'worker-01', team: 'my-project', present: true };

describe('a sub-agent that its start names', () => {
  test('A5.2b A5.2b2 shows the agent of a start that arrives now, though it was collected months ago', async () => {
    const { tell, agents, sessions, stream, clock } = await open();
    const reader = await stream();
    await tell(worker);
    expect(await agents()).toEqual([expect.objectContaining(shown)]);
    expect(await sessions()).toEqual([expect.objectContaining({ id: 's1', state: 'active', phase: 'busy' })]);
    const told = await reader.until((messages) => messages.some(({ event }) => event === 'agent-appeared'));
    expect(told.find(({ event }) => event === 'agent-appeared')?.data).toMatchObject({ id: shown.id, present: true });
    reader.end();
    clock.advance(31 * 60_000);
    expect((await agents())[0]).toMatchObject({ present: false });
  });

  test('A5.2b2 shows no agent for the same hook from the spool: it is history', async () => {
    const { pipeline, agents } = await open();
    const { _meta: meta, ...raw } = worker;
    await pipeline.ingest({ name: 'SubagentStart', meta, raw });
    expect(await agents()).toEqual([expect.objectContaining({ ...shown, present: false })]);
  });

  test('A5.2b2 an old session is not alive again after a restart', async () => {
    const { tell, store } = await open();
    await tell(worker);
    const again = await open({ store });
    expect([await again.agents(), (await again.get('/api/state')).json()['sessions']]).toEqual([[], []]);
  });

  test.each([
    ['A11c after the start of its session', [{ hook_type: 'SessionStart', session_id: 's1', source: 'startup' }]],
    ['A11b2 after a start that says no source', [{ hook_type: 'session-start', session_id: 's1', cwd: '/test' }]],
    ['A11g as the first event of all', []],
  ])('A5.2b %s', async (_name, before) => {
    const { tell, agents } = await open();
    await tell(...before, now);
    expect(await agents()).toContainEqual(expect.objectContaining(shown));
    const months = await open();
    await months.tell(...before, worker);
    expect(await months.agents()).toContainEqual(expect.objectContaining(shown));
  });

  test.each([
    ['an agent’s id alone', { agent_id: 'worker-7' }, 's1/worker-7'],
    [
      'its id and a type that others warm up',
      { agent_id: 'a7cd4b3e537001363', agent_type: 'Explore' },
      's1/a7cd4b3e537001363',
    ],
    ['a name without a team', { agent_name: 'helper' }, 's1/helper'],
    ['a name with a type', { agent_name: 'helper', agent_type: 'Plan', agent_id: 'a123456' }, 's1/a123456'],
  ])('A11i a start that tells %s shows it', async (_name, fields, id) => {
    const { tell, agents } = await open();
    await tell({ hook_event_name: 'SubagentStart', session_id: 's1', ...fields });
    expect(await agents()).toEqual([expect.objectContaining({ id, present: true })]);
  });

  test('A4.1-six with six hooks installed shows the agents of a recorded session, but none that warm up', async () => {
    const six = new Set(['SubagentStart', 'SubagentStop', 'PreToolUse', 'PostToolUse', 'Notification', 'Stop']);
    for (const [name, count] of [
      ['claude/2.0.77/p-subs_old.jsonl', 2],
      ['claude/2.0.77/p-single.jsonl', 0],
      ['claude/2.1.100/p-subs.jsonl', 2],
      ['claude/2.1.327/p-subs.jsonl', 2],
    ] as const) {
      const { tell, agents, sessions } = await open();
      const started: string[] = [];
      for (const { event, payload } of recording(name).hooks.filter((hook) => six.has(hook.event))) {
        await tell(payload);
        for (const each of await agents()) {
          if (each['kind'] === 'subagent' && !started.includes(String(each['id']))) started.push(String(each['id']));
        }
        expect([event, await busyAndEmpty(sessions, agents)]).toEqual([event, false]);
      }
      expect([name, started.length]).toEqual([name, count]);
    }
  });
});

describe('an agent’s name from its sender', () => {
  const named = { session_id: 's1', agent_name: 'worker-09', team_name: 'T1' };

  test('A7.3c A7.3d A6-1c a start shows name, team and, as its task, the prompt', async () => {
    const { tell, agents } = await open();
    await tell({ hook_type: 'SubagentStart', ...named, prompt: 'write the tests' });
    expect(await agents()).toEqual([
      expect.objectContaining({ id: 'T1/worker-09', name: 'worker-09', team: 'T1', task: 'write the tests' }),
    ]);
  });

  test('A7.3c makes up a missing name, which stays until the sender names the agent', async () => {
    const { tell, agents } = await open();
    await tell({ hook_type: 'SubagentStart', session_id: 's1', agent_id: 'x1', prompt: 'find it' });
    const [{ name } = {}] = await agents();
    expect(name).toMatch(/^[A-Z][a-z]+$/);
    await tell({ hook_type: 'PreToolUse', session_id: 's1', agent_id: 'x1', agent_name: 'finder', tool_name: 'Grep' });
    expect(await agents()).toEqual([expect.objectContaining({ id: 's1/x1', name: 'finder', task: 'find it' })]);
  });

  test('A7.3d gives a team’s main agent the team, and a name of ours', async () => {
    const { tell, agents } = await open();
    await tell({ hook_type: 'SessionStart', session_id: 's1', team_name: 'T1', agent_name: 'boss' });
    await tell({ hook_type: 'SessionStart', session_id: 's2', team_name: 'T2' });
    expect((await agents()).map(({ id, team }) => [id, team])).toEqual(
      expect.arrayContaining([
        ['T1/boss', 'T1'],
        ['T2/leader', 'T2'],
      ]),
    );
  });

  test.each([
    ['PostToolUse', { tool_name: 'Bash', tool_use_id: 'c1', tool_response: { stdout: 'ok' } }],
    ['PostToolUseFailure', { tool_name: 'Bash', tool_use_id: 'c1', error: 'no' }],
    ['Notification', { message: 'half done', level: 'info' }],
    ['PreToolUse', { tool_name: 'Bash', tool_use_id: 'c1' }],
  ])('A5.3-5d the first event registers its agent: %s', async (hook, fields) => {
    const { tell, agents } = await open();
    await tell({ hook_type: hook, ...named, ...fields });
    expect(await agents()).toEqual([
      expect.objectContaining({ id: 'T1/worker-09', name: 'worker-09', kind: 'subagent', present: true }),
    ]);
  });

  test('A5.3-5d shows no agent for the failure of an unknown agent', async () => {
    const { tell, agents, sessions } = await open();
    await tell({ hook_event_name: 'StopFailure', session_id: 's1', agent_id: 'a1', error: 'rate_limit' });
    expect([await agents(), (await sessions())[0]?.['counts']]).toEqual([
      [],
      expect.objectContaining({ subagents: 0 }),
    ]);
  });

  test('A5.3-5d a lone SubagentStop leaves no busy session without agents', async () => {
    const { tell, agents, sessions } = await open();
    await tell({ hook_type: 'SubagentStop', ...named });
    expect([await agents(), await busyAndEmpty(sessions, agents)]).toEqual([[], false]);
    await tell({ hook_type: 'SubagentStart', ...named });
    expect((await sessions())[0]).toMatchObject({ phase: 'busy' });
    await tell({ hook_type: 'SubagentStop', ...named });
    expect(await busyAndEmpty(sessions, agents)).toBe(false);
  });
});

async function busyAndEmpty(
  sessions: () => Promise<readonly Record<string, unknown>[]>,
  agents: () => Promise<readonly Record<string, unknown>[]>,
): Promise<boolean> {
  const busy = (await sessions()).some(({ phase }) => phase === 'busy');
  return busy && !(await agents()).some(({ present }) => present);
}

describe('A5.2b a team’s agent that two sessions report', () => {
  const twin = (session: string, hook = 'SubagentStart') => ({
    ...{ hook_type: hook, session_id: session, agent_name: 'worker-01', team_name: 'my-project' },
  });
  const id = 'my-project/worker-01';
  const read = { ...twin('s1', 'PreToolUse'), tool_name: 'Read', tool_input: { file_path: '/a' } };

  test.each([
    ['is shown in the later one', [twin('s1'), twin('s2')], 's2', true],
    ['stays there when the earlier one ends', [twin('s1'), twin('s2'), twin('s1', 'SubagentStop')], 's2', true],
    ['leaves when the later one ends', [twin('s1'), twin('s2'), twin('s2', 'SubagentStop')], 's2', false],
    [
      'is back in the earlier one that is heard since',
      [twin('s1'), twin('s2'), twin('s2', 'SubagentStop'), read],
      's1',
      true,
    ],
  ])('A5.2b %s', async (_name, hooks, session, present) => {
    const { tell, agents, hub } = await open();
    let shown = hub.snapshot();
    hub.onChange((change) => {
      if (change.type === 'patch') shown = applyPatch(shown, change.patch);
    });
    await tell(...hooks);
    const found = (await agents()).filter((agent) => agent['id'] === id);
    expect(found).toEqual([expect.objectContaining({ sessionId: session, present })]);
    // Readers keep agents by their ids: what patches add up to is what is there.
    const byId = (of: typeof shown) => of.agents.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(shown)).toEqual(byId(hub.snapshot()));
  });

  test('A5.2b appears on the stream in each, and erasing one session takes it from no other', async () => {
    const { tell, agents, stream, hub } = await open();
    const reader = await stream();
    await tell(twin('s1'), twin('s2'));
    const told = await reader.until((messages) => messages.some(({ data }) => data['sessionId'] === 's2'));
    expect(told.filter(({ data }) => data['id'] === id).map(({ event, data }) => [event, data['sessionId']])).toEqual([
      ['agent-appeared', 's1'],
      ['agent-appeared', 's2'],
    ]);
    reader.end();
    hub.leave(['s1']);
    expect(await agents()).toContainEqual(expect.objectContaining({ id, sessionId: 's2', present: true }));
    await tell(twin('s1'));
    hub.leave(['s1']);
    expect(await agents()).toContainEqual(expect.objectContaining({ id, sessionId: 's2', present: true }));
  });
});
