import { beforeEach, expect, test, vi } from 'vitest';
import type { StateSource } from '../app/ports.ts';
import type { Explanation } from '../protocol/explanation.ts';
import { aSession, aSnapshot } from '../../test/webview/fixtures.ts';
import { registerCommands } from './commands.ts';
import { createExplanationDocument } from './explanationDocument.ts';
import { commandIds } from './ids.ts';

const editor = vi.hoisted(() => ({
  commands: new Map<string, (argument?: unknown) => unknown>(),
  picked: [] as { label: string; description: string }[][],
  choose: 0,
  opened: [] as string[],
  told: [] as string[],
  provide: undefined as ((uri: { query: string }) => Promise<string>) | undefined,
}));

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, places: Record<string, unknown> = {}) =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => String(places[name])),
  },
  env: { language: 'en' },
  Uri: { from: (parts: object) => parts },
  EventEmitter: class {
    event = () => undefined;
    fire = () => undefined;
    dispose = () => undefined;
  },
  Disposable: { from: () => ({ dispose: () => undefined }) },
  commands: {
    registerCommand: (id: string, run: (argument?: unknown) => unknown) => editor.commands.set(id, run),
  },
  languages: { setTextDocumentLanguage: (document: unknown) => Promise.resolve(document) },
  window: {
    showQuickPick: (items: { label: string; description: string }[]) => {
      editor.picked.push(items);
      return Promise.resolve(items[editor.choose]);
    },
    showInformationMessage: (text: string) => Promise.resolve(void editor.told.push(text)),
    showTextDocument: (uri: { query: string }) => Promise.resolve(void editor.opened.push(uri.query)),
  },
  workspace: {
    registerTextDocumentContentProvider: (
      _: string,
      provider: { provideTextDocumentContent: (uri: { query: string }) => Promise<string> },
    ) => {
      editor.provide = (uri) => provider.provideTextDocumentContent(uri);
      return { dispose: () => undefined };
    },
    openTextDocument: (uri: unknown) => Promise.resolve(uri),
  },
}));

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
  const parts = { source, explanation, panel: {}, log: {}, hooks: { table: {} }, choices: { table: {} }, mascots: {} };
  registerCommands(parts as unknown as Parameters<typeof registerCommands>[0]);
  return editor.commands.get(commandIds.explainState)?.(argument) as Promise<void>;
}

beforeEach(() => {
  Object.assign(editor, { picked: [], choose: 0, opened: [], told: [] });
});

test('STA-3 from the palette one chooses the session, the most urgent first; agents draw no icons there', async () => {
  editor.choose = 1;
  await explain();
  expect(editor.picked[0]?.map(({ label, description }) => [label, description])).toEqual([
    ['$(bell-dot) two', 'needs permission'],
    ['$(sync) \\$(bug)one', 'working · by hook'],
  ]);
  expect([editor.opened, editor.told]).toEqual([['busy'], []]);
  expect(await editor.provide?.({ query: 'busy' })).toMatch(/^# Why is it shown like this\?[^]*\*\*Working\*\*/);
});

test.each([['busy'], [{ sessionId: 'busy', webview: 'agentMascot.panel' }]])(
  'STA-3 from the panel, with %j, nothing is asked',
  async (argument) => {
    await explain(argument);
    expect([editor.picked, editor.opened]).toEqual([[], ['busy']]);
  },
);

test('STA-3 who chooses none sees none', async () => {
  editor.choose = -1;
  await explain({ sessionId: 7 });
  expect([editor.opened, editor.told]).toEqual([[], []]);
});

test('STA-3 when nobody can tell, that is said, and no document opens', async () => {
  await explain('unheard of');
  expect([editor.opened, editor.told]).toEqual([[], ['Nothing is known about this session now.']]);
  expect(await editor.provide?.({ query: 'unheard of' })).toBe('Nothing is known about this session now.');
});

test('STA-3 without any session there is nothing to choose', async () => {
  await explain(undefined, []);
  expect([editor.picked, editor.told]).toEqual([[], ['No agent is running.']]);
});
