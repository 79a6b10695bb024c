import { beforeEach, expect, test, vi } from 'vitest';
import type { Page } from '../../app/ports.ts';
import type { PageAfter } from '../../app/windowPorts.ts';
import type { SearchHit, SearchQuery } from '../../protocol/reading.ts';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import { aSession } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { clearWorkbench, workbench } from './conversationEditor.testkit.ts';
import { said } from './conversations.testkit.ts';
import { searchConversations, type SearchParts } from './conversationSearch.ts';

vi.mock('vscode', async () => (await import('./conversationEditor.testkit.ts')).conversationVscode);

beforeEach(() => {
  clearEditor();
  clearWorkbench();
});

type Query = SearchQuery & PageAfter;

const aHit = (content: string, changes: Partial<SearchHit> = {}): SearchHit => ({
  ...said(1, 'user', content),
  sessionTitle: 'Fix the light',
  project: '/p/harbour',
  ...changes,
});

function setUp(answer: (query: Query) => Promise<Page<SearchHit> | undefined>) {
  const asked: Query[] = [];
  const opened: unknown[] = [];
  const clock = fakeClock();
  const sessions = ['/p/harbour', '/p/orchard', '/p/harbour'].map((project, index) =>
    aSession({ id: String(index), project }),
  );
  const parts: SearchParts = {
    collector: {
      search(query) {
        asked.push(query);
        return answer(query);
      },
      sessions: () => Promise.resolve({ items: sessions, next: null }),
    },
    machine: { realFolder: (folder) => Promise.resolve(folder), folders: 'linux' },
    conversation: { show: (...place) => Promise.resolve(void opened.push(place)) },
    clock,
  };
  const search = (argument?: unknown) => searchConversations(parts, argument);
  search();
  const pick = workbench.picks[0]!;
  const type = async (words: string) => {
    pick.type(words);
    clock.advance(100);
    await settled();
  };
  return { asked, opened, clock, pick, type, search };
}

const found = (...hits: readonly SearchHit[]) => Promise.resolve({ items: hits, next: null });
const labels = () => workbench.picks[0]?.items.map(({ label }) => label);

test('CNV-3 finds while the person types, with the words in sight, and opens a hit at its place', async () => {
  const ts = new Date(2025, 11, 24, 10, 0, 1).toISOString();
  const hit = aHit(`${'앞 '.repeat(100)}항구의 불빛을\n고쳐 줘`, { ts });
  const { pick, type, opened, asked } = setUp(() => found(hit));
  await type('불빛');
  expect(asked[0]).toMatchObject({ q: '불빛', limit: 50 });
  const [item] = pick.items;
  expect([item?.label.indexOf('불빛') ?? 99, item?.label.includes('\n'), item?.alwaysShow]).toEqual([
    expect.toSatisfy((at: number) => at > 0 && at < 30),
    false,
    true,
  ]);
  expect(item?.detail).toBe('You · harbour · Dec 24, 2025 10:00:01 · Fix the light');
  pick.choose('불빛');
  await settled();
  expect([opened, pick.disposed]).toEqual([[['s', { interactionId: hit.id, words: '불빛' }]], true]);
});

test('CNV-3 asks after a pause in typing, and drops the answer to earlier words', async () => {
  const answers: ((page: Page<SearchHit>) => void)[] = [];
  const { pick, type, asked, clock } = setUp(() => new Promise((resolve) => answers.push(resolve)));
  pick.type('li');
  clock.advance(99);
  pick.type('lig');
  clock.advance(99);
  expect([asked.length, pick.busy]).toEqual([0, false]);
  await type('light');
  await type('lights');
  expect([asked.map(({ q }) => q), pick.busy]).toEqual([['light', 'lights'], true]);
  answers[1]?.({ items: [aHit('new lights')], next: null });
  answers[0]?.({ items: [aHit('old light')], next: null });
  await settled();
  expect([labels(), pick.busy]).toEqual([['new lights'], false]);
  pick.type('');
  expect(labels()).toEqual([]);
});

