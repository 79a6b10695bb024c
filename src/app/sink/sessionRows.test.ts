import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { logLines } from '../testkit/fakes.testkit.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { Outgoing } from './outgoing.ts';
import { SessionRows } from './sessionRows.ts';
import type { SinkBatch } from './sinkPorts.ts';
import { fakeTeamDatabase } from './sink.testkit.ts';

/** What goes out for these events, if the database may have had rows of them before. */
async function sentFor(events: readonly AgentEvent[], isAgent: boolean): Promise<SinkBatch | undefined> {
  const store = memoryStore();
  await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  let sent: SinkBatch | undefined;
  const connection = await fakeTeamDatabase().connect();
  const push = (batch: SinkBatch) => Promise.resolve(void (sent = batch)).then(() => 1);
  const to = new Outgoing({ ...connection, push }, logLines());
  const rows = new SessionRows({ store, user: () => 'me', breathe: () => Promise.resolve() });
  const asked = { isAgent: () => isAgent, isExcluded: () => false, mayBeThere: () => true };
  await rows.add({ session: 's', events, upTo: store.changes.lastSeq(), ...asked }, to);
  await to.send();
  return sent;
}

test('SNK-1 CNV-4 what is not logged takes away whatever there may be of it there, though nothing says that there is', async () => {
  const call = { tool_use_id: 'c', tool_name: 'Bash', unlogged: true };
  const sent = await sentFor(
    [anEvent(0, 'user_prompt', { unlogged: true }), anEvent(1, 'tool_started', call), anEvent(2, 'turn_ended')],
    true,
  );
  expect(sent?.gone.interactions).toEqual(expect.arrayContaining(['e0', 'e1']));
  expect(sent?.rows.interactions?.map((row) => (JSON.parse(row) as { id: string }).id)).toEqual(['e1']);
});

test('SNK-1 EVT-1 what is told of agents that the state has forgotten stays there when a session is read again', async () => {
  const child = { agent_id: 's/child' };
  const events = [
    anEvent(0, 'heartbeat'),
    anEvent(1, 'agent_started', {}, child),
    anEvent(2, 'agent_stopped', {}, child),
  ];
  const sent = await sentFor(events, false);
  expect([sent?.gone.session_events, sent?.rows.session_events]).toEqual([['e0'], undefined]);
});
