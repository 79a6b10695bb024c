import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import { eventTypes } from '../protocol/eventPayloads.ts';
import { anEvent } from './event.testkit.ts';
import { interactionOf, sayingTypes, searchable } from './interactions.ts';

const sub = { agent_id: 's/a1' };

describe('CNV-1 which events are interactions', () => {
  const table: readonly [
    string,
    AgentEvent,
    readonly [role: string, content: string, skillName: string] | undefined,
  ][] = [
    ['a prompt', anEvent(1, 'user_prompt', { prompt: 'hi' }), ['user', 'hi', 'user_prompt']],
    [
      'a prompt of another agent program',
      anEvent(1, 'user_prompt', { prompt: 'hi' }, { provider: 'codex' }),
      ['user', 'hi', 'user_prompt'],
    ],
    [
      'a prompt that nobody typed',
      anEvent(1, 'user_prompt', { prompt: '<task-notification>', synthetic: true }),
      undefined,
    ],
    ['an empty prompt', anEvent(1, 'user_prompt', { prompt: '' }), undefined],
    ['a prompt that is no text', anEvent(1, 'user_prompt', { prompt: ['hi'] }), undefined],
    [
      'a reply',
      anEvent(1, 'turn_ended', { reason: 'completed', message: 'done' }),
      ['assistant', 'done', 'claude_response'],
    ],
    [
      'a reply of Codex',
      anEvent(1, 'turn_ended', { message: 'done' }, { provider: 'codex' }),
      ['assistant', 'done', 'codex_response'],
    ],
    [
      'what was said until an interrupt',
      anEvent(1, 'turn_ended', { reason: 'interrupted', message: 'half' }),
      ['assistant', 'half', 'claude_response'],
    ],
    [
      'the error of a failed turn',
      anEvent(1, 'turn_ended', { reason: 'failed', message: 'API Error: 529' }),
      undefined,
    ],
    ['a turn without a reply', anEvent(1, 'turn_ended', { reason: 'completed' }), undefined],
    [
      'a sub-agent’s final reply',
      anEvent(1, 'agent_stopped', { message: 'found' }, sub),
      ['assistant', 'found', 'claude_response'],
    ],
    ['a sub-agent that only stops', anEvent(1, 'agent_stopped', {}, sub), undefined],
    ['the summary of a compaction', anEvent(1, 'agent_stopped', { message: 'so far', agent_type: '' }, sub), undefined],
    [
      'a prompt that the transcript told',
      anEvent(1, 'prompt_found', { prompt: 'hi' }, { source: 'transcript' }),
      ['user', 'hi', 'user_prompt'],
    ],
    [
      'a reply that the transcript told',
      anEvent(1, 'reply_found', { message: 'done' }, { source: 'transcript' }),
      ['assistant', 'done', 'claude_response'],
    ],
    [
      'a reply that the transcript told of a turn whose end a hook told',
      anEvent(1, 'last_reply_found', { message: 'done' }, { source: 'transcript' }),
      ['assistant', 'done', 'claude_response'],
    ],
    [
      'what a hook calls the last reply',
      anEvent(1, 'notification', { notification_type: 'last_reply', message: 'done' }),
      undefined,
    ],
    [
      'what a hook calls found',
      anEvent(1, 'notification', { notification_type: 'prompt_found', prompt: 'hi' }),
      undefined,
    ],
  ];
  test.each(table)('CNV-1 %s', (_name, event, expected) => {
    const [role, content, skillName] = expected ?? [];
    const { id, session_id: sessionId, agent_id: agentId, ts } = event;
    expect(interactionOf(event)).toEqual(expected && { id, sessionId, agentId, role, content, skillName, ts });
  });

  test('CNV-1 no other type makes one, whatever it carries, so that the store need not look at them', () => {
    const telling = { prompt: 'p', message: 'm' };
    const makers = eventTypes.filter((type) => interactionOf(anEvent(1, type, telling)) !== undefined);
    expect(new Set(makers)).toEqual(new Set(sayingTypes));
  });
});

test.each([
  ['capitals', 'Fix THE Bug', 'fix the bug'],
  ['capitals with accents', 'ÜBER Élan', 'über élan'],
  ['Korean as macOS writes it in pieces', '한글'.normalize('NFD'), '한글'],
  ['wide letters', 'ＡＢＣ１２３', 'abc123'],
  ['Japanese', '日本語のテスト', '日本語のテスト'],
  ['a lone surrogate', 'a\ud800b', 'a\ud800b'],
])('COL-6 search knows no difference: %s', (_name, text, expected) => {
  expect(searchable(text)).toBe(searchable(expected));
});
