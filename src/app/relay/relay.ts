import { chatText, threadName } from '../../domain/relay/chatText.ts';
import { type Draft, eventDraft, phaseDraft, startedDraft, waitDrafts } from '../../domain/relay/drafts.ts';
import { hashHex } from '../../domain/hash.ts';
import type { QueuedMessage, RelaySession } from '../../domain/relay/records.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { isInSpan } from '../../domain/unlogged.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Phase, Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Committed, OpenOutlet, OutletParts } from '../outletPorts.ts';
import { accessFor } from './access.ts';
import { startDelivery } from './delivery.ts';
import { placeFor } from './places.ts';
import { openQueue, type Settled } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';

/** What a spool kept over night is no news any more. */
export const FRESH_MS = 5 * 60_000;

/** Two words about one wait come from two sources within this time. */
const SAME_WAIT_MS = 5_000;

export interface Relay {
  /** RLY-2: whether it was said; false too where the session has no thread. */
  sendToSessionThread(sessionId: string, text: string): Promise<boolean>;
  close(): Promise<void>;
}

/** RLY: tells a chat what the sessions come to. */
export function relayOutlet(world: RelayWorld): OpenOutlet {
  return (parts) => openRelay(world, parts);
}

export function openRelay(world: RelayWorld, { store, source, state, clock, log }: OutletParts): Relay {
  const { rules, word } = world;
  const noting = new Map<string, (said: boolean) => void>();
  const queue = openQueue({ store, clock, log, onSettled: noted });
  const delivery = startDelivery({ queue, world, clock, log, settings: () => rules.current(), stillWaits });
  const phases = new Map<string, Phase | null>();
  let notes = 0;
  let asked = 0;
  let closed = false;

  // What was on its way when an owner ended may have been taken.
  const leftOver = queue.messages().filter(({ state: was }) => was === 'trying');
  for (const message of leftOver) void queue.keep({ ...message, unsure: true }).catch(() => undefined);

  const listening = [
    source.onCommitted((committed) => {
      forget(committed);
      for (const [id, events] of bySession(committed.events)) hear(id, events);
    }),
    rules.onChange(renew),
    world.secrets.onChange((name) => {
      if (name.startsWith('relay.')) renew();
    }),
  ];
  renew();

  /** With the settings and secrets of now; what they refused may go well with these. */
  function renew(): void {
    const { target } = rules.current();
    for (const session of queue.sessions()) {
      if (placeOf(session.project)?.place !== session.place) leave(session.session);
      else if (session.closed !== undefined && session.closed !== 'threadGone') reopen(session);
    }
    if (target === 'off') for (const message of queue.messages()) drop(message, 'turnedOff');
    const mine = ++asked;
    accessFor(rules.current(), world).then(
      (access) => {
        if (!closed && mine === asked) delivery.use(access);
      },
      (error: unknown) => log.warn(`The secrets of the chat relay can't be read: ${String(error)}`),
    );
  }

  function reopen({ closed: _, starts: __, ...session }: RelaySession): void {
    void queue.keepSession(session).catch(() => undefined);
  }

  /** It goes somewhere else from now on, or nowhere: what was meant for there is not said elsewhere. */
  function leave(sessionId: string): void {
    for (const message of queue.messagesOf(sessionId)) drop(message, 'turnedOff');
  }

  function drop(message: QueuedMessage, why: 'turnedOff' | 'remade' | 'overtaken'): void {
    if (message.state === 'queued') void queue.settle(message, 'withdrawn', why).catch(() => undefined);
  }

  function forget({ erased, remade }: Committed): void {
    queue.forget(erased);
    for (const id of erased) phases.delete(id);
    // A private prompt that came late took words back which still wait here.
    for (const id of remade) for (const message of queue.messagesOf(id)) drop(message, 'remade');
  }

  function hear(id: string, events: readonly AgentEvent[]): void {
    const now = state(id);
    if (!now || rules.current().target === 'off') return;
    const before = phases.get(id);
    phases.set(id, now.session.phase);
    const fresh = events.filter(({ ts }) => isFresh(ts));
    if (fresh.length === 0 || isHidden(now, fresh)) return;
    const session = known(now.session);
    if (!session) return;
    if (fresh.some(({ event_type: type }) => type === 'user_prompt')) forgetReply(session);
    const said = fresh.flatMap((event) => eventDraft(event, word) ?? []);
    for (const draft of said) say(id, draft);
    for (const draft of waitDrafts(now, word)) if (isFresh(draft.at) && !isSameWait(id, draft)) say(id, draft);
    const phase = before === undefined ? undefined : phaseDraft(now.session, before, word);
    const isTold = said.some(({ kind }) => kind === 'reply' || kind === 'failed' || kind === 'ended');
    if (phase && !isTold) say(id, phase);
    delivery.look();
  }

  const isFresh = (ts: string) => clock.now() - Date.parse(ts) < FRESH_MS;

  /** RLY-3: nothing is told of what the person wants not kept, nor of what runs without a person. */
  function isHidden({ session, unlogged }: SessionState, events: readonly AgentEvent[]): boolean {
    if (session.surface === 'headless') return true;
    return events.every(({ ts, payload }) => payload['unlogged'] === true || isInSpan(unlogged, ts));
  }

  function placeOf(project: string) {
    return placeFor(project, rules.current(), world.folders);
  }

  /** At first sight it gets its thread, if its project has a channel. */
  function known(session: Session): RelaySession | undefined {
    const place = placeOf(session.project || session.cwd);
    if (!place) return undefined;
    const before = queue.session(session.id);
    if (before && before.place === place.place) return before;
    const started = startedDraft(session, word);
    const { id, project, cwd, provider } = session;
    const fresh: RelaySession = {
      ...{ session: id, ...place, agent: provider },
      project: maskText(project || cwd),
      name: threadName({ ...session, project: project || cwd }),
      startedText: started.text,
      seenAt: clock.now(),
      receipts: [],
    };
    void queue.keepSession(fresh).catch(() => undefined);
    say(id, started);
    return fresh;
  }

  function say(id: string, draft: Draft): void {
    if (queue.session(id)?.closed !== undefined || queue.knows(id, draft.id)) return;
    if (draft.kind !== 'note' && !rules.current().send[draft.kind]) return;
    if (draft.kind === 'reply' && isRepeated(id, draft)) return;
    // One line about the phase is enough, and none where more is said.
    if (draft.kind !== 'started')
      for (const message of queue.messagesOf(id)) if (message.kind === 'phase') drop(message, 'overtaken');
    void queue.add(id, draft).catch(() => undefined);
  }

  /** Hooks and transcripts may both tell the reply of one turn. */
  function isRepeated(id: string, { text }: Draft): boolean {
    const session = queue.session(id);
    const lastReply = hashHex(text);
    if (!session || session.lastReply === lastReply) return true;
    void queue.keepSession({ ...session, lastReply, seenAt: clock.now() }).catch(() => undefined);
    return false;
  }

  function forgetReply({ session: id }: RelaySession): void {
    const { lastReply, ...session } = queue.session(id) ?? {};
    if (lastReply !== undefined) void queue.keepSession(session as RelaySession).catch(() => undefined);
  }

  function isSameWait(id: string, draft: Draft): boolean {
    const others = [...queue.messagesOf(id), ...(queue.session(id)?.receipts ?? [])];
    return others.some((other) => other.kind === draft.kind && isNear(other.at, draft.at));
  }

  function stillWaits({ session: id, wait }: QueuedMessage): boolean {
    const agents = state(id)?.agents ?? [];
    return agents.some(({ agent }) => agent.id === wait?.agentId && agent.wait && isNear(agent.wait.since, wait.since));
  }

  function noted({ message, state: became, why }: Settled): void {
    if (why === 'full') {
      log.warn(`Chat relay: too much waits; gave up a message (${message.kind}) of session ${message.session}.`);
      delivery.tell(why);
    }
    noting.get(message.id)?.(became === 'sent');
  }

  return {
    sendToSessionThread(sessionId, text) {
      const said = chatText(text);
      const session = queue.session(sessionId);
      const hasThread = session?.thread !== undefined || rules.current().target === 'webhook';
      if (closed || said === '' || !session || !hasThread || session.closed !== undefined)
        return Promise.resolve(false);
      const id = `note/${sessionId}/${clock.now()}/${notes++}`;
      return new Promise((resolve) => {
        const settle = (wasSaid: boolean) => {
          noting.delete(id);
          resolve(wasSaid);
        };
        noting.set(id, settle);
        queue.add(sessionId, { id, kind: 'note', at: new Date(clock.now()).toISOString(), text: said }).then(
          () => delivery.look(),
          () => settle(false),
        );
      });
    },
    async close() {
      closed = true;
      for (const each of listening) each.dispose();
      await delivery.close();
      for (const settle of [...noting.values()]) settle(false);
    },
  };
}

function isNear(one: string, other: string): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) < SAME_WAIT_MS;
}

function bySession(events: readonly AgentEvent[]): ReadonlyMap<string, readonly AgentEvent[]> {
  const sessions = new Map<string, AgentEvent[]>();
  for (const event of events) sessions.set(event.session_id, [...(sessions.get(event.session_id) ?? []), event]);
  return sessions;
}
