import { overriding } from '../../src/domain/overriding.ts';
import { createHub } from '../../src/app/hub.ts';
import { Relay } from '../../src/app/relay/relay.ts';
import type { SendRequest } from '../../src/app/relay/relayPorts.ts';
import type { EventStore } from '../../src/app/ports.ts';
import type { Shelf } from '../../src/app/shelfPorts.ts';
import { anEvent } from '../../src/domain/event.testkit.ts';
import { rankOf } from '../../src/domain/order.ts';
import { systemClock } from '../../src/node/machine/clock.ts';
import { BOT_TOKEN, TEXT_CHANNEL } from '../../src/node/relay/fakeDiscord.testkit.ts';
import { relaySettings, relayWorld } from '../../src/node/relay/relayWorld.testkit.ts';
import { createSendRequest } from '../../src/node/relay/sendRequest.ts';
import { openIn, silentLog } from '../../src/node/store/store.testkit.ts';
import type { AgentEvent } from '../../src/protocol/event.ts';
import type { RelayTarget } from '../../src/protocol/relay.ts';

export interface RelayOwnerOptions {
  readonly folder: string;
  readonly generation: number;
  readonly target: RelayTarget;
  /** Of the fake Discord, or of the webhook. */
  readonly address: string;
}

/** What stands between the relay and its disk and network: to stop there. */
export interface Between {
  put?(put: Shelf['put'], ...args: Parameters<Shelf['put']>): Promise<void>;
  send?(send: SendRequest, ...args: Parameters<SendRequest>): ReturnType<SendRequest>;
}

/** An owner with the real store, the real relay and real requests, and no more of an owner. */
export async function openRelayOwner(
  { folder, generation, target, address }: RelayOwnerOptions,
  between: Between = {},
) {
  const { store: real, unreduced } = await openIn(folder, { generation });
  const store = overriding<EventStore>(real, {
    shelf(name) {
      const shelf = real.shelf(name);
      return { ...shelf, put: (...args) => between.put?.(shelf.put, ...args) ?? shelf.put(...args) };
    },
  });
  const owner = { instance: 'i', generation, app: 'test', version: '1', startedAt: '' };
  const clock = systemClock;
  const hub = createHub({ store, clock, log: silentLog, owner, unreduced, idleMs: () => 3_600_000 });
  const channels: Readonly<Record<string, string>> = target === 'discord' ? { '*': TEXT_CHANNEL } : {};
  const sendRequest = createSendRequest();
  const world = relayWorld(
    { ...relaySettings, target, channels },
    { 'relay.discordToken': BOT_TOKEN, 'relay.discordForumUrl': address, 'relay.webhookUrl': address },
    { api: address, send: (...args) => between.send?.(sendRequest, ...args) ?? sendRequest(...args) },
  );
  const relay = new Relay(world, { store, source: hub, state: hub.state, clock, log: silentLog });
  const shelf = real.shelf('relay');
  return {
    store,
    /** Durable, as an answered hook is. */
    keep: (events: readonly AgentEvent[]) =>
      store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) }))),
    tell: (events: readonly AgentEvent[]) => hub.commit(events),
    /** It is known that the relay is on, which a crash before would leave unknown. */
    isOn: () => shelf.get('on') !== undefined,
    /** Texts of what waits, as the disk has it. */
    waiting: () => shelf.after('m/', 999).flatMap(({ key, value }) => (key.startsWith('m/') ? [textOf(value)] : [])),
    receipts: () =>
      (shelf.get('s/s')?.value as { receipts?: readonly { id: string; state: string }[] } | undefined)?.receipts ?? [],
    async close() {
      await relay.close();
      hub.dispose();
      await store.close();
    },
  };
}

const textOf = (value: unknown) => (value as { text: string }).text;

export function began(): AgentEvent {
  return ours('began', 'session_started', { source: 'startup', cwd: '/work/shop' });
}

export function replying(text: string): AgentEvent {
  return ours(text, 'turn_ended', { reason: 'completed', message: text });
}

function ours(id: string, type: AgentEvent['event_type'], payload: AgentEvent['payload']): AgentEvent {
  const of = { session_id: 's', agent_id: 's/main', project: { path: '/work/shop' } };
  return anEvent(0, type, payload, { ...of, id, ts: new Date().toISOString() });
}

/** Looks every other millisecond, for a store tells nobody that it is done. */
export async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
}
