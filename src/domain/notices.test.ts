import { expect, test } from 'vitest';
import { aSession, anAgent } from '../../test/webview/fixtures.ts';
import type { Agent, Cause, Session, Wait } from '../protocol/state.ts';
import { type NoticeTrack, trackNotices } from './notices.ts';

const START = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

type Step = Partial<Session> & { readonly wait?: Partial<Wait> };

/** What begins at each step of one session; `!` before what is over. */
function story(...steps: readonly Step[]): readonly string[] {
  let track: NoticeTrack | undefined;
  return steps.map(({ wait, ...changes }) => {
    const session = aSession({ id: 's', ...changes });
    const agents: readonly Agent[] = [
      anAgent({
        id: 's/a',
        sessionId: 's',
        wait: wait ? { kind: 'permission', since: session.phaseSince ?? '', ...wait } : null,
      }),
    ];
    const seen = trackNotices(track, { sessions: [session], agents: [...agents] });
    track = seen.track;
    return [...seen.over.map(({ kind }) => `!${kind}`), ...seen.begun.map(({ kind }) => kind)].join(' ');
  });
}

const ended: Cause = { event: 'turn_ended', source: 'hook' };
const busy = (s: number): Step => ({ phase: 'busy', phaseSince: at(s) });
const waits = (s: number, wait: Partial<Wait> = {}): Step => ({
  phase: 'waiting_permission',
  phaseSince: at(s),
  phaseBecause: { event: 'agent_blocked', source: 'hook' },
  wait: { ...wait, since: at(s) },
});
const over = (s: number, because: Partial<Cause> = {}): Step => ({
  phase: 'interactable',
  phaseSince: at(s),
  phaseBecause: { ...ended, ...because },
});
const question: Step = {
  phase: 'waiting_question',
  phaseSince: at(5),
  phaseBecause: { event: 'agent_blocked', source: 'hook' },
};
const silent = (s: number): Step => ({
  phase: 'waiting_question',
  phaseSince: at(s),
  phaseBecause: { event: 'notification', source: 'hook', detail: 'idle' },
});

const stories: readonly (readonly [string, readonly Step[], readonly string[]])[] = [
  ['what waits already is nothing new', [waits(1), waits(1)], ['', '']],
  ['a permission, and its answer', [busy(0), waits(5), busy(0)], ['', 'permission', '!permission']],
  ['a question', [busy(0), question], ['', 'question']],
  ['one wait in the words of two sources', [busy(0), waits(5), waits(6, { toolUseId: 't1' })], ['', 'permission', '']],
  [
    'two waits without a pause between them',
    [busy(0), waits(5, { toolUseId: 't1' }), waits(6, { toolUseId: 't2' })],
    ['', 'permission', '!permission permission'],
  ],
  [
    'two waits that do not say for which call',
    [busy(0), waits(5), waits(30)],
    ['', 'permission', '!permission permission'],
  ],
  ['a turn of ten seconds', [busy(0), over(10)], ['', 'turnEnded']],
  ['a short turn', [busy(0), over(9)], ['', '']],
  ['the time of a turn counts its waits', [busy(0), waits(8), over(12)], ['', 'permission', '!permission turnEnded']],
  [
    'silence after a turn, however often it is told',
    [busy(0), over(20), silent(20), silent(20)],
    ['', 'turnEnded', '', ''],
  ],
  ['silence alone', [busy(0), silent(70)], ['', '']],
  ['an interrupt', [busy(0), over(60, { detail: 'interrupted' })], ['', '']],
  ['a failure, however soon', [busy(0), over(2, { failure: 'rate_limit' })], ['', 'failed']],
  ['a session that begins', [busy(0), over(20, { event: 'session_started' })], ['', '']],
  ['the next turn', [busy(0), over(20), busy(30), over(50)], ['', 'turnEnded', '!turnEnded', 'turnEnded']],
  ['agents in the background go on', [busy(0), { ...over(20), background: 1 }], ['', '']],
  ['until they are done', [busy(0), { ...over(20), background: 1 }, over(20)], ['', '', 'turnEnded']],
  [
    'headless sessions ask nobody',
    [
      { surface: 'headless', ...busy(0) },
      { surface: 'headless', ...waits(5) },
    ],
    ['', ''],
  ],
  [
    'it falls asleep',
    [busy(0), waits(5), { ...busy(0), state: 'idle', phase: null }],
    ['', 'permission', '!permission'],
  ],
];
test.each(stories)('UI-5 what there is to be told: %s', (_name, steps, told) => {
  expect(story(...steps)).toEqual(told);
});

test('UI-5 a session that is new and waits at once is told of, and each window calls it the same', () => {
  const session = aSession({ id: 'new', ...question });
  const looks = [0, 1].map(() => {
    const { track } = trackNotices(undefined, { sessions: [], agents: [] });
    return trackNotices(track, { sessions: [session], agents: [] }).begun.map(({ key }) => key);
  });
  expect(looks).toEqual([[`new|question|${at(5)}|`], [`new|question|${at(5)}|`]]);
});
