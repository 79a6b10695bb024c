import { expect, test } from 'vitest';
import { aSession } from '../../test/webview/fixtures.ts';
import { isFilter, type SessionFilter, sessionFilter, sessionHint } from './sessionFilter.ts';

const session = aSession({
  id: 's',
  project: '/p/"odd"\\orchard',
  provider: 'codex',
  title: 'Ｔｉｄｙ the Straße 정리',
  lastEventAt: '2026-03-02T10:00:00.000Z',
});

test.each<[SessionFilter, boolean]>([
  [{}, true],
  [{ project: session.project }, true],
  [{ project: '/p' }, false],
  [{ provider: 'codex' }, true],
  [{ provider: 'claude' }, false],
  [{ title: 'tidy THE' }, true],
  [{ title: '정리' }, true],
  [{ title: 'tidy a' }, false],
  [{ from: '2026-03-02T11:00:00+01:00' }, true],
  [{ from: '2026-03-02T10:00:00.001Z' }, false],
  [{ to: '2026-03-02T10:00:00.001Z' }, true],
  [{ to: '2026-03-02T10:00:00Z' }, false],
  [{ project: session.project, title: 'tidy', provider: 'codex', from: '2026-01-01T00:00:00Z' }, true],
  [{ project: session.project, title: 'tidy', provider: 'claude' }, false],
])('UI-1 CNV-3 of sessions those are wanted that %j says: %s', (filter, wanted) => {
  expect([sessionFilter(filter)(session), isFilter(filter)]).toEqual([wanted, Object.keys(filter).length > 0]);
  // Whatever is wanted must never be passed over unread.
  if (wanted) expect(sessionHint(filter)(JSON.stringify({ session }))).toBe(true);
});

test.each([{ project: '/p/other' }, { provider: 'claude' }, { title: 'not there' }])(
  'UI-1 a session that does not even hold %j is passed over without reading it',
  (filter) => {
    expect(sessionHint(filter)(JSON.stringify({ session }))).toBe(false);
  },
);

test.each(['say "hello"', 'back\\slash', '＂wide＂', 'line\nline', '\u0001'])(
  'UI-1 a title that JSON writes in another way is found: %j',
  (title) => {
    const json = JSON.stringify({ session: aSession({ id: 's', title: `a ${title} b` }) });
    expect(sessionHint({ title })(json)).toBe(true);
  },
);
