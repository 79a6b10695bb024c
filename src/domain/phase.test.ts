import { describe, expect, test } from 'vitest';
import { type EventType, eventTypes } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { SessionLife } from '../protocol/state.ts';
import { sessionStates } from '../protocol/state.ts';
import { anEvent } from './event.testkit.ts';
import { lifeTable, nextLife } from './life.ts';
import { nextTurnPhase, type TurnSignal, turnPhases, turnSignal, turnSignals, turnTable } from './phase.ts';

const none = 'none';
const busy = 'busy';
const yours = 'interactable';
const idle = 'waiting_question';

/** Written from STA-2, STA-5 and SES-3, not from the code: where the turn was, what came, where it is then. */
const expected: readonly (readonly [TurnSignal, string, string, string, string])[] = [
  //             none   busy   yours  idle
  ['started', yours, yours, yours, yours],
  ['compacted', yours, busy, yours, idle],
  ['prompted', busy, busy, busy, busy],
  ['worked', busy, busy, busy, busy],
  ['resulted', busy, busy, yours, idle],
  ['ended', yours, yours, yours, yours],
  ['leftIdle', idle, idle, idle, idle],
  ['closed', none, none, none, none],
  ['appeared', yours, busy, yours, idle],
  ['helped', busy, busy, yours, idle],
  ['nothing', none, busy, yours, idle],
];

describe('STA-6 the phase of a turn, cell by cell', () => {
  test('STA-6 the table is total and nothing but this', () => {
    const cells = expected.flatMap(([signal, ...row]) => row.map((next, index) => [turnPhases[index], signal, next]));
    const table = turnPhases.flatMap((phase) => turnSignals.map((signal) => [phase, signal, turnTable[phase][signal]]));
    expect(table.toSorted()).toEqual(cells.toSorted());
  });

  test.each(expected)('STA-6 %s', (signal, ...row) => {
    const next = turnPhases.map((phase) => nextTurnPhase(phase === none ? null : phase, signal) ?? none);
    expect(next).toEqual(row);
  });
});

const main = { agent_id: 's/main' };
const helper = { agent_id: 's/helper' };

/** What an event of the main agent, and one of a sub-agent, says of the main agent's turn. */
const signals: readonly (readonly [EventType, JsonObject, TurnSignal, TurnSignal])[] = [
  ['session_started', { source: 'startup' }, 'started', 'started'],
  ['session_started', { source: 'clear' }, 'started', 'started'],
  ['session_started', { source: 'compact' }, 'compacted', 'compacted'],
  ['session_started', { source: 'seen' }, 'nothing', 'nothing'],
  ['session_ended', {}, 'closed', 'closed'],
  ['user_prompt', {}, 'prompted', 'prompted'],
  ['turn_ended', { reason: 'completed' }, 'ended', 'nothing'],
  ['turn_ended', { reason: 'failed' }, 'ended', 'nothing'],
  ['turn_ended', { reason: 'interrupted' }, 'ended', 'nothing'],
  ['tool_started', {}, 'worked', 'helped'],
  ['tool_succeeded', {}, 'resulted', 'helped'],
  ['tool_failed', {}, 'resulted', 'helped'],
  ['agent_started', {}, 'nothing', 'helped'],
  ['agent_stopped', {}, 'nothing', 'helped'],
  ['agent_stopped', { reason: 'process_gone' }, 'closed', 'helped'],
  ['agent_blocked', { wait: 'permission' }, 'worked', 'nothing'],
  ['agent_blocked', { wait: 'permission', inferred: true }, 'nothing', 'nothing'],
  ['agent_unblocked', {}, 'nothing', 'nothing'],
  ['task_created', {}, 'nothing', 'nothing'],
  ['task_started', {}, 'nothing', 'nothing'],
  ['task_progress', {}, 'nothing', 'nothing'],
  ['task_completed', {}, 'nothing', 'nothing'],
  ['task_failed', {}, 'nothing', 'nothing'],
  ['heartbeat', {}, 'nothing', 'nothing'],
  ['schema_error', {}, 'nothing', 'nothing'],
  ['notification', { notification_type: 'idle_prompt' }, 'leftIdle', 'nothing'],
  ['model_called', {}, 'worked', 'nothing'],
  ['tool_batch_ended', {}, 'resulted', 'nothing'],
  ['compaction_started', { trigger: 'manual' }, 'worked', 'nothing'],
  ['compaction_started', { trigger: 'auto' }, 'helped', 'nothing'],
  ['notification', { notification_type: 'message_display' }, 'helped', 'nothing'],
  ['notification', { unknown: true }, 'appeared', 'nothing'],
  ['compaction_ended', {}, 'appeared', 'nothing'],
  ['instructions_loaded', {}, 'appeared', 'nothing'],
  ['usage_reported', {}, 'nothing', 'nothing'],
  ['context_loaded', {}, 'nothing', 'nothing'],
  ['prompt_found', {}, 'nothing', 'nothing'],
  ['reply_found', {}, 'nothing', 'nothing'],
  ['last_reply_found', {}, 'nothing', 'nothing'],
  ['session_continued', {}, 'nothing', 'nothing'],
  ['surface_detected', {}, 'nothing', 'nothing'],
  ['agent_described', {}, 'nothing', 'nothing'],
  ['work_started', {}, 'nothing', 'nothing'],
  ['work_ended', {}, 'nothing', 'nothing'],
  ['dependency_resolved', {}, 'nothing', 'nothing'],
  ['untracked_edit', {}, 'nothing', 'nothing'],
  ['guard_gap', {}, 'nothing', 'nothing'],
  ['decision', {}, 'nothing', 'nothing'],
  ['escalation', {}, 'nothing', 'nothing'],
];

