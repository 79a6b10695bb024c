import { expect, test, vi } from 'vitest';
import { aSnapshot } from '../../test/webview/fixtures.ts';
import type { Snapshot } from '../protocol/state.ts';
import { StatusTooltip } from './statusTooltip.ts';
import { anItem, at, NOON, running } from './work/work.testkit.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

const tooltip = () => new StatusTooltip({ now: () => NOON }, ({ project }) => project === '/p/harbour');
const linesOf = (state: Partial<Snapshot>) =>
  tooltip()
    .make({ ...aSnapshot([], []), ...state }, [])
    ?.value.split('\n\n')
    .slice(2);

test('UI-4 GRD-1 the tooltip has a line for each work item that runs in this window’s projects, as plain words', () => {
  const workItems = [
    running('net', { title: '$(bug) [x](command:evil) <b>' }),
    running('tree', { project: '/p/orchard' }),
    anItem('docs'),
  ];
  expect(linesOf({ workItems })).toEqual([
    '$(play-circle) Work item\\: \\$\\(bug\\) \\[x\\]\\(command\\:evil\\) \\<b\\> · running since 02\\:02 PM',
  ]);
});

test('UI-4 GRD-1 names five of many running work items and counts the others', () => {
  const workItems = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => running(id));
  expect(linesOf({ workItems })?.slice(4)).toEqual([expect.stringContaining('Do e'), '… and 2 more']);
});

test('GRD-3 UI-4 says on a line of its own, without a warning, that the guard could not be asked', () => {
  const gaps = [
    { project: '/p/harbour', count: 1, lastAt: at(2) },
    { project: '/p/orchard', count: 8, lastAt: at(3) },
  ];
  expect(linesOf({ guardGaps: gaps })).toEqual([
    'The guard could not be asked for one edit\\, at 02\\:02 PM\\; it went through\\.',
  ]);
});

test('UI-8 keeps the tooltip while its words have not changed', () => {
  const made = tooltip();
  const state = { ...aSnapshot([], []), workItems: [running('net')] };
  expect(made.make(state, [])).toBeDefined();
  expect(made.make({ ...state }, [])).toBe(undefined);
  expect(made.make({ ...state, workItems: [] }, [])).toBeDefined();
});
