import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { clearWorkbench, workbench } from './conversationEditor.testkit.ts';
import { aStoredSession, called, said, storedThere, type StoredThere, told } from './conversations.testkit.ts';
import { exportConversation } from './exportConversation.ts';

vi.mock('vscode', async () => (await import('./conversationEditor.testkit.ts')).conversationVscode);

beforeEach(() => {
  clearEditor();
  clearWorkbench();
  workbench.state.target = new FakeUri('file', '/out/light.jsonl');
});

async function run(changes: Partial<StoredThere>, argument: unknown, ...answers: readonly string[]) {
  editor.answers.push(...answers);
  const there = storedThere(changes);
  const sessions = () => Promise.resolve({ items: [aStoredSession()], next: null });
  const collector = { ...there.source, sessions };
  await exportConversation({ collector, clock: fakeClock(), personHome: '/home/u' }, argument);
  await settled();
  return there;
}

test('CNV-3 all of a long session is exported as JSON, one object a line', async () => {
  const interactions = Array.from({ length: 4_321 }, (_, index) => said(index, 'user', `prompt\n${index}`));
  const observations = [called(1, 'Bash', { arguments: '{"command":"ls"}', response: 'x'.repeat(10_000) })];
  await run(
    { interactions, observations, events: [told(0, 'session_start', {})] },
    { sessionId: 's' },
    'JSON Lines',
    '-',
  );
  const text = workbench.written.get('/out/light.jsonl') ?? '';
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect([...Map.groupBy(lines, ({ type }) => type)].map(([type, all]) => [type, all.length])).toEqual([
    ['session', 1],
    ['interaction', 4_321],
    ['observation', 1],
    ['session_event', 1],
  ]);
  expect(lines[0]).toMatchObject({ id: 's', title: 'Fix the light', agents: [{ name: 'Juno' }, { name: 'Waffle' }] });
  expect(lines.at(-2)).toMatchObject(observations[0]!);
  expect(editor.shown.at(-1)).toBe('info: Exported to /out/light.jsonl. | Open');
});

test('CNV-3 cuts nothing in a Markdown export, and offers a name that says which session it is', async () => {
  editor.folders.push({ name: 'harbour', uri: new FakeUri('file', '/w/harbour') });
  const observations = [called(1, 'Bash', { response: 'x'.repeat(10_000) })];
  await run(
    { interactions: [said(1, 'user', 'y'.repeat(90_000))], observations },
    undefined,
    'light',
    'Markdown',
    'Open',
  );
  const text = workbench.written.get('/out/light.jsonl') ?? '';
  expect([
    text.includes('y'.repeat(90_000)),
    text.includes('x'.repeat(10_000)),
    text.startsWith('# Fix the light'),
  ]).toEqual([true, true, true]);
  expect(workbench.state.asked?.defaultUri.path).toBe('/w/harbour/harbour-2026-01-01-s.md');
  expect(editor.executed.map(([id, uri]) => `${String(id)} ${String(uri)}`)).toEqual([
    'vscode.open file:/out/light.jsonl?',
  ]);
});

test('CNV-3 writes nothing if the person cancels a question', async () => {
  await run({}, 's', '-');
  workbench.state.target = undefined;
  await run({}, 's', 'Markdown');
  workbench.state.target = new FakeUri('file', '/out/x.md');
  workbench.state.cancel = true;
  await run({}, 's', 'Markdown');
  expect([workbench.written.size, editor.shown.filter((line) => !line.startsWith('pick'))]).toEqual([0, []]);
});

test.each([
  [
    'nobody answers',
    { silent: true },
    'warning: The conversation can’t be read now: no window with the collector responds. Try again in a moment.',
  ],
  [
    'it was erased',
    { session: undefined },
    'warning: This session is not stored any more: it was deleted, or it expired.',
  ],
])('CNV-3 when %s that is said and no file is written', async (_name, changes, sentence) => {
  await run(changes, 's', 'Markdown');
  expect([editor.shown.at(-1), workbench.written.size]).toEqual([sentence, 0]);
});

test('CNV-3 says why a file can’t be written, without links', async () => {
  workbench.state.writeError = new Error('EACCES [x](command:y)');
  await run({}, 's', 'JSON Lines');
  expect(editor.shown.at(-1)).toBe(
    'error: The conversation could not be written to /out/light.jsonl: EACCES [x] (command:y)',
  );
});
