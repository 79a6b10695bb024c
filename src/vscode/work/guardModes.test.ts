import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { TrackingMode } from '../../protocol/work.ts';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { GuardModes } from './guardModes.ts';
import { aSource } from './work.testkit.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const owner = { instance: 'i', generation: 1, app: 'Code', version: '1.0.0', startedAt: '' };

function guardOf(rules: Record<string, TrackingMode>) {
  const clock = fakeClock();
  const { source, change } = aSource();
  const asked: string[] = [];
  let changes = 0;
  const guard = new GuardModes({
    ...{ source, clock },
    collector: {
      tracking(folder) {
        asked.push(folder);
        const mode = rules[folder];
        const project = folder.replace('/src', '');
        return Promise.resolve(mode && { mode, project, autoCreate: false, gaps: 0 });
      },
    },
    log: { warn: (text) => expect.unreachable(text) },
  });
  guard.onChange(() => changes++);
  const calm = async () => {
    clock.advance(1_500);
    await settled();
  };
  return { guard, asked, change, calm, changes: () => changes, rules, clock };
}

test('GRD-2 asks the collector for the modes of this window’s folders, again after each possible change', async () => {
  for (const path of ['/p/one', '/p/one/src', '/p/two'])
    editor.folders.push({ name: path, uri: new FakeUri('file', path) });
  const { guard, asked, change, calm, changes, rules, clock } = guardOf({
    '/p/one': 'strict',
    '/p/one/src': 'strict',
  });
  await calm();
  expect([guard.modes(), changes()]).toEqual([[{ project: '/p/one', mode: 'strict' }], 1]);
  change({ sessions: [] });
  await calm();
  expect(asked.length).toBe(3);
  for (const again of [
    () => guard.refresh(),
    () => editor.events.folders.fire(undefined),
    () => editor.events.configuration.fire({ affectsConfiguration: (name) => name === 'agentMascot.tracking' }),
    () => change({ owner }),
  ]) {
    again();
    again();
    await calm();
  }
  expect([asked.length, changes()]).toEqual([3 * 5, 1]);
  rules['/p/two'] = 'warn';
  guard.refresh();
  await calm();
  expect([guard.modes().length, changes()]).toEqual([2, 2]);
  change({}, 'stopped');
  await calm();
  expect([guard.modes(), asked.length]).toEqual([[], 3 * 6]);
  guard.refresh();
  guard.dispose();
  expect(clock.pending()).toBe(0);
});