test('CNV-3 says that nothing was found, that no collector responds, or that the words are too long', async () => {
  let there = true;
  const { type, pick } = setUp(() => (there ? found() : Promise.resolve(undefined)));
  expect(pick.placeholder).toMatch(/^A word or a phrase, just as you or an agent wrote it\./);
  await type('light $(x)');
  expect(labels()).toEqual(['No conversation contains “light \\$(x)” as written.']);
  there = false;
  await type('lights');
  expect(labels()).toEqual(['No window with the collector responds. Try again in a moment.']);
  await type('x'.repeat(201));
  expect(labels()).toEqual(['At most 200 characters can be looked for.']);
});

test('CNV-3 SEC-5 draws no icon from a hit’s words and no invisible characters', async () => {
  const { type, pick } = setUp(() =>
    found(aHit('a $(bell) light\u202e', { sessionTitle: '$(error) title', project: '/p/$(trash)' })),
  );
  await type('light');
  expect([pick.items[0]?.label, pick.items[0]?.detail]).toEqual([
    'a \\$(bell) light',
    expect.stringMatching(/^You · \\\$\(trash\) · .* · \\\$\(error\) title$/),
  ]);
});

test('CNV-3 adds more results at the end, past empty pages', async () => {
  const pages: Record<string, Page<SearchHit>> = {
    first: { items: [aHit('light one')], next: 'a' },
    a: { items: [], next: 'b' },
    b: { items: [aHit('light two')], next: null },
  };
  const { type, pick } = setUp(({ cursor }) => Promise.resolve(pages[cursor ?? 'first']));
  await type('light');
  expect(labels()).toEqual(['light one', 'More results…']);
  pick.choose('More');
  await settled();
  expect([labels(), pick.activeItems.map(({ label }) => label), pick.disposed]).toEqual([
    ['light one', 'light two'],
    ['light two'],
    false,
  ]);
});

test('CNV-3 buttons narrow it by project, by who spoke and by time, and the title says so', async () => {
  editor.folders.push({ name: 'orchard', uri: new FakeUri('file', '/p/orchard/sub') });
  const { type, pick, asked, clock } = setUp(() => found(aHit('light')));
  await type('light');
  expect(pick.title).toBe('Search Conversations · all projects · prompts and replies · any time');
  editor.answers.push('orchard');
  pick.press('folder');
  await settled();
  expect(editor.lists[0]?.map(({ label, detail }) => [label, detail])).toEqual([
    ['all projects', undefined],
    ['orchard', 'open in this window'],
    ['harbour', undefined],
  ]);
  pick.press('person');
  pick.press('calendar');
  pick.press('calendar');
  clock.advance(100);
  await settled();
  expect(pick.title).toBe('Search Conversations · orchard · prompts only · the last 7 days');
  expect(asked.at(-1)).toMatchObject({
    q: 'light',
    project: '/p/orchard',
    role: 'user',
    from: new Date(clock.now() - 7 * 86_400_000).toISOString(),
  });
  expect([pick.shown, pick.disposed]).toEqual([2, false]);
});

test('CNV-3 names the filters when nothing is found, on a line that clears them', async () => {
  const { type, pick, asked, clock } = setUp(({ role }) => (role === undefined ? found(aHit('light')) : found()));
  pick.press('person');
  await type('light');
  expect(labels()).toEqual([
    'No conversation contains “light” as written. Searched: all projects · prompts only · any time.',
    'Clear These Filters and Search Again',
  ]);
  pick.choose('Clear');
  clock.advance(100);
  await settled();
  expect([labels(), pick.title, asked.at(-1)?.role]).toEqual([
    ['light'],
    'Search Conversations · all projects · prompts and replies · any time',
    undefined,
  ]);
});

test('CNV-3 starts without the filters of the last search, or with the clicked project', () => {
  const { pick, search } = setUp(() => found());
  pick.press('person');
  search();
  search({ kind: 'project', project: '/p/harbour' });
  expect(workbench.picks.slice(1).map(({ title }) => title)).toEqual([
    'Search Conversations · all projects · prompts and replies · any time',
    'Search Conversations · harbour · prompts and replies · any time',
  ]);
});
