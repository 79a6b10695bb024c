import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../app/testkit/fakes.testkit.ts';
import type { Machine } from '../app/windowPorts.ts';
import { aSession } from '../../test/webview/fixtures.ts';
import { aTerminal, clearEditor, editor, FakeUri } from './hooks/editor.testkit.ts';
import { Terminals } from './focus/terminals.ts';
import { nearnessTo } from './thisWindow.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const machine: Machine = {
  ancestry: { of: () => Promise.resolve([]) },
  realFolder: (folder) => Promise.resolve(folder.replace('/link', '/real')),
  ...{ host: 'mill', pidNamespace: undefined, folders: 'linux' },
};

function nearness(shells: readonly number[]) {
  const session = aSession({ id: 's', project: '/real/harbour', cwd: '/real/harbour/src' });
  const terminals = new Terminals(fakeClock());
  return nearnessTo(session, { machine, terminals, terminal: { ancestryOf: () => Promise.resolve(shells) } });
}

test('UI-5 ranks a window by what it has of a session: terminal, folder, focus, nothing', async () => {
  const own = aTerminal('own', 30);
  editor.terminals.push(own);
  editor.folders.push({ name: 'harbour', uri: new FakeUri('file', '/link/harbour') });
  Object.assign(editor.state, { activeTerminal: own });
  const seen = [await nearness([42, 30])];
  Object.assign(editor.state, { focused: false });
  seen.push(await nearness([42, 30]), await nearness([42]));
  editor.folders.length = 0;
  seen.push(await nearness([42]));
  Object.assign(editor.state, { focused: true });
  seen.push(await nearness([]));
  expect(seen.map(({ rank, inView }) => [rank, inView])).toEqual([
    [0, true],
    [0, false],
    [1, false],
    [3, false],
    [2, false],
  ]);
});
