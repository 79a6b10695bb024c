import { expect, test } from 'vitest';
import { agentEventSchema, isOfType } from '../protocol/event.ts';
import { eventTypes, wordsOf } from '../protocol/eventPayloads.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';
import { normalize } from './normalize.ts';
import { compareKeys, orderKey } from './order.ts';
import { eventsOf, recordings } from './recordings.testkit.ts';
import { reduceAll, reduceSession } from './reduce.ts';
import { settleSession } from './settle.ts';

const all = recordings().map((recording) => [recording.name, eventsOf(recording)] as const);
const inOrder = (events: readonly (typeof all)[number][1][number][]) =>
  events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)));

test('NRM-3 the types of events are these and no others', () => {
  const lifecycle = ['agent_started', 'agent_stopped', 'agent_blocked', 'agent_unblocked'];
  const work = ['task_created', 'task_started', 'task_progress', 'task_completed', 'task_failed'];
  const tools = ['tool_started', 'tool_succeeded', 'tool_failed'];
  const session = ['session_started', 'session_ended', 'user_prompt', 'turn_ended'];
  const system = ['heartbeat', 'notification', 'schema_error'];
  const seen = [
    'usage_reported',
    'prompt_found',
    'reply_found',
    'last_reply_found',
    'surface_detected',
    'agent_described',
  ];
  const context = [
    'compaction_started',
    'compaction_ended',
    'context_loaded',
    'instructions_loaded',
    'session_continued',
  ];
  const model = ['model_called', 'tool_batch_ended'];
  const items = ['work_started', 'work_ended', 'dependency_resolved', 'untracked_edit', 'guard_gap'];
  const own = ['decision', 'escalation'];
  expect([...eventTypes].toSorted()).toEqual(
    [lifecycle, work, tools, session, system, seen, context, model, items, own].flat().toSorted(),
  );
});

test.each(all)('NRM-3 NRM-5 every event of %s is one of these, with what its type requires', (_name, events) => {
  for (const event of events) {
    agentEventSchema.parse(event);
    const { event_type: type, task_id: task } = event;
    const payload = wordsOf(event.payload);
    if (isOfType(event, 'tool_started', 'tool_succeeded', 'tool_failed'))
      expect(payload['tool_name']).toEqual(expect.any(String));
    if (type === 'tool_failed') {
      expect(payload['exit_code'] === null || typeof payload['exit_code'] === 'number').toBe(true);
      expect(payload['error_message']).toEqual(expect.any(String));
    }
    if (isOfType(event, 'task_created', 'task_started', 'task_completed', 'task_failed'))
      expect(task).toEqual(expect.any(String));
  }
});

test.each(all)('STA-1 in %s a session has a phase as long as it is active, and none otherwise', (_name, events) => {
  const states = new Map<string, SessionState>();
  for (const event of inOrder(events)) {
    const state = reduceSession(states.get(event.session_id), event);
    states.set(event.session_id, state);
    expect([event.ts, state.session.state === 'active']).toEqual([event.ts, state.session.phase !== null]);
  }
  const muchLater = Date.parse(events.at(-1)?.ts ?? '') + 3 * 3_600_000;
  for (const state of states.values()) {
    const { session } = settleSession(state, muchLater, { idleMs: 60_000 });
    expect(session.state === 'active').toBe(session.phase !== null);
  }
});

test('SES-2 a session says all that is known of it', () => {
  const meta = {
    provider: 'claude',
    workspace_id: 'project',
    terminal_session_id: 'tmux:%1',
    tty: '/dev/pts/1',
    agent_pid: 42,
    agent_started_at: '2026-01-01T00:00:00.000Z',
    fingerprint: '0123456789abcdef',
    entrypoint: 'cli',
    host: 'here',
  };
  const at = (second: number, name: string, fields: JsonObject = {}) =>
    normalize(
      hookEnvelopeSchema.parse({
        hook_event_name: name,
        session_id: 's',
        cwd: '/p',
        transcript_path: '/c/projects/-p/s.jsonl',
        ...fields,
        _meta: { ...meta, collected_at: `2026-01-01T00:00:0${second}.000Z` },
      }),
      { receivedAt: '2026-01-01T00:00:09.000Z', project: { path: '/p' } },
    ).events;
  const state = reduceAll([
    ...at(1, 'SessionStart', { source: 'startup', model: 'claude-opus-5-5' }),
    ...at(2, 'UserPromptSubmit', { prompt: 'Fix the tests', permission_mode: 'plan' }),
    ...at(3, 'Stop', { last_assistant_message: 'Done.', background_tasks: [] }),
    ...at(4, 'SessionEnd', { reason: 'prompt_input_exit' }),
  ]);
  expect(state?.session).toEqual({
    id: 's',
    provider: 'claude',
    project: '/p',
    workspace: 'project',
    title: 'Fix the tests',
    model: 'claude-opus-5-5',
    permissionMode: 'plan',
    source: 'startup',
    surface: 'terminal',
    seenIn: 'hooks',
    transcriptPath: '/c/projects/-p/s.jsonl',
    cwd: '/p',
    agentPid: 42,
    agentStartedAt: '2026-01-01T00:00:00.000Z',
    host: 'here',
    tty: '/dev/pts/1',
    fingerprint: '0123456789abcdef',
    startedAt: '2026-01-01T00:00:01.000Z',
    lastEventAt: '2026-01-01T00:00:04.000Z',
    lastWorkAt: '2026-01-01T00:00:03.000Z',
    endedAt: '2026-01-01T00:00:04.000Z',
    endReason: 'prompt_input_exit',
    state: 'completed',
    phase: null,
    phaseBecause: expect.anything(),
    phaseSince: '2026-01-01T00:00:04.000Z',
    counts: { prompts: 1, replies: 1, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
    usage: null,
    tasks: [],
    background: 0,
    lastReply: 'Done.',
  });
});

test('STA-3 every phase that a recording shows is explained by the steps that led to it', () => {
  const unexplained: string[] = [];
  for (const [name, events] of all) {
    const states = new Map<string, SessionState>();
    for (const event of inOrder(events)) {
      const state = reduceSession(states.get(event.session_id), event);
      states.set(event.session_id, state);
      const { state: life, phase } = state.session;
      const last = state.trail.at(-1);
      if (last?.to.life !== life || last.to.phase !== phase) unexplained.push(`${name} ${event.ts}`);
    }
  }
  expect(unexplained).toEqual([]);
});
