import { expect, test } from 'vitest';
import type { Session } from '../src/protocol/state.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { aSession } from '../test/webview/fixtures.ts';
import { announcements } from './announce.ts';

const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
const idle = { event: 'notification', source: 'hook', detail: 'idle' } as const;
const busy = aSession({ id: 's', phaseSince: '2026-01-01T00:00:00Z' });
const waits = {
  ...busy,
  phase: 'waiting_permission',
  phaseBecause: because,
  phaseSince: '2026-01-01T00:01:00Z',
} as const;
const yours = { ...busy, phase: 'interactable', phaseSince: '2026-01-01T00:02:00Z' } as const;

const limited = { event: 'turn_ended', source: 'hook', detail: 'rate_limit', failure: 'rate_limit' } as const;
const failed = { ...yours, phaseBecause: limited } as const;
const failedOddly = { ...failed, phaseBecause: { ...limited, failure: 'brand_new_error' } } as const;

const interrupted = {
  ...yours,
  phaseBecause: { event: 'turn_ended', source: 'transcript', detail: 'interrupted' },
} as const;
const corrected = {
  ...waits,
  phaseBecause: { event: 'agent_blocked', source: 'synthetic', by: 'status_file' },
} as const;
const asleep = {
  ...busy,
  state: 'idle',
  phase: null,
  phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' },
  phaseSince: '2026-01-01T00:20:00Z',
} as const;
const gone = { ...asleep, state: 'stale', endReason: 'process_gone' } as const;

const changes: readonly (readonly [string, Session | undefined, Session, readonly string[]])[] = [
  ['busy to permission', busy, waits, ['harbour needs your permission: Bash npm test']],
  ['busy to a question', busy, { ...busy, phase: 'waiting_question', phaseBecause: null }, ['harbour has a question']],
  ['busy to your move', busy, yours, ['harbour: the turn ended, your move']],
  [
    'a second wait after the first',
    waits,
    { ...waits, phaseSince: '2026-01-01T00:03:00Z' },
    ['harbour needs your permission: Bash npm test'],
  ],
  ['the same wait again', waits, { ...waits, title: 'new' }, []],
  ['permission to busy', waits, busy, []],
  [
    'your move to quiet',
    yours,
    { ...yours, phase: 'waiting_question', phaseBecause: idle, phaseSince: '2026-01-01T00:09:00Z' },
    [],
  ],
  ['a failure', busy, failed, ['harbour: The turn failed. The service is busy: rate limit']],
  ['a failure of a new kind', busy, failedOddly, ['harbour: The turn failed']],
  ['a failure in a wait', waits, failed, ['harbour: The turn failed. The service is busy: rate limit']],
  [
    'a failure seen after your move',
    yours,
    { ...failed, phaseSince: '2026-01-01T00:05:00Z' },
    ['harbour: The turn failed. The service is busy: rate limit'],
  ],
  [
    'a second failure after the first',
    failed,
    { ...failed, phaseSince: '2026-01-01T00:05:00Z' },
    ['harbour: The turn failed. The service is busy: rate limit'],
  ],
  ['the same failure again', failed, { ...failed, title: 'new' }, []],
  ['a failure to quiet', failed, { ...failed, phase: 'waiting_question', phaseBecause: idle }, []],
  ['a failure to your move', failed, { ...yours, phaseSince: '2026-01-01T00:09:00Z' }, []],
  ['a failed one that wakes up', { ...busy, phase: null }, failed, []],
  ['an interrupt', busy, interrupted, ['harbour: the turn was interrupted, your move']],
  ['an interrupt that a second source tells', interrupted, { ...interrupted, phaseSince: '2026-01-01T00:05:00Z' }, []],
  ['an end after the interrupt', interrupted, { ...yours, phaseSince: '2026-01-01T00:05:00Z' }, []],
  ['an interrupt found out after the end', yours, { ...interrupted, phaseSince: '2026-01-01T00:05:00Z' }, []],
  ['a correction to a wait', busy, corrected, ['harbour needs your permission']],
  ['the hook of the same wait, a moment later', corrected, { ...waits, phaseSince: '2026-01-01T00:01:01Z' }, []],
  ['a process that is gone', busy, gone, ['harbour: Its process is gone']],
  ['a process that is gone, again', gone, { ...gone, title: 'new' }, []],
  ['an ordinary end', yours, { ...yours, state: 'completed', phase: null }, []],
  ['falling asleep', yours, asleep, []],
  ['falling asleep after a failure', failed, { ...asleep, phaseBecause: { ...limited, event: 'idle' } }, []],
  ['waking up after a failure', { ...asleep, phaseBecause: { ...limited, event: 'idle' } }, failed, []],
  ['waking up to a wait', asleep, waits, ['harbour needs your permission: Bash npm test']],
  ['a headless turn’s end', { ...busy, surface: 'headless' }, { ...yours, surface: 'headless' }, []],
  ['a newcomer', undefined, waits, []],
  ['one that wakes up', { ...busy, phase: null }, yours, []],
];
for (const [name, before, after, expected] of changes) {
  test(`UI-7 ${name} is announced as ${JSON.stringify(expected)}`, () => {
    const earlier = new Map(before === undefined ? [] : [[before.id, before]]);
    expect(announcements(panelWords, earlier, new Map([[after.id, after]]))).toEqual(expected);
  });
}
