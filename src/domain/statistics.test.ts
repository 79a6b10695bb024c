import { expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import { anEvent } from './event.testkit.ts';
import { eventsOf, recording } from './recordings.testkit.ts';
import { compareKeys, orderKey } from './order.ts';
import { reduceAll } from './reduce.ts';
import { settleSession } from './settle.ts';
import { statisticsOf } from './statistics.ts';

function statistics(events: readonly AgentEvent[], silentMs = 0) {
  const state = reduceAll(events.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b))));
  if (!state) throw new Error('a session of events has a state');
  const now = Date.parse(state.session.lastEventAt) + silentMs;
  return statisticsOf(settleSession(state, now, { idleMs: Infinity }).session);
}

const turn = [
  anEvent(0, 'session_started', { source: 'startup' }),
  anEvent(1, 'user_prompt', { prompt: 'go' }),
  anEvent(2, 'tool_started', { tool_name: 'Bash', tool_use_id: 't' }),
  anEvent(4, 'tool_failed', { tool_name: 'Bash', tool_use_id: 't' }),
  anEvent(10, 'turn_ended', { reason: 'completed', message: 'done' }),
];
const counted = { prompts: 1, replies: 1, toolCalls: 1, failures: 1, subagents: 0, tokensIn: 0, tokensOut: 0 };
const end = anEvent(20, 'session_ended', { reason: 'prompt_input_exit' });
const DAY = 24 * 3_600_000;

test('CNV-2 at its end a session’s figures are final', () => {
  expect(statistics([...turn, end])).toEqual({ ...counted, durationMs: 20_000, endReason: 'prompt_input_exit', final: true }); // prettier-ignore
});

test('CNV-2 what goes on is not final, and lasts until its last event', () => {
  expect(statistics(turn)).toEqual({ ...counted, durationMs: 10_000, endReason: null, final: false });
});

test('CNV-2 a session whose process was gone is final, and so is one of which nobody heard for a day', () => {
  const gone = anEvent(12, 'agent_stopped', { reason: 'process_gone', by: 'process' }, { source: 'synthetic' });
  expect(statistics([...turn, gone])).toEqual({ ...counted, durationMs: 10_000, endReason: 'process_gone', final: true }); // prettier-ignore
  expect(statistics(turn, 2 * DAY)).toEqual({ ...counted, durationMs: 10_000, endReason: null, final: true });
});

test('CNV-2 three days open after an hour of work are no three days', () => {
  const days = 3 * 24 * 3_600;
  const gone = anEvent(days, 'agent_stopped', { reason: 'process_gone', by: 'process' }, { source: 'synthetic' });
  const closed = anEvent(days, 'session_ended', { reason: 'prompt_input_exit' });
  const idle = anEvent(days - 1, 'notification', { notification_type: 'idle_prompt' });
  for (const last of [gone, closed])
    expect(statistics([...turn, idle, last])).toMatchObject({ durationMs: 10_000, final: true });
});

test('CNV-2 what comes after the end does not make it longer', () => {
  const late = anEvent(90, 'agent_stopped', { agent_type: 'Explore' }, { agent_id: 's/a' });
  expect(statistics([...turn, end, late])).toMatchObject({ durationMs: 20_000, final: true });
});

test('CNV-2 a resumed session goes on where it was, and ends again', () => {
  const resumed = [...turn, end, anEvent(60, 'session_started', { source: 'resume' })];
  expect(statistics(resumed)).toMatchObject({ ...counted, final: false, endReason: null });
  const again = [...resumed, anEvent(61, 'user_prompt', { prompt: 'more' }), anEvent(70, 'session_ended', { reason: 'clear' })]; // prettier-ignore
  expect(statistics(again)).toMatchObject({ prompts: 2, durationMs: 70_000, endReason: 'clear', final: true });
});

test('CNV-2 hooks that are installed twice count once', () => {
  const twice = turn.flatMap((event) => (event.event_type.startsWith('tool_') || event.event_type === 'turn_ended' ? [event, { ...event, id: `${event.id}-again` }] : [event])); // prettier-ignore
  expect(statistics([...twice, end])).toMatchObject(counted);
});

/** By hand: what the recordings' notes and payloads hold. */
const golden: readonly [string, object][] = [
  ['claude/2.1.327/p-subs', { prompts: 1, replies: 1, toolCalls: 4, failures: 0, subagents: 2, endReason: 'other', final: true }],
  ['claude/2.1.327/p-fail', { prompts: 1, replies: 1, toolCalls: 2, failures: 2, endReason: 'other', final: true }],
  ['claude/2.1.327/p-err500', { prompts: 1, replies: 0, endReason: 'other', final: true }],
  ['claude/2.1.327/interactive-kill-9', { endReason: null, final: false }],
  ['codex/codex-exec-shell', { prompts: 1, replies: 1, toolCalls: 1, endReason: 'other', final: true }],
  ['codex/codex-exec-sigkill', { prompts: 1, replies: 0, endReason: null, final: false }],
]; // prettier-ignore

test.each(golden)('CNV-2 the figures of %s', (name, expected) => {
  const events = eventsOf(recording(`${name}.jsonl`));
  const [{ session_id: first } = { session_id: '' }] = events;
  expect(statistics(events.filter(({ session_id: id }) => id === first))).toMatchObject(expected);
});
