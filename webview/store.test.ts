import { expect, test } from 'vitest';
import type { Patch } from '../src/protocol/state.ts';
import { aSession, aSnapshot, aWorkItem, anAgent } from '../test/webview/fixtures.ts';
import { emptyPanel, receive, type PanelState, type StateMessage } from './store.ts';

const session = aSession({ id: 's1' });
const agent = anAgent({ id: 'a1', sessionId: 's1' });

function patch(revision: number, changes: Partial<Patch> = {}): StateMessage {
  const empty = {
    sessions: [],
    agents: [],
    removedSessions: [],
    removedAgents: [],
    workItems: [],
    removedWorkItems: [],
    events: [],
  };
  return { type: 'patch', patch: { revision, ...empty, ...changes } };
}

function after(...messages: readonly StateMessage[]): { state: PanelState; asked: number } {
  let state = emptyPanel;
  let asked = 0;
  for (const message of messages) {
    const received = receive(state, message);
    state = received.state;
    if (received.ask === 'resync') asked += 1;
  }
  return { state, asked };
}

const snapshot: Extract<StateMessage, { type: 'snapshot' }> = {
  type: 'snapshot',
  state: aSnapshot([session], [agent], 7),
  source: 'live',
};

test('UI-8 a snapshot replaces everything and says where it is from', () => {
  const { state } = after(snapshot);
  expect(state).toMatchObject({ revision: 7, known: true, source: 'live' });
  expect([...state.sessions.keys(), ...state.agents.keys()]).toEqual(['s1', 'a1']);
});

test('UI-8 a patch puts whole entities in place and removes by id', () => {
  const hurt = { ...agent, mood: 'hurt' as const };
  const { state, asked } = after(snapshot, patch(8, { agents: [hurt] }), patch(9, { removedSessions: ['s1'] }));
  expect(asked).toBe(0);
  expect(state.revision).toBe(9);
  expect(state.agents.get('a1')).toBe(hurt);
  expect(state.sessions.size).toBe(0);
});

test('GRD-1 a patch puts work items in place and removes them by their keys', () => {
  const item = aWorkItem({ id: 'net' });
  const done = { ...item, status: 'done' as const };
  const other = aWorkItem({ id: 'docs' });
  const { state } = after(
    { ...snapshot, state: { ...snapshot.state, workItems: [item, other] } },
    patch(8, { workItems: [done], removedWorkItems: [other.key] }),
  );
  expect([...state.workItems]).toEqual([[item.key, done]]);
});

test('STO-6 a snapshot with a take-over, then patches with another progress, none, and the end: kept, and gone', () => {
  const first = { ...snapshot, state: { ...snapshot.state, takeOver: { done: 1, of: 10 } } };
  const steps = [first, patch(8, { takeOver: { done: 4, of: 10 } }), patch(9), patch(10, { takeOver: null })];
  const seen = steps.map((_, index) => after(...steps.slice(0, index + 1)).state.takeOver?.done);
  expect(seen).toEqual([1, 4, 4, undefined]);
  expect(after(first, snapshot).state.takeOver).toBeUndefined();
});

const quiet: readonly (readonly [string, readonly StateMessage[], number | undefined])[] = [
  ['a patch before any snapshot', [patch(3)], undefined],
  ['an old patch', [snapshot, patch(7, { removedAgents: ['a1'] })], 7],
  ['an older patch', [snapshot, patch(2, { removedAgents: ['a1'] })], 7],
];
for (const [name, messages, revision] of quiet) {
  test(`COL-7 ${name} changes nothing and asks for nothing`, () => {
    const { state, asked } = after(...messages);
    expect(asked).toBe(0);
    expect(state.revision).toBe(revision);
    expect(state.agents.has('a1')).toBe(revision !== undefined);
  });
}

test('COL-7 a gap asks for a snapshot once, keeps what is shown, and waits', () => {
  const { state, asked } = after(snapshot, patch(9), patch(10, { removedAgents: ['a1'] }), patch(11));
  expect(asked).toBe(1);
  expect(state.revision).toBeUndefined();
  expect(state.agents.has('a1')).toBe(true);
});

test('COL-7 after the fresh snapshot patches count again', () => {
  const fresh: StateMessage = { type: 'snapshot', state: aSnapshot([session], [], 20), source: 'live' };
  const { state, asked } = after(snapshot, patch(9), fresh, patch(21, { agents: [agent] }));
  expect(asked).toBe(1);
  expect(state.revision).toBe(21);
  expect(state.agents.get('a1')).toBe(agent);
});

test('UI-2 the configuration is taken without touching the state', () => {
  const config = { motion: 'off', locale: 'ko', strings: {} } as const;
  const { state } = after(snapshot, { type: 'config', config });
  expect(state).toMatchObject({ config, source: 'live', revision: 7 });
});
