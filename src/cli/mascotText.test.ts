import { describe, expect, it } from 'vitest';
import { searchLines, sessionLines, statusLines } from './mascotText.ts';
import { age, printable, shortened } from './text.ts';

const escape = '\u001b';
const session = {
  id: 'session-1',
  state: 'active',
  phase: 'waiting_permission',
  lastEventAt: '2026-11-18T12:00:00.000Z',
  project: '/home/dev/project',
  cwd: '/home/dev/project/sub',
  title: `Fix the ${escape}[31mred\nbutton`,
};
const sessions = [
  session,
  { ...session, id: 's2', phase: 'busy', project: '', cwd: 'C:\\work\\앱', title: '' },
  { ...session, id: 's3', state: 'completed', phase: null, lastEventAt: 'never' },
  { ...session, id: 's4', phase: 'waiting_question', phaseBecause: { detail: 'idle' }, title: 'idle' },
];
const owner = {
  instance: 'i',
  generation: 1,
  app: 'Visual Studio Code',
  version: '0.1.0',
  startedAt: '2026-11-18T11:00:00.000Z',
};
const state = {
  revision: 7,
  owner,
  sessions,
  agents: [{ present: true }, { present: false }, 7],
  workItems: [],
  guardGaps: [],
};
const now = Date.parse('2026-11-18T12:05:30.000Z');

describe('HKI-9 what mascot prints', () => {
  it('HKI-9 status in words, the urgent first', () => {
    expect(statusLines(state, 'http://127.0.0.1:4820')).toEqual([
      'Collector  http://127.0.0.1:4820',
      'Runs in    Visual Studio Code 0.1.0',
      'Since      2026-11-18T11:00:00.000Z',
      'Sessions   3 · 1 waiting for permission · 1 ready · 1 busy',
      'Agents     1',
    ]);
  });

  it('HKI-9 sessions in columns that stay aligned with wide letters', () => {
    expect(sessionLines({ items: sessions, next: 'more' }, now)).toEqual([
      'ID         STATE      PHASE                   LAST   PROJECT  TITLE',
      'session-1  active     waiting for permission  5 min  project  Fix the  [31mred button',
      's2         active     busy                    5 min  앱       -',
      's3         completed  -                       -      project  Fix the  [31mred button',
      's4         active     ready                   5 min  project  idle',
      'There are more: raise --limit.',
    ]);
  });

  it.each([
    ['an empty list', { items: [], next: null }],
    ['an answer of another shape', { items: 'none' }],
  ])('HKI-9 %s says so', (_title, answer) => {
    expect(sessionLines(answer, now)).toEqual(['No sessions yet. Start an agent with the hooks installed.']);
  });

  it('HKI-9 a state of another version is shown as far as it is understood', () => {
    expect(statusLines({ sessions: [{ state: 'active', phase: 'dancing' }, null] }, 'x')[3]).toBe('Sessions   1');
  });

  it('HKI-9 what a search found, around the words', () => {
    const hit = {
      sessionId: `s-7${escape}`,
      ts: '2026-11-18T12:00:00.000Z',
      role: 'user',
      sessionTitle: 'A title that is much longer than thirty cells',
      content: `${'before '.repeat(10)}the NEEDLE${escape} itself ${'after '.repeat(40)}`,
    };
    expect(searchLines({ items: [hit, { role: 'robot' }], next: null }, 'needle', now)).toEqual([
      'ID   WHEN   WHO  SESSION                         TEXT',
      expect.stringMatching(
        /^s-7 {2}5 min {2}you {2}A title that is much longer t… {2}…[befor ]{20,30}the NEEDLE itself after .*…$/,
      ),
      '-    -      -    -',
    ]);
    expect(searchLines({ items: [] }, `n${escape}`, now)).toEqual(['Nothing said holds "n".']);
  });

  it('CNV-3 what a search found in another spelling is shown as well', () => {
    const content = `${'before '.repeat(50)}the ＮＥＥＤＬＥ itself`;
    expect(searchLines({ items: [{ content }] }, 'needle', now).at(-1)).toMatch(/the ＮＥＥＤＬＥ itself$/);
  });

  it.each([
    [0, 'now'],
    [59_999, 'now'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
    [-5, 'now'],
    [Number.NaN, '-'],
  ])('HKI-9 %d ms ago is %s', (milliseconds, words) => {
    expect(age(milliseconds)).toBe(words);
  });

  it('HKI-9 no control or direction character reaches the terminal', () => {
    expect(printable(`a${escape}]0;x\u0007b\u202ec\r\nd`)).toBe('a ]0;x b c d');
  });

  it('HKI-9 what is cut is cut between characters', () => {
    expect([shortened('abc', 3), shortened('🙂🙂🙂🙂', 3)]).toEqual(['abc', '🙂🙂…']);
  });
});
