import { beforeEach, expect, test, vi } from 'vitest';
import { aSession } from '../../test/webview/fixtures.ts';
import type { Page } from '../app/ports.ts';
import { fakeClock } from '../app/testkit/fakes.testkit.ts';
import type { SessionsQuery } from '../protocol/reading.ts';
import type { Session } from '../protocol/state.ts';
import { clearEditor, editor } from './hooks/editor.testkit.ts';
import { storedSessions, wantedSession } from './sessionPick.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const noon = new Date(2026, 0, 2, 12).getTime();
const past = (id: string, hour: number, changes: Partial<Session> = {}) =>
  aSession({
    ...{ id, title: `Title of ${id}`, state: 'completed', phase: null },
    ...{ lastEventAt: new Date(2026, 0, 1, hour).toISOString() },
    ...changes,
  });

/** Pages that a collector answers with, one after the other. */
function paged(...pages: readonly (Page<Session> | undefined)[]) {
  const asked: SessionsQuery[] = [];
  const collector = {
    sessions(query: SessionsQuery) {
      asked.push(query);
      return Promise.resolve(pages[asked.length - 1]);
    },
  };
  return { asked, collector };
}

test('CNV-3 COL-6 reads on after a short page, as there are after an upgrade', async () => {
  const { collector, asked } = paged(
    { items: [past('new', 5)], next: 'a' },
    { items: [], next: 'b' },
    { items: [past('old', 3)], next: null },
  );
  editor.answers.push('Title of old');
  expect(await wantedSession({ collector, clock: fakeClock(noon) }, 'pick.conversation')).toBe('old');
  expect(asked).toEqual([
    { limit: 500, cursor: undefined },
    { limit: 499, cursor: 'a' },
    { limit: 499, cursor: 'b' },
  ]);
});

test('CNV-3 reads at most 500 sessions, and keeps those it has when the collector stops answering', async () => {
  const many = Array.from({ length: 300 }, (_, index) => past(String(index), 1));
  const full = paged({ items: many, next: 'a' }, { items: many.slice(100), next: 'b' });
  const cut = paged({ items: [past('new', 5)], next: 'a' }, undefined);
  const endless = paged(...Array.from({ length: 50 }, () => ({ items: [], next: 'a' })));
  const counts = [];
  for (const { collector } of [full, cut, endless, paged(undefined)])
    counts.push((await storedSessions(collector))?.length);
  expect([counts, endless.asked.length]).toEqual([[500, 1, 0, undefined], 10]);
});

test('CNV-3 SES-6 sorts the sessions to choose from by the times that they show', async () => {
  const lastWorkAt = new Date(2026, 0, 1, 2).toISOString();
  const items = [past('found late', 9, { lastWorkAt }), past('worked in', 5, { worktree: 'fix-lamp' })];
  const { collector } = paged({ items, next: null });
  await wantedSession({ collector, clock: fakeClock(noon) }, 'pick.conversation');
  expect(editor.lists[0]?.map(({ label, detail }) => [label, detail])).toEqual([
    ['$(circle-outline) Title of worked in', 'harbour · worktree fix-lamp · Jan 1, 2026 05:00:00'],
    ['$(circle-outline) Title of found late', 'harbour · Jan 1, 2026 02:00:00'],
  ]);
});
