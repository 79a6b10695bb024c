import { beforeEach, expect, test, vi } from 'vitest';
import type { StateSource } from '../app/ports.ts';
import type { Explanation } from '../protocol/explanation.ts';
import { aSession, aSnapshot } from '../../test/webview/fixtures.ts';
import { registerCommands } from './commands.ts';
import { createExplanationDocument } from './explanation.ts';
import { clearEditor, editor, FakeUri } from './hooks/editor.testkit.ts';
import { commandIds, explanationScheme } from './ids.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const known: Explanation = {
  sessionId: 'busy',
  title: 'Fix it',
  state: 'active',
  phase: 'busy',
  because: { event: 'user_prompt', source: 'hook' },
  since: null,
  agents: [],
  steps: [],
};
const sessions = [
  aSession({ id: 'busy', project: '/p/$(bug)one' }),
  aSession({ id: 'waits', project: '/p/two', phase: 'waiting_permission', phaseBecause: null }),
];

function explain(argument?: unknown, shown = sessions): Promise<void> {
  const source = { snapshot: () => aSnapshot(shown, []) } as unknown as StateSource;
  const explanation = createExplanationDocument({
    explain: (id) => Promise.resolve(id === 'busy' ? known : undefined),
  });
  const tables = { hooks: { table: {} }, choices: { commands: {} }, sessions: { commands: {} } };
  const parts = {
    source,
    explanation,
    panel: {},
    log: {},
    ...tables,
    mascots: {},
    conversations: {},
    erasing: {},
    projects: {},
  };
  registerCommands(parts as unknown as Parameters<typeof registerCommands>[0]);
  return editor.registered.get(commandIds.explainState)?.(argument) as Promise<void>;
}

const provided = (query: string) => editor.providers.get(explanationScheme)?.(new FakeUri('', '', query));

test('STA-3 from the palette one chooses the session, the most urgent first; agents draw no icons there', async () => {
  editor.answers.push('one');
  await explain();
  expect(editor.lists[0]?.map(({ label, description }) => [label, description])).toEqual([
    ['$(bell-dot) two', 'needs permission'],
    ['$(sync) \\$(bug)one', 'working · by hook'],
  ]);
  expect([editor.queries, editor.shown]).toEqual([
    ['busy'],
    ['pick: Explain This State', 'preview: /Explain This State.md'],
  ]);
  expect(await provided('busy')).toMatch(/^# Why is it shown like this\?[^]*\*\*Working\*\*/);
});

test.each([['busy'], [{ sessionId: 'busy', webview: 'agentMascot.panel' }]])(
  'STA-3 from the panel, with %j, nothing is asked',
  async (argument) => {
    await explain(argument);
    expect([editor.lists, editor.queries]).toEqual([[], ['busy']]);
  },
);

test('STA-3 without the editor’s Markdown extension its source is shown', async () => {
  editor.state.previews = false;
  await explain('busy');
  expect([editor.queries, editor.shown]).toEqual([['busy'], ['open: /Explain This State.md']]);
});

test('STA-3 opens nothing if the person chooses no session', async () => {
  editor.answers.push('-');
  await explain({ sessionId: 7 });
  expect(editor.shown).toEqual(['pick: Explain This State']);
});

test('STA-3 says that nothing is known, and opens no document, if the session can’t be explained', async () => {
  await explain('unheard of');
  expect(editor.shown).toEqual(['info: Nothing is known about this session now.']);
  expect(await provided('unheard of')).toBe('Nothing is known about this session now.');
});

test('STA-3 says that no agent is running if there is no session to choose', async () => {
  await explain(undefined, []);
  expect(editor.shown).toEqual(['info: No agent is running.']);
});
