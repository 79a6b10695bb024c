import { expect, test } from 'vitest';
import { eventTypes } from '../protocol/event.ts';
import type { SessionLife } from '../protocol/state.ts';
import { lifeTable } from './life.ts';
import { nextTurnPhase, turnPhases, turnSignals, turnTable } from './phase.ts';

const cells = turnPhases.flatMap((phase) => turnSignals.map((signal) => [phase, signal] as const));

test.each(cells)('STA-6 %s × %s is a cell of the table', (phase, signal) => {
  expect(turnPhases).toContain(turnTable[phase][signal]);
});

test.each(turnPhases)('STA-6 nothing happening changes nothing in %s', (phase) => {
  expect(nextTurnPhase(phase === 'none' ? null : phase, 'nothing')).toBe(phase === 'none' ? null : phase);
});

const expected: readonly [Parameters<typeof nextTurnPhase>[0], Parameters<typeof nextTurnPhase>[1], string | null][] = [
  [null, 'started', 'interactable'],
  ['interactable', 'prompted', 'busy'],
  ['busy', 'resulted', 'busy'],
  ['busy', 'ended', 'interactable'],
  ['interactable', 'resulted', 'interactable'],
  ['interactable', 'worked', 'busy'],
  ['interactable', 'leftIdle', 'waiting_question'],
  ['waiting_question', 'prompted', 'busy'],
  ['busy', 'compacted', 'busy'],
  ['busy', 'closed', null],
];
test.each(expected)('STA-2 %s, then %s: %s', (phase, signal, next) => {
  expect(nextTurnPhase(phase, signal)).toBe(next);
});

test('SES-3 after completed only a start or a prompt revives, after stale everything does', () => {
  const reviving = (state: SessionLife) => eventTypes.filter((type) => lifeTable[state][type] === 'active');
  expect(reviving('completed').toSorted()).toEqual(['session_started', 'user_prompt']);
  expect(eventTypes.filter((type) => !reviving('stale').includes(type))).toEqual(['session_ended']);
});
