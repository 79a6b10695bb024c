import { expect, test } from 'vitest';
import { eventTypes, type EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import { sessionEventSchema } from '../protocol/sessionEvent.ts';
import { anEvent } from './event.testkit.ts';
import { sessionEventOf } from './sessionEvents.ts';

const anybody = () => true;

test('EVT-1 what hooks tell of a session’s story, and nothing else', () => {
  const payload = { source: 'resume', model: 'm', reason: 'clear', prompt: 'do  it\nnow', agent_type: 'Explore' };
  const toldByUs: readonly EventType[] = [
    ...(['compaction_started', 'context_loaded', 'decision', 'escalation', 'untracked_edit', 'guard_gap'] as const),
    ...(['work_started', 'work_ended', 'dependency_resolved'] as const),
  ];
  const types = eventTypes.filter((type) => !toldByUs.includes(type));
  const told = types.map((type) => sessionEventOf(anEvent(1, type, payload), anybody)).filter(Boolean);
  const common = { id: 'e1', session_id: 's', severity: 'info', created_at: '2026-01-01T00:00:01.000Z' };
  expect(told).toEqual([
    {
      ...common,
      event_type: 'agent_activated',
      summary: 'Explore began',
      details: { agent_id: 's/main', agent_type: 'Explore' },
    },
    {
      ...common,
      event_type: 'agent_deactivated',
      summary: 'Explore ended (clear)',
      details: { agent_id: 's/main', agent_type: 'Explore', reason: 'clear' },
    },
    {
      ...common,
      event_type: 'session_start',
      summary: 'Session started (resume)',
      details: { source: 'resume', model: 'm' },
    },
    { ...common, event_type: 'session_end', summary: 'Session ended (clear)', details: { reason: 'clear' } },
    { ...common, event_type: 'user_request', summary: 'do it now', details: { prompt: 'do  it\nnow' } },
  ]);
});

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['numbers', { source: 1, model: 2, reason: 3, prompt: 4, agent_type: 5 }],
  ['lists and objects', { source: [], model: {}, reason: [[]], prompt: { a: 1 }, agent_type: null }],
  ['empty texts', { source: '', model: '', reason: '', prompt: '', agent_type: '' }],
])('EVT-1 a payload of %s has its story told all the same', (_name, payload) => {
  for (const type of eventTypes) {
    const told = sessionEventOf(anEvent(1, type, payload), anybody);
    if (!told) continue;
    expect(sessionEventSchema.safeParse(told).success).toBe(true);
    expect(told.summary).not.toBe('');
  }
});

test('CNV-4 EVT-1 of a request that is not kept it is told why: it was private, or logging was off', () => {
  const told = (payload: JsonObject) => sessionEventOf(anEvent(1, 'user_prompt', payload), anybody)?.details;
  expect([told({ unlogged: true, private: true }), told({ unlogged: true }), told({})]).toEqual([
    { unlogged: 'private' },
    { unlogged: 'off' },
    {},
  ]);
});

test('EVT-1 however long the words are, what is told of them is bounded', () => {
  const long = 'x '.repeat(500_000);
  for (const type of eventTypes) {
    const payload = { source: long, model: long, reason: long, prompt: long, agent_type: long };
    const told = sessionEventOf(anEvent(1, type, payload), anybody);
    if (told) expect(JSON.stringify(told).length).toBeLessThan(3_000);
  }
});

test('EVT-1 nobody is told of whom nobody saw, nor of a request that nobody typed', () => {
  expect([
    sessionEventOf(anEvent(1, 'agent_started'), () => false),
    sessionEventOf(anEvent(1, 'agent_stopped'), () => false),
    sessionEventOf(anEvent(1, 'user_prompt', { prompt: 'x', synthetic: true }), anybody),
  ]).toEqual([undefined, undefined, undefined]);
});

test('EVT-2 a compaction begins with its checkpoint, and one word ends it, whoever says so', () => {
  const checkpoint = {
    request: 'mend the till',
    requestOpen: true,
    tasks: ['one', 'two'],
    files: ['a.ts'],
    commands: [{ text: 'npm test', outcome: 'passed', check: true }],
    reply: '',
  };
  const told = (type: EventType, payload: JsonObject, provider = 'claude') =>
    sessionEventOf(anEvent(1, type, payload, { provider }), anybody);
  expect(told('compaction_started', { trigger: 'auto', checkpoint })?.details).toEqual({
    trigger: 'auto',
    request: 'mend the till',
    open_tasks: 'one\ntwo',
    files_edited: 'a.ts',
    commands: 'npm test (passed)',
  });
  for (const odd of [undefined, null, 'x', [], { tasks: 'x', commands: [1], files: [{}] }])
    expect(told('compaction_started', { checkpoint: odd ?? null })?.event_type).toBe('checkpoint_created');
  const ends = ['claude', 'codex'].flatMap((provider) => [
    told('compaction_ended', {}, provider)?.event_type,
    told('session_started', { source: 'compact' }, provider)?.event_type,
  ]);
  expect(ends).toEqual([undefined, 'compact', 'compact', undefined]);
  const sub = anEvent(1, 'compaction_started', {}, { agent_id: 's/helper' });
  expect(sessionEventOf(sub, anybody)).toBeUndefined();
});
