import { expect, test, vi } from 'vitest';
import type { Session } from '../protocol/state.ts';
import { aSession } from '../../test/webview/fixtures.ts';
import { sessionLine } from './sessionWords.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

const blocked = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
const ended = { event: 'turn_ended', source: 'hook' } as const;
const lines: readonly (readonly [Partial<Session>, string])[] = [
  [{ title: 'Fix it' }, 'harbour · working · by hook · Fix it'],
  [{ phase: 'waiting_permission', phaseBecause: blocked }, 'harbour · needs permission · Bash npm test · by hook'],
  [
    { phase: 'waiting_permission', phaseBecause: { event: 'agent_blocked', source: 'synthetic', by: 'status_file' } },
    'harbour · needs permission · from the agent’s own status',
  ],
  [{ phase: 'interactable', phaseBecause: ended, background: 2 }, 'harbour · your move · 2 in background · by hook'],
  [
    { phase: 'interactable', phaseBecause: { ...ended, source: 'transcript', detail: 'interrupted' } },
    'harbour · interrupted · from the transcript',
  ],
  [
    { phase: 'interactable', phaseBecause: { ...ended, detail: 'rate_limit', failure: 'rate_limit' } },
    'harbour · the turn failed · The service is busy: rate limit · by hook',
  ],
  [
    { state: 'idle', phase: null, phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' } },
    'harbour · asleep · inferred',
  ],
  [
    {
      state: 'stale',
      phase: null,
      endReason: 'process_gone',
      phaseBecause: { event: 'agent_stopped', source: 'synthetic', by: 'process' },
    },
    'harbour · its process is gone · from its process',
  ],
  [{ state: 'stale', phase: null, phaseBecause: null }, 'harbour · no sign of life'],
  [{ state: 'completed', phase: null, phaseBecause: null }, 'harbour · ended'],
  [{ phase: null, phaseBecause: null, seenIn: 'transcript' }, 'harbour · seen in transcript only'],
  [{ surface: 'headless', phase: 'interactable', phaseBecause: ended }, 'harbour · quiet · by hook'],
];
for (const [changes, line] of lines) {
  test(`UI-4 STA-3 a line of the tooltip: ${line}`, () => {
    expect(sessionLine(aSession({ id: 's', ...changes }))).toBe(line);
  });
}
