import { overriding } from '../../domain/overriding.ts';
import { afterEach, beforeEach } from 'vitest';
import { createHub, type Hub } from '../../app/hub.ts';
import { createNotes } from '../../app/notes.ts';
import type { Notes, SecretName, Secrets } from '../../app/outletPorts.ts';
import type { EventStore } from '../../app/ports.ts';
import type { Kept } from '../../app/shelfPorts.ts';
import { Relay } from '../../app/relay/relay.ts';
import type { RelaySettings, RelayTrouble, SendRequest } from '../../app/relay/relayPorts.ts';
import { type FakeClock, fakeClock, IDLE_MS, logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { rowOf } from '../../domain/restore.ts';
import { withoutContent } from '../../domain/unlogged.ts';
import { readSession, RELAY_SHELF, sessionKey } from '../../domain/relay/records.ts';
import type { RelayRequest } from '../../domain/relay/requests.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { EventType } from '../../protocol/eventPayloads.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { BOT_TOKEN, type FakeDiscord, startFakeDiscord, TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { allKinds, quietPhases, relaySettings, relayWorld } from './relayWorld.testkit.ts';
import { createSendRequest } from './sendRequest.ts';

/** What a bench of the generic webhook is begun with. */
export const webhook = {
  settings: { target: 'webhook', channels: {}, send: quietPhases },
  secrets: { 'relay.webhookUrl': 'https://example.test/hook', 'relay.webhookSecret': 'of the test' },
} as const;

/** As it ends a turn. */
export const reply = (message: string) => ({ reason: 'completed', message });

/** A receiver of the generic webhook that only notes what comes. */
export function receiver() {
  const got: RelayRequest[] = [];
  const desk = {
    got,
    hang: false,
    status: 200,
    send: ((request, abandon) => {
      got.push(request);
      if (!desk.hang) return Promise.resolve({ kind: 'answer', status: desk.status, headers: {}, body: '' });
      return new Promise((resolve) => abandon.onAbandoned(() => resolve({ kind: 'unsure', why: 'closed' })));
    }) as SendRequest,
    events: () => got.map(({ body }) => JSON.parse(body ?? '') as { text: string; event: JsonObject }),
    kinds: () => desk.events().map(({ event }) => event['kind']),
    texts: () => desk.events().map(({ text }) => text),
  };
  return desk;
}

/** Real requests; what happens while the first answer to such a one is out. */
export function meanwhile(path: string, happens: () => Promise<unknown>): SendRequest {
  const send = createSendRequest();
  let hasHappened = false;
  return async (request, abandon) => {
    const heard = await send(request, abandon);
    if (hasHappened || !request.url.endsWith(path)) return heard;
    hasHappened = true;
    await happens();
    return heard;
  };
}

/** What became of what was to be said of session `s`. */
export function receiptsIn({ store }: Pick<RelayBench, 'store'>): readonly string[] {
  const { receipts = [] } = readSession(store.shelf(RELAY_SHELF).get(sessionKey('s'))?.value) ?? {};
  return receipts.map(({ kind, state, why = '' }) => `${kind} ${state} ${why}`.trim());
}

/** For each test of a file a fake Discord, and the benches that were begun on it. */
export function relayTests() {
  let discord: FakeDiscord;
  const open: RelayBench[] = [];
  beforeEach(async () => {
    discord = await startFakeDiscord();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    await discord.close();
  });
  function bench(parts: BenchParts = {}): RelayBench {
    const made = startBench({ api: discord.api, ...parts });
    open.push(made);
    return made;
  }
  return {
    discord: () => discord,
    bench,
    /** A session with its thread. */
    async begun(parts: BenchParts = {}): Promise<RelayBench> {
      const made = bench(parts);
      await made.tell('session_started', { source: 'startup', cwd: '/work/shop' });
      await made.until(() => discord.threads.size === 1);
      return made;
    },
    texts: () => discord.messages.map(({ content }) => content),
    asked: () => discord.requests.map(({ method, path }) => `${method} ${path}`),
  };
}

/** Shorter than a test may take, so that its failure tells what the log says. */
const PATIENCE_MS = 30_000;

export interface RelayBench {
  readonly relay: Relay;
  readonly hub: Hub;
  readonly store: EventStore;
  readonly clock: FakeClock;
  readonly log: LogLines;
  readonly troubles: RelayTrouble[];
  readonly secrets: Map<SecretName, string>;
  /** Folders that the person excludes. */
  readonly excluded: Set<string>;
  readonly notes: Notes;
  /** Other settings from now on. */
  change(settings: Partial<RelaySettings>): void;
  changeSecret(name: SecretName, value: string): void;
  /** An event of session `s` now, stored and told as the pipeline does it. */
  commit(type: EventType, payload?: JsonObject, changes?: Partial<AgentEvent>): Promise<AgentEvent>;
  /** And what comes of it. */
  tell(type: EventType, payload?: JsonObject, changes?: Partial<AgentEvent>): Promise<AgentEvent>;
  /** Stores a session's event anew without its words, as a private prompt does that comes late (CNV-4); the session is `changed` by it. */
  takeBack(event: AgentEvent, changed?: Partial<SessionState>): Promise<void>;
  /** Lets everything go on until this holds; time stands still meanwhile. */
  until(what: () => boolean): Promise<void>;
  /** Lets time pass, and everything that falls due run. */
  pass(ms: number): Promise<void>;
  /** As a process that is killed: what is on its way goes on by itself, and nothing is written any more. */
  kill(): void;
  close(): Promise<void>;
}

export interface BenchParts {
  readonly api?: string;
  readonly store?: EventStore;
  readonly clock?: FakeClock;
  readonly settings?: Partial<RelaySettings>;
  readonly secrets?: Readonly<Partial<Record<SecretName, string>>>;
  readonly send?: SendRequest;
  /** Folders that are excluded from the beginning, once that is known. */
  readonly exclusions?: () => Promise<readonly string[]>;
  /** Stands before the relay's writes. */
  readonly beforePut?: (save: readonly Kept[]) => void | Promise<void>;
  /** Stands before what is read of the secrets. */
  readonly beforeSecret?: (name: SecretName) => void;
}

/** The relay over the fake store, with real requests to a server of the test. */
export function startBench(parts: BenchParts): RelayBench {
  const clock = parts.clock ?? fakeClock(Date.UTC(2026, 0, 1, 12));
  const given = parts.store ?? memoryStore();
  let isAlive = true;
  // A process that is gone writes nothing.
  const store = overriding<EventStore>(given, {
    shelf: (name) => {
      const shelf = given.shelf(name);
      return { ...shelf, put };

      async function put(...args: Parameters<typeof shelf.put>): Promise<void> {
        await parts.beforePut?.(args[0]);
        return isAlive ? shelf.put(...args) : new Promise(() => undefined);
      }
    },
  });
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '1', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const troubles: RelayTrouble[] = [];
  const secrets = new Map<SecretName, string>(
    Object.entries({ 'relay.discordToken': BOT_TOKEN, ...parts.secrets }) as [SecretName, string][],
  );
  let settings: RelaySettings = {
    ...relaySettings,
    ...{ target: 'discord', channels: { '*': TEXT_CHANNEL }, send: allKinds },
    ...parts.settings,
  };
  const excluded = new Set<string>();
  const notes = createNotes();
  const onRules = new Set<() => void>();
  const onSecret = new Set<Parameters<Secrets['onChange']>[0]>();
  const send = parts.send ?? createSendRequest();
  let going = 0;
  const world = relayWorld(
    settings,
    {},
    {
      rules: {
        current: () => settings,
        onChange: (listener) => {
          onRules.add(listener);
          return { dispose: () => void onRules.delete(listener) };
        },
      },
      secrets: {
        get: (name) =>
          Promise.resolve().then(() => {
            parts.beforeSecret?.(name);
            return secrets.get(name);
          }),
        onChange: (listener) => {
          onSecret.add(listener);
          return { dispose: () => void onSecret.delete(listener) };
        },
      },
      async send(request, abandon) {
        going++;
        return await send(request, abandon).finally(() => going--);
      },
      async exclusions() {
        for (const folder of (await parts.exclusions?.()) ?? []) excluded.add(folder);
        return { excludes: (folder) => excluded.has(folder), dispose: () => undefined };
      },
      ...(parts.api === undefined ? {} : { api: parts.api }),
      onTrouble: (trouble) => void troubles.push(trouble),
    },
  );
  const relay = new Relay(world, { store, source: hub, state: hub.state, notes, clock, log });
  let count = 0;

  async function until(what: () => boolean): Promise<void> {
    // Not by a count of turns: a store's disk may take seconds on a busy machine.
    const until = performance.now() + PATIENCE_MS;
    while (!what()) {
      if (performance.now() > until) throw new Error(`It never came to that. ${log.lines.join('\n')}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A few turns of the event loop without a request on its way: nobody has anything to do but wait for the clock. */
  async function still(): Promise<void> {
    for (let quiet = 0; quiet < 4; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (going > 0) quiet = 0;
    }
  }

  async function commit(type: EventType, payload: JsonObject = {}, changes: Partial<AgentEvent> = {}) {
    const ts = new Date(clock.now()).toISOString();
    const event: AgentEvent = {
      ...{ id: `e${clock.now()}-${count++}`, version: '1.1', ts, event_type: type, source: 'hook' },
      ...{ provider: 'claude', workspace_id: 'w', terminal_session_id: 't', session_id: 's' },
      ...{ agent_id: `${changes.session_id ?? 's'}/main`, severity: 'info', payload, raw: {} },
      project: { path: '/work/shop' },
      ...changes,
    } as AgentEvent;
    await store.append([{ event, keys: [], rank: rankOf(type) }]);
    hub.commit([event]);
    return event;
  }

  return {
    ...{ relay, hub, store: given, clock, log, troubles, secrets, excluded, notes },
    close: async () => (isAlive ? relay.close() : undefined),
    change(changed) {
      settings = { ...settings, ...changed };
      for (const listener of onRules) listener();
    },
    changeSecret(name, value) {
      secrets.set(name, value);
      for (const listener of onSecret) listener(name);
    },
    commit,
    async tell(...told) {
      const event = await commit(...told);
      await still();
      return event;
    },
    async takeBack(event, changed = { unlogged: [{ from: event.ts, isPrivate: true }] }) {
      const row = rowOf({ ...hub.state(event.session_id)!, ...changed });
      await store.rewrite({ events: [withoutContent(event, true)], rows: [row] });
      hub.remake([event.session_id]);
    },
    until,
    async pass(ms) {
      clock.advance(ms);
      await still();
    },
    kill() {
      isAlive = false;
      hub.dispose();
    },
  };
}
