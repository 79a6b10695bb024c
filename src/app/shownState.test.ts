import { expect, test } from 'vitest';
import type { Snapshot } from '../protocol/state.ts';
import type { StateChange, StateSource } from './ports.ts';
import { createShownState } from './shownState.ts';
import { fakeClock, logLines, recordChanges } from './testkit/fakes.testkit.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = (revision: number): Snapshot => ({
  revision,
  owner: null,
  sessions: [],
  agents: [],
  workItems: [],
  guardGaps: [],
});

function aSource(revision: number) {
  let listener: ((change: StateChange) => void) | undefined;
  const source: StateSource = {
    snapshot: () => stateOf(revision),
    status: () => 'live',
    onChange(given) {
      listener = given;
      return { dispose: () => (listener = undefined) };
    },
  };
  return {
    source: { ...source, explain: () => Promise.resolve(undefined) },
    patch: () => {
      const none = {
        sessions: [],
        agents: [],
        removedSessions: [],
        removedAgents: [],
        workItems: [],
        removedWorkItems: [],
      };
      listener?.({ type: 'patch', patch: { revision: revision + 1, ...none, events: [] } });
    },
  };
}

function setUp() {
  const clock = fakeClock();
  const shown = createShownState(clock, logLines());
  const { changes } = recordChanges(shown);
  const now = () => [shown.status(), shown.snapshot().revision, changes.length];
  return { clock, shown, now };
}

test('MWN-1 a takeover that is over within 1.5 s is told by one reset, with what the next owner has', async () => {
  const { clock, shown, now } = setUp();
  shown.show(aSource(7).source);
  await turn();
  shown.keep();
  clock.advance(1_499);
  await turn();
  expect(now()).toEqual(['live', 7, 1]);
  shown.show(aSource(3).source);
  clock.advance(10_000);
  await turn();
  expect(now()).toEqual(['live', 3, 2]);
});

test('MWN-1 one that takes longer is told, and the last state stays', async () => {
  const { clock, shown, now } = setUp();
  const first = aSource(7);
  shown.show(first.source);
  await turn();
  shown.keep();
  clock.advance(1_500);
  first.patch();
  await turn();
  expect(now()).toEqual(['connecting', 7, 2]);
});

test('MWN-2 a doubtful owner is told as connecting, its state and its changes go on; an answer takes it back', async () => {
  const { shown, now } = setUp();
  const first = aSource(7);
  shown.show(first.source);
  await turn();
  shown.doubt(true);
  first.patch();
  await turn();
  expect(now()).toEqual(['connecting', 7, 3]);
  shown.doubt(false);
  await turn();
  expect(now()).toEqual(['live', 7, 4]);
});

test('MWN-1 without anything to show no doubt makes it live', async () => {
  const { shown, now } = setUp();
  shown.doubt(true);
  shown.doubt(false);
  shown.keep();
  await turn();
  expect(now()).toEqual(['connecting', 0, 0]);
});
