import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock, logLines } from '../../app/testkit/fakes.testkit.ts';
import type { PlannedRetention, Stored } from '../../protocol/reading.ts';
import { clearEditor, editor, settled } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { watchPlannedRetention } from './retentionNotice.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const plan: PlannedRetention = { why: 'age', since: '2026-06-01T00:00:00.000Z', sessions: 21, of: 22, inHours: 23 };

function globalState() {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string, fallback?: T) => (values.get(key) ?? fallback) as T,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
}

function watch(planned: () => readonly PlannedRetention[], memory = globalState()) {
  const clock = fakeClock();
  const stored = () => Promise.resolve({ retentionPlanned: planned() } as Stored);
  const watching = watchPlannedRetention({ collector: { stored }, clock, memory, log: logLines() });
  return {
    watching,
    pass: async (minutes: number) => {
      clock.advance(minutes * 60_000);
      await settled();
    },
  };
}

test('STO-5 a planned deletion is shown once in all windows, and a later plan again', async () => {
  const memory = globalState();
  let planned: PlannedRetention[] = [];
  const [one, other] = [watch(() => planned, memory), watch(() => planned, memory)];
  await one.pass(3);
  expect(editor.shown).toEqual([]);
  planned = [plan];
  for (let hour = 0; hour < 3; hour++) for (const each of [one, other]) await each.pass(60);
  expect(editor.shown).toHaveLength(1);
  expect(editor.shown[0]).toMatch(/21 of 22 sessions .*will be deleted after about 23 more hours of use/);
  planned = [{ ...plan, since: '2026-07-01T00:00:00.000Z' }];
  await one.pass(60);
  expect(editor.shown).toHaveLength(2);
});

test('STO-5 a window without focus shows nothing', async () => {
  editor.state.focused = false;
  const { pass } = watch(() => [plan]);
  await pass(3);
  expect(editor.shown).toEqual([]);
});

test.each([
  ['Keep', ['agentMascot.retention.days', 3_650], undefined],
  ['Open Settings', undefined, 'workbench.action.openSettings'],
  ['Show Stored Data', undefined, commandIds.showStored],
])('STO-5 the notice of a planned deletion offers %s', async (button, setting, command) => {
  editor.answers.push(button);
  const { pass } = watch(() => [plan]);
  await pass(3);
  await settled();
  expect([[...editor.settings][0], editor.commands[0]]).toEqual([setting, command]);
});
