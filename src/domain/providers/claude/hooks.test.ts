import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { JsonObject } from '../../../protocol/json.ts';
import { recording } from '../../recordings.testkit.ts';
import type { EventDraft } from '../provider.ts';
import { claude } from './claude.ts';
import { claudeHooks } from './hooks.ts';
import { wordsOf } from '../../../protocol/eventPayloads.ts';

function draftsOf(hook: string, payload: JsonObject): readonly EventDraft[] {
  return claudeHooks[hook]?.read(claude.upgrade?.(payload) ?? payload) ?? [];
}

/** Each draft on one line of data: its type, its task and its payload. */
function said(hook: string, payload: JsonObject) {
  return draftsOf(hook, payload).map(({ event_type, task_id, payload: words }) =>
    task_id === undefined ? [event_type, words] : [event_type, task_id, words],
  );
}

const agentCall = {
  tool_name: 'Agent',
  tool_use_id: 't1',
  tool_input: { description: 'Look around', prompt: 'p', subagent_type: 'Explore', name: 'scout' },
};
const agentWords = { tool_name: 'Agent', mood: 'delegating', tool_use_id: 't1', target: 'Look around' };

describe('NRM-11 who starts whom', () => {
  test('NRM-11 the call tells the type, the task and the name of the agent that it starts', () => {
    const spawn = { spawn_type: 'Explore', spawn_task: 'Look around', spawn_name: 'scout' };
    expect(said('PreToolUse', agentCall)).toEqual([['tool_started', { ...agentWords, ...spawn }]]);
    expect(said('PreToolUse', { ...agentCall, tool_name: 'Task' })).toEqual([
      ['tool_started', { ...agentWords, ...spawn }],
    ]);
    expect(said('PreToolUse', { ...agentCall, tool_input: { prompt: 'p' } })).toEqual([
      ['tool_started', { tool_name: 'Agent', mood: 'delegating', tool_use_id: 't1', spawn_type: '' }],
    ]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['in the foreground', { status: 'completed', agentId: 'a1' }, { spawned: 'a1' }],
    [
      'in the background',
      { isAsync: true, status: 'async_launched', agentId: 'a1', description: 'As it said itself' },
      { spawned: 'a1', spawned_background: true, spawned_task: 'As it said itself' },
    ],
    [
      'as a team-mate',
      { status: 'teammate_spawned', agentId: 'amate-1', name: 'mate', team_name: 'crew' },
      { spawned: 'amate-1', spawned_name: 'mate', teammate: 'amate-1', team: 'crew' },
    ],
  ])('NRM-11 the result of a call ties to it the agent that it started %s', (_, response, words) => {
    const started = { spawned_task: 'Look around', spawned_name: 'scout', ...words };
    expect(said('PostToolUse', { ...agentCall, tool_response: response })).toEqual([
      ['tool_succeeded', { ...agentWords, ...started }],
    ]);
  });

  test('NRM-11 another tool that answers with an agentId has started nobody', () => {
    const [draft] = draftsOf('PostToolUse', { tool_name: 'mcp__x__y', tool_response: { agentId: 'a1' } });
    expect(draft?.payload).toEqual({ tool_name: 'mcp__x__y', mood: 'running' });
  });

  test('NRM-11 each recorded agent of all three versions is tied to its call', () => {
    const spawned = (name: string) =>
      recording(name).hooks.flatMap(({ event, payload }) =>
        event === 'PostToolUse'
          ? draftsOf(event, payload).flatMap(({ payload: words }) => wordsOf(words)['spawned'] ?? [])
          : [],
      );
    const started = (name: string) =>
      recording(name).hooks.flatMap(({ event, payload }) =>
        event === 'SubagentStart' ? [payload['agent_id'] as string] : [],
      );
    // The three that warm up in 2.0.77 are nobody's.
    expect(spawned('claude/2.0.77/p-subs_old.jsonl').sort()).toEqual(
      started('claude/2.0.77/p-subs_old.jsonl').slice(-2).sort(),
    );
    for (const name of ['claude/2.1.100/p-subs.jsonl', 'claude/2.1.327/p-subs.jsonl', 'claude/2.1.327/p-bgsub.jsonl']) {
      expect(spawned(name).sort(), name).toEqual(started(name).sort());
    }
  });
});

test('NRM-4 a message between agents says by name whom it is for', () => {
  const input = { to: 'mate', summary: 'hello', message: 'hello mate' };
  expect(said('PreToolUse', { tool_name: 'SendMessage', tool_input: input })).toEqual([
    ['tool_started', { tool_name: 'SendMessage', mood: 'delegating', target: 'mate', talks_to: 'mate' }],
  ]);
});

describe('NRM-4, NRM-5 tasks', () => {
  const answered = (tool: string, input: JsonObject, response: JsonObject) =>
    said('PostToolUse', { tool_name: tool, tool_input: input, tool_response: response }).slice(1);
  const todos = [
    { content: 'First job', status: 'in_progress', activeForm: 'Doing first job' },
    { content: 'Second job', status: 'later' },
    'no todo',
    { content: 'Third job', status: 'completed' },
  ];
  const progress = [
    [
      'task_progress',
      'todo',
      {
        tasks: [
          { id: 'todo/1', title: 'First job', status: 'in_progress' },
          { id: 'todo/2', title: 'Second job', status: 'pending' },
          { id: 'todo/4', title: 'Third job', status: 'completed' },
        ],
      },
    ],
  ];
  test.each<[string, string, JsonObject, JsonObject, unknown[]]>([
    ['TaskCreate makes one', 'TaskCreate', { subject: 'x' }, { task: { id: '7', subject: 'First' } }, [['task_created', '7', { title: 'First' }]]],
    ['an id may be a number', 'TaskCreate', {}, { task: { id: 7 } }, [['task_created', '7', {}]]],
    ['TaskUpdate starts one', 'TaskUpdate', { taskId: '7', status: 'in_progress' }, { success: true, taskId: '7', statusChange: { from: 'pending', to: 'in_progress' } }, [['task_started', '7', {}]]],
    ['TaskUpdate completes one', 'TaskUpdate', { taskId: '7', status: 'completed', subject: 'Now so' }, {}, [['task_completed', '7', { title: 'Now so' }]]],
    ['a refused update changes nothing', 'TaskUpdate', { taskId: '7', status: 'completed' }, { success: false }, []],
    ['a new owner is no progress', 'TaskUpdate', { taskId: '2', owner: 'me' }, { success: true, taskId: '2' }, []],
    ['what has no event of its own says nothing', 'TaskUpdate', { taskId: '2', status: 'deleted' }, { success: true }, []],
    ['an inherited word is no status', 'TaskUpdate', { taskId: '2', status: 'constructor' }, {}, []],
    ['a result without a task costs only the task', 'TaskCreate', { subject: 'x' }, { task: [] }, []],
    ['TodoWrite tells the whole list', 'TodoWrite', { todos: [] }, { oldTodos: [], newTodos: todos }, progress],
    ['TodoWrite without a result tells what was asked', 'TodoWrite', { todos }, {}, progress],
    ['an empty list is news too', 'TodoWrite', { todos }, { newTodos: [] }, [['task_progress', 'todo', { tasks: [] }]]],
    ['TaskList changes nothing', 'TaskList', {}, { tasks: [{ id: '1' }] }, []],
  ])('NRM-4 %s', (_, tool, input, response, drafts) => {
    expect(answered(tool, input, response)).toEqual(drafts);
  }); // prettier-ignore

  test('NRM-5 a hook about a task that names none is a broken one', () => {
    expect(() => draftsOf('TaskCreated', { task_subject: 'x' })).toThrow(z.core.$ZodError);
    expect(() => draftsOf('TaskCompleted', { task_id: '' })).toThrow(z.core.$ZodError);
  });

  test('NRM-4 the recorded tasks of 2.1.327', () => {
    const tasks = recording('claude/2.1.327/p-tasks.jsonl').hooks.flatMap(({ event, payload }) =>
      said(event, payload).filter(([type]) => String(type).startsWith('task_')),
    );
    expect(tasks).toEqual([
      ['task_created', '1', { title: 'First job' }],
      ['task_created', '1', { title: 'First job' }],
      ['task_created', '2', { title: 'Second job' }],
      ['task_created', '2', { title: 'Second job' }],
      ['task_started', '1', {}],
      ['task_completed', '1', { title: 'First job' }],
      ['task_completed', '1', {}],
    ]);
  });
});

describe('STA-5 prompts that nobody typed', () => {
  const notice = (id: string) => `\n<task-notification>\n<task-id>${id}</task-id>\n<status>completed</status>`;
  test.each([
    ['go', { prompt: 'go' }],
    [notice('a1'), { prompt: notice('a1'), synthetic: true, finished: 'a1' }],
    ['<task-notification> cut', { prompt: '<task-notification> cut', synthetic: true }],
    ['see <task-notification>', { prompt: 'see <task-notification>' }],
    ['<task-id>a1</task-id>', { prompt: '<task-id>a1</task-id>' }],
    [notice('x'.repeat(201)), { prompt: notice('x'.repeat(201)), synthetic: true }],
  ])('STA-5 %j', (prompt, payload) => {
    expect(said('UserPromptSubmit', { prompt })).toEqual([['user_prompt', payload]]);
  });
});

test('STA-5 a sub-agent’s API failure ends its turn and fails its job, the main agent’s only its turn', () => {
  const failure = { error: 'server_error', last_assistant_message: 'API Error' };
  const ended = ['turn_ended', { reason: 'failed', error: 'server_error', message: 'API Error' }];
  expect(said('StopFailure', { ...failure, agent_id: 'a1' })).toEqual([
    ended,
    ['task_failed', 'agent/a1', { error: 'server_error' }],
  ]);
  expect(said('StopFailure', failure)).toEqual([ended]);
});

test('NRM-4 a failed call tells its exit code, its interrupt and the beginning of its message', () => {
  const failed = (fields: JsonObject) => draftsOf('PostToolUseFailure', { tool_name: 'Bash', ...fields })[0]?.payload;
  const words = { tool_name: 'Bash', mood: 'running' };
  expect(failed({ error: 'Exit code 130\nbye', is_interrupt: true })).toEqual({
    ...words,
    exit_code: 130,
    error_message: 'Exit code 130\nbye',
    interrupt: true,
  });
  expect(String(wordsOf(failed({ error: 'x'.repeat(30_000) }) ?? {})['error_message'])).toHaveLength(4_000);
});

test.each([
  ['warning', 'warn'],
  ['error', 'error'],
  ['toString', 'info'],
])('NRM-4 an older notification’s level %s is the severity %s', (level, severity) => {
  expect(draftsOf('Notification', { level })[0]?.severity).toBe(severity);
});

test('NRM-1 whatever JSON comes, a rule gives drafts or says with zod what is broken', () => {
  const hooks = Object.keys(claudeHooks);
  const tool = fc.constantFrom('Agent', 'Task', 'TaskCreate', 'TaskUpdate', 'TodoWrite', 'SendMessage', 'Bash', '');
  const inside = fc.constantFrom(
    'agentId',
    'task',
    'taskId',
    'status',
    'newTodos',
    'to',
    'todos',
    'id',
    'statusChange',
  );
  const part = fc.oneof(fc.jsonValue(), fc.dictionary(inside, fc.jsonValue({ maxDepth: 2 })));
  const field = fc.constantFrom('tool_input', 'tool_response', 'tool_calls', 'prompt', 'message', 'task_id', 'error');
  const payloads = fc.tuple(tool, fc.dictionary(field, part)).map(([name, rest]) => ({ ...rest, tool_name: name }));
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...hooks), payloads, (hook, payload) => {
      try {
        for (const draft of draftsOf(hook, payload as JsonObject))
          expect(JSON.parse(JSON.stringify(draft))).toEqual(draft);
        read++;
      } catch (error) {
        expect(error).toBeInstanceOf(z.core.$ZodError);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(200);
});
