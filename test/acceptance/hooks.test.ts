import { describe, expect, test } from 'vitest';
import { maskPayload } from '../../src/domain/mask/mask.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

const call = { session_id: 's1', tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'make' } };

describe('what a payload says is kept', () => {
  test.each([
    [
      'A6-5c PostToolUseFailure beside its error',
      'PostToolUseFailure',
      { error: 'no', exit_code: 3 },
      'tool_failed',
      { exit_code: 3, error_message: 'no' },
    ],
    [
      'A6-5c PostToolUse beside its error',
      'PostToolUse',
      { error: 'no', exit_code: 127 },
      'tool_failed',
      { exit_code: 127, error_message: 'no' },
    ],
    [
      'A6-5c PostToolUse in its result',
      'PostToolUse',
      { tool_result: { stdout: '', exit_code: 2 } },
      'tool_failed',
      { exit_code: 2, error_message: 'Exit code 2' },
    ],
    [
      'A6-5c PostToolUse that went well',
      'PostToolUse',
      { tool_result: 'ok', exit_code: 0 },
      'tool_succeeded',
      { exit_code: 0 },
    ],
    ['A6-5c none', 'PostToolUseFailure', { error: 'no' }, 'tool_failed', { exit_code: null }],
    [
      'A6-5d an error with a message',
      'PostToolUse',
      { error: { message: 'boom', code: 1 } },
      'tool_failed',
      { error_message: 'boom' },
    ],
    [
      'A6-5d an error of its own shape',
      'PostToolUse',
      { error: { code: 'ENOENT' } },
      'tool_failed',
      { error_message: '{"code":"ENOENT"}' },
    ],
    [
      'A6-5d an error in the result',
      'PostToolUse',
      { tool_response: { error: { message: 'boom' } } },
      'tool_failed',
      { error_message: 'boom' },
    ],
    [
      'A6-5d an error of PostToolUseFailure',
      'PostToolUseFailure',
      { error: { message: 'boom' } },
      'tool_failed',
      { error_message: 'boom' },
    ],
    [
      'A6-5d an error that only says so',
      'PostToolUse',
      { error: true },
      'tool_failed',
      { error_message: 'the tool reported an error' },
    ],
    ['A6-5d no error', 'PostToolUse', { error: null, tool_result: 'ok' }, 'tool_succeeded', {}],
  ])('%s', async (_name, hook, fields, type, payload) => {
    const { tell, events, sessions } = await open();
    await tell({ hook_type: hook, ...call, ...fields });
    expect(await events('s1')).toEqual([
      expect.objectContaining({ event_type: type, payload: expect.objectContaining(payload) as unknown }),
    ]);
    const failures = type === 'tool_failed' ? 1 : 0;
    expect((await sessions())[0]).toMatchObject({ counts: { failures, toolCalls: 1 } });
  });

  test.each([
    ['a text', { tool_result: 'Task #4 created successfully: Write the tests' }, {}],
    ['a text beside the input’s subject', { tool_response: 'Task #4 created' }, { subject: 'Write the tests' }],
    ['blocks', { tool_response: [{ type: 'text', text: 'Task #4 created successfully: Write the tests' }] }, {}],
    ['an object with a text', { tool_response: { content: 'Task #4 created successfully: Write the tests' } }, {}],
  ])('A6.1b TaskCreate that is answered by %s makes a task', async (_name, fields, input) => {
    const { tell, sessions, events } = await open();
    await tell({ hook_type: 'PostToolUse', session_id: 's1', tool_name: 'TaskCreate', tool_input: input, ...fields });
    expect((await sessions())[0]).toMatchObject({ tasks: [{ id: '4', title: 'Write the tests', status: 'pending' }] });
    expect(await events('s1')).toContainEqual(expect.objectContaining({ event_type: 'task_created', task_id: '4' }));
  });

  test.each(['user_exit', 'the person has gone home', 'end_turn'])('A6-7c the reason of a Stop: %s', async (reason) => {
    const { tell, events, sessions } = await open();
    await tell(
      { hook_type: 'UserPromptSubmit', session_id: 's1', prompt: 'go' },
      { hook_type: 'Stop', session_id: 's1', reason, last_assistant_message: 'Done.' },
    );
    const [stop] = (await events('s1')).filter((event) => event['event_type'] === 'turn_ended');
    expect(stop).toMatchObject({ payload: { reason } });
    expect((await sessions())[0]).toMatchObject({ phase: 'interactable', lastReply: 'Done.', counts: { replies: 1 } });
  });

  test.each([
    ['the payload’s cwd', { cwd: '/home/dev/shop' }, 'shop'],
    ['a Windows folder', { cwd: 'C:\\work\\shop\\' }, 'shop'],
    ['what _meta says', { cwd: '/home/dev/shop', _meta: { workspace_id: 'w' } }, 'w'],
    ['the folder in _meta', { _meta: { cwd: '/home/dev/till' } }, 'till'],
    ['the folder that the agent was started for', { cwd: '/w/shop/src', _meta: { project_dir: '/w/shop' } }, 'shop'],
    ['nothing', {}, ''],
  ])('A7.5a workspace_id comes from %s', async (_name, fields, workspace) => {
    const { tell, events, sessions } = await open();
    await tell({ hook_type: 'SessionStart', session_id: 's1', ...fields });
    expect((await events('s1'))[0]).toMatchObject({ workspace_id: workspace });
    expect((await sessions())[0]).toMatchObject({ workspace });
  });
});

