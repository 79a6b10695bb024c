import { expect, test, vi } from 'vitest';
import type { StateChange, StateSource } from '../app/ports.ts';
import { aSession, aSnapshot } from '../../test/webview/fixtures.ts';
import { ViewedSource } from './viewedSource.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

test('HKI-6 is empty once turned off, and reports that one change', () => {
  const state = aSnapshot([aSession({ id: 'one' })], []);
  const source: StateSource = {
    snapshot: () => state,
    status: () => 'live',
    onChange: () => ({ dispose: () => undefined }),
  };
  const viewed = new ViewedSource(source);
  const told: StateChange[] = [];
  viewed.onChange((change) => told.push(change));
  expect([viewed.status(), viewed.snapshot()]).toEqual(['live', state]);
  viewed.turnOff();
  expect([viewed.status(), viewed.snapshot().sessions, told]).toEqual(['off', [], [{ type: 'reset' }]]);
});
