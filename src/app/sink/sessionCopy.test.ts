import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
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
