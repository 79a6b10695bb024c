import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { orderKey, rankOf } from '../../domain/order.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { begin, readSlice } from './sessionCopy.ts';

test('SNK-1 CNV-4 what is not logged takes away whatever there may be of it there, though nothing says that there is', async () => {
  const store = memoryStore();
  const call = { tool_use_id: 'c', tool_name: 'Bash', unlogged: true };
  const events = [
    anEvent(0, 'user_prompt', { unlogged: true }),
    anEvent(1, 'tool_started', call),
    anEvent(2, 'turn_ended'),
  ];
  await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  const reading = { store, user: 'me', breathe: () => Promise.resolve(), isTrimmed: false, isAgent: () => true };
  const slice = await readSlice(reading, 's', begin(undefined, undefined, undefined));
  expect(slice).toMatchObject({
    gone: { interactions: ['e0', 'e1'], session_events: [] },
    interactions: [{ id: 'e1' }],
  });
});

test('SNK-1 EVT-1 what is told of agents that the state has forgotten stays there when a session is read again', async () => {
  const store = memoryStore();
  const child = { agent_id: 's/child' };
  const events = [
    anEvent(0, 'heartbeat'),
    anEvent(1, 'agent_started', {}, child),
    anEvent(2, 'agent_stopped', {}, child),
  ];
  await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  const reading = { store, user: 'me', breathe: () => Promise.resolve(), isTrimmed: false, isAgent: () => false };
  const slice = await readSlice(reading, 's', begin(undefined, undefined, orderKey(anEvent(3, 'heartbeat'))));
  expect(slice).toMatchObject({ gone: { session_events: ['e0'] }, session_events: [] });
});