describe('STA-6 what every event says of the turn', () => {
  test('STA-6 no event type is left out', () => {
    expect(new Set(signals.map(([type]) => type))).toEqual(new Set(eventTypes));
  });

  test.each(signals)('STA-6 %s %j', (type, payload, byMain, byHelper) => {
    expect([
      turnSignal(anEvent(0, type, payload, main), true),
      turnSignal(anEvent(0, type, payload, helper), false),
    ]).toEqual([byMain, byHelper]);
  });

  test('STA-6 a piece of news that was not told by a hook says nothing', () => {
    const news = anEvent(0, 'notification', { unknown: true }, { ...main, source: 'transcript' });
    expect(turnSignal(news, true)).toBe('nothing');
  });
});

describe('STA-6 the life of a session, cell by cell', () => {
  const reviving: Readonly<Record<SessionLife, readonly EventType[]>> = {
    active: eventTypes.filter((type) => type !== 'session_ended'),
    idle: eventTypes.filter((type) => type !== 'session_ended'),
    stale: eventTypes.filter((type) => type !== 'session_ended'),
    completed: ['session_started', 'user_prompt'],
  };

  test.each(sessionStates.flatMap((life) => eventTypes.map((type) => [life, type] as const)))(
    'SES-3 %s × %s',
    (life, type) => {
      const next = lifeTable[life][type];
      expect(next).toBe(reviving[life].includes(type) ? 'active' : 'completed');
      expect(nextLife(life, anEvent(0, type, {}, main))).toBe(next);
    },
  );

  const gone = anEvent(0, 'agent_stopped', { reason: 'process_gone' }, { ...main, source: 'synthetic' });
  test.each(sessionStates)('SES-3 %s, and the process is gone', (life) => {
    expect(nextLife(life, gone)).toBe(life === 'completed' ? 'completed' : 'stale');
  });

  test('SES-3 what is only found out about the past brings no stale session back', () => {
    const found = (type: EventType) => nextLife('stale', anEvent(0, type, {}, { ...main, source: 'transcript' }));
    expect(eventTypes.filter((type) => found(type) === 'active')).toEqual([
      'session_started',
      'user_prompt',
      'heartbeat',
    ]);
  });
});
