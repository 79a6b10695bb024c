import { expect, test } from 'vitest';
import type { Session, Task } from '../src/protocol/state.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { formatsOf } from './formats.ts';
import { aSession } from '../test/webview/fixtures.ts';
import { contextUse, sessionLabel, sourceWords, taskProgress, tokenWords } from './sessionSentences.ts';

const speech = { strings: panelWords, formats: formatsOf('en'), now: Date.parse('2026-01-01T00:20:00Z') };
const session = aSession({ id: 's', phaseSince: '2026-01-01T00:18:00Z' });

const sources: readonly (readonly [Session['phaseBecause'], string])[] = [
  [null, ''],
  [{ event: 'turn_ended', source: 'hook' }, 'by hook'],
  [{ event: 'turn_ended', source: 'transcript' }, 'from the transcript'],
  [{ event: 'agent_blocked', source: 'synthetic', by: 'status_file' }, 'from the agent’s own status'],
  [{ event: 'agent_stopped', source: 'synthetic', by: 'process' }, 'from its process'],
  [{ event: 'idle', source: 'synthetic', by: 'silence' }, 'inferred'],
  [{ event: 'agent_blocked', source: 'synthetic' }, 'inferred'],
];
for (const [phaseBecause, words] of sources) {
  test(`STA-3 told by ${phaseBecause?.by ?? phaseBecause?.source ?? 'nobody'}: "${words}"`, () => {
    expect(sourceWords(panelWords, { ...session, phaseBecause })).toBe(words);
  });
}

const labels: readonly (readonly [Partial<Session>, string])[] = [
  [{}, 'harbour: Working, 2 min, by hook'],
  [{ title: 'Faster tides' }, 'harbour: Working, 2 min, Faster tides, by hook'],
  [
    {
      phase: 'waiting_permission',
      phaseBecause: { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' },
    },
    'harbour: Needs permission, Bash npm test, 2 min, by hook',
  ],
  [
    {
      state: 'idle',
      phase: null,
      phaseSince: '2026-01-01T00:00:00Z',
      phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' },
    },
    'harbour: Asleep, for 20 min, inferred',
  ],
  [
    { phase: null, phaseSince: null, phaseBecause: null, seenIn: 'transcript', background: 1 },
    'harbour: Seen in transcript only, 1 in background',
  ],
  [
    {
      state: 'stale',
      phase: null,
      phaseSince: null,
      phaseBecause: null,
      endReason: 'process_gone',
      endedAt: '2026-01-01T00:15:00Z',
    },
    'harbour: Its process is gone, 5 min',
  ],
  [{ seenIn: 'transcript' }, 'harbour: Working, 2 min, by hook, Seen in transcript only'],
];
for (const [changes, label] of labels) {
  test(`UI-7 a session is called "${label}"`, () => {
    expect(sessionLabel(speech, { ...session, ...changes })).toBe(label);
  });
}

const task = (id: string, status: Task['status']): Task => ({ id, title: `Doing ${id}`, status });

test('UI-3 tasks are counted, and the one that is being done is named', () => {
  expect([
    taskProgress(speech, []),
    taskProgress(speech, [task('a', 'completed'), task('b', 'failed'), task('c', 'in_progress'), task('d', 'pending')]),
    taskProgress(speech, [task('a', 'completed')]),
  ]).toEqual([undefined, { count: '1 of 4 tasks', doing: 'Doing c' }, { count: '1 of 1 tasks', doing: '' }]);
});

const uses: readonly (readonly [number, number | null, unknown])[] = [
  [0, 200_000, undefined],
  [84_000, 200_000, { short: 'Context 42%', full: '84K of 200K tokens (42%)', share: 0.42 }],
  [210_000, 200_000, { short: 'Context 100%', full: '210K of 200K tokens (100%)', share: 1 }],
  [45_200, null, { short: '45.2K tokens in context', full: '45.2K tokens in context', share: undefined }],
  [45_200, 0, { short: '45.2K tokens in context', full: '45.2K tokens in context', share: undefined }],
];
for (const [contextUsed, contextWindow, expected] of uses) {
  test(`UI-2 ${contextUsed} tokens of ${contextWindow ?? 'an unknown number'} as context used`, () => {
    expect(contextUse(speech, { ...session, usage: { tokensCached: 0, contextUsed, contextWindow } })).toEqual(
      expected,
    );
  });
}

test('UI-3 tokens are told in and out, and not before there are any', () => {
  const counts = { ...session.counts, tokensIn: 91_400, tokensOut: 12_300 };
  expect([tokenWords(speech, session), tokenWords(speech, { ...session, counts })]).toEqual([
    '',
    '91.4K in, 12.3K out',
  ]);
});