describe('A8-child a session that names its parent is that one’s agent', () => {
  const child = { session_id: 'child', parent_session_id: 's1' };

  test('A8-child from its start to its end, and its parent’s turn stays as it is', async () => {
    const { tell, agents, sessions } = await open();
    await tell(
      { hook_type: 'SessionStart', session_id: 's1', source: 'startup' },
      { hook_type: 'SessionStart', ...child, source: 'startup' },
      { hook_type: 'UserPromptSubmit', ...child, prompt: 'find it' },
      { hook_type: 'PreToolUse', ...child, tool_name: 'Grep', tool_use_id: 'g1' },
    );
    const kinds = async () =>
      (await agents())
        .map(({ id, kind, present }) => [id, kind, present])
        .toSorted()
        .toReversed();
    expect(await kinds()).toEqual([
      ['s1/main', 'main', true],
      ['s1/child', 'subagent', true],
    ]);
    expect((await sessions()).map(({ id, phase }) => [id, phase])).toEqual([['s1', 'interactable']]);
    await tell({ hook_type: 'SessionEnd', ...child, reason: 'other' });
    expect(await kinds()).toEqual([
      ['s1/main', 'main', true],
      ['s1/child', 'subagent', false],
    ]);
    expect((await sessions())[0]).toMatchObject({ state: 'active' });
  });

  test('A8-child a fork is a session of its own', async () => {
    const { tell, agents } = await open();
    await tell({ hook_type: 'SessionStart', ...child, source: 'fork' });
    expect(await agents()).toEqual([expect.objectContaining({ id: 'child/main', kind: 'main' })]);
  });
});

describe('B0-subagent `subagent`, one name for start and end', () => {
  const named = { hook_type: 'subagent', session_id: 's1', agent_name: 'w1', team_name: 'T1' };

  test('B0-subagent shows the agent, and removes it at its last message', async () => {
    const { tell, agents, events } = await open();
    await tell(named);
    expect(await agents()).toEqual([expect.objectContaining({ id: 'T1/w1', name: 'w1', present: true })]);
    await tell({ ...named, summary: 'All done.' });
    expect(await agents()).toEqual([expect.objectContaining({ id: 'T1/w1', present: false, says: 'All done.' })]);
    const types = (await events('s1')).map((event) => event['event_type']);
    expect(types.toSorted()).toEqual(['agent_started', 'agent_stopped']);
  });

  test('B0-subagent prefers the agent’s own field', async () => {
    const { tell, events } = await open();
    await tell({ ...named, hook_event_name: 'SubagentStop' });
    expect(await events('s1')).toEqual([expect.objectContaining({ event_type: 'agent_stopped' })]);
  });
});

describe('B1.3e strict mode covers edits that name no folder', () => {
  const rule = { mode: 'strict', autoCreate: false } as const;
  const edit = { hook_type: 'PreToolUse', session_id: 's1', tool_name: 'Edit', tool_use_id: 'e1' };
  const denied = { hookSpecificOutput: { permissionDecision: 'deny' }, decision: 'block' };

  test.each([
    ['with a full path', { file_path: '/w/shop/src/till.ts' }],
    ['with a path of which nobody knows where it begins', { file_path: 'till.ts' }],
    ['with none at all', {}],
  ])('B1.3e B1.1-level %s', async (_name, input) => {
    const { post } = await open({ rule });
    const answer = (await post({ ...edit, tool_input: input })).json();
    expect(answer).toMatchObject({ output: denied });
    expect(answer['output']).toMatchObject({ notifications: [{ level: 'warn' }] });
  });

  test('B1.3e allows it while an item of the file’s project runs, or any item if the project is unknown', async () => {
    const { post, ask } = await open({ rule });
    const item = { project: '/w/shop/src', id: 'till', title: 'Till', start: true };
    expect((await ask('POST', '/api/work-items', JSON.stringify(item))).status).toBeLessThan(300);
    for (const file of ['/w/shop/src/till.ts', 'till.ts']) {
      const hook = { ...edit, session_id: file, tool_input: { file_path: file } };
      expect([file, (await post(hook)).json()['output']]).not.toHaveProperty('1.hookSpecificOutput');
    }
    const other = { ...edit, session_id: 's2', tool_input: { file_path: '/w/house/door.ts' } };
    expect((await post(other)).json()).toMatchObject({ output: denied });
  });
});

test.each([
  ['C8.1-pw8', 'password=hunter2secret', 'password=«masked:password»'],
  ['C8.1-pw9', 'password: MySecret1', 'password: «masked:password»'],
  ['C8.1-pw10', 'login: kim / password: kim1234', 'login: kim / password: «masked:password»'],
  ['C8.1-pw11', 'use password: kim1234 for the test account', 'use password: «masked:password» for the test account'],
  ['C8.1-pw12', 'my password is hunter2', 'my password is «masked:password»'],
])('%s masks the password in the prompt "%s"', (_, prompt, masked) => {
  const payload = { hook_event_name: 'UserPromptSubmit', session_id: 's1', prompt };
  expect(maskPayload(payload)).toEqual({ ...payload, prompt: masked });
});
