import { beforeEach, expect, test, vi } from 'vitest';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { createSettings } from '../settings.ts';
import { TrackingSettings } from './trackingSettings.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const log = { warn: () => undefined, info: () => undefined, error: () => undefined, debug: () => undefined };
const folder = (path: string) => void editor.folders.push({ name: path, uri: new FakeUri('file', path) });
const has = (where: string, name: string, values: Record<string, unknown>) =>
  void editor.inspected.set([where, `agentMascot.tracking.${name}`].filter(Boolean).join(' '), values);
const configured = (section = 'agentMascot.tracking') =>
  editor.events.configuration.fire({ affectsConfiguration: (name) => name === section });

function started(fails: readonly string[] = []) {
  const told: unknown[] = [];
  const warned: string[] = [];
  let noted = 0;
  const failing = [...fails];
  const stopped = new TrackingSettings({
    notes: {
      note(...what) {
        if (failing.shift() === what[0]) return Promise.reject(new Error('no room'));
        return Promise.resolve(void told.push(what));
      },
    },
    log: { warn: (text) => void warned.push(text) },
    onNoted: () => noted++,
  });
  return { told, warned, stopped, noted: () => noted };
}

test('GRD-2 notes the rule of each folder, the folder’s own before the workspace’s, and none where none is set', async () => {
  ['/p/one', '/p/two', '/p/three'].forEach(folder);
  has('/p/one', 'mode', { globalValue: 'warn', workspaceValue: 'warn', workspaceFolderValue: 'strict' });
  has('/p/one', 'autoCreate', { workspaceValue: true });
  has('/p/two', 'mode', { globalValue: 'strict' });
  has('/p/three', 'mode', { workspaceValue: 'ruthless' });
  has('/p/three', 'autoCreate', { workspaceFolderValue: 'yes' });
  const { told, noted } = started();
  await settled();
  expect(told).toEqual([
    ['/p/one', { mode: 'strict', autoCreate: true }],
    ['/p/two', undefined],
    ['/p/three', undefined],
  ]);
  expect(noted()).toBe(3);
});

test('GRD-2 notes a changed rule and new folders, and an unchanged rule only once', async () => {
  folder('/p/one');
  const { told, stopped } = started();
  await settled();
  configured();
  await settled();
  has('/p/one', 'mode', { workspaceValue: 'warn' });
  configured('agentMascot.notices');
  await settled();
  expect(told).toEqual([['/p/one', undefined]]);
  configured();
  await settled();
  folder('/p/two');
  editor.events.folders.fire(undefined);
  await settled();
  expect(told.slice(1)).toEqual([
    ['/p/one', { mode: 'warn' }],
    ['/p/two', undefined],
  ]);
  stopped.dispose();
  expect(editor.events.configuration.heard).toBe(0);
});

test('GRD-2 notes nothing for an untrusted workspace until it is trusted', async () => {
  folder('/p/one');
  has('/p/one', 'mode', { workspaceValue: 'off' });
  editor.state.trusted = false;
  const { told } = started();
  configured();
  await settled();
  expect(told).toEqual([]);
  editor.state.trusted = true;
  editor.events.trust.fire(undefined);
  await settled();
  expect(told).toEqual([['/p/one', { mode: 'off' }]]);
});

test('GRD-2 logs a rule that could not be noted, and notes it with the next change', async () => {
  folder('/p/one');
  const { told, warned } = started(['/p/one']);
  await settled();
  expect([told, warned]).toEqual([[], ['Error: no room']]);
  configured();
  await settled();
  expect(told).toEqual([['/p/one', undefined]]);
});

test('GRD-2 takes the rule for all projects from the person’s settings, never from the workspace’s', () => {
  has('', 'mode', { globalValue: 'warn', defaultValue: 'off', workspaceValue: 'strict', inForce: 'strict' });
  has('', 'autoCreate', { defaultValue: false, workspaceValue: true, inForce: true });
  const { current } = createSettings(log);
  expect([current()['tracking.mode'], current()['tracking.autoCreate']]).toEqual(['warn', false]);
});
