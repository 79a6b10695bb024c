import { threadName } from '../../domain/relay/chatText.ts';
import {
  type Draft,
  eventDraft,
  isToldOf,
  isWait,
  phaseDraft,
  startedDraft,
  waitDrafts,
} from '../../domain/relay/drafts.ts';
import { isOfEvent, type QueuedMessage, type RelaySession, type Why } from '../../domain/relay/records.ts';
import { isRepeated, withReply } from '../../domain/relay/replies.ts';
import { isMain } from '../../domain/agentIds.ts';
import { isFoundPrompt } from '../../domain/found.ts';
import { grouped } from '../../domain/grouped.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { isInSpan } from '../../domain/unlogged.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Phase, Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Committed, OpenOutlet, OutletParts, SayNote } from '../outletPorts.ts';
import type { Disposable, Exclusions } from '../ports.ts';
import { accessFor } from './access.ts';
import { startDelivery } from './delivery.ts';
import { keepStanding } from './relayStanding.ts';
import { startNotes } from './notes.ts';
import { placeFor } from './places.ts';
import { FRESH_MS, openQueue, type Settled } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';

/** As many events as one owner may have stored, and not told on, before it ended. */
const UNHEARD_MAX = 50;

/** Who was busy before the last so many sessions is told of no phase that changed. */
const PHASES_MAX = 1_000;

const LOOK_AGAIN_MS = 60_000;

export interface Relay {
  /** False too where the session has no thread. */
  readonly sendToSessionThread: SayNote;
  close(): Promise<void>;
}

/** RLY: tells a chat what the sessions come to. */
export function relayOutlet(world: RelayWorld): OpenOutlet {
  return (parts) => openRelay(world, parts);
}

export function openRelay(world: RelayWorld, { store, source, state, notes, clock, log }: OutletParts): Relay {
  const { rules, word } = world;
  const queue = openQueue({ store, clock, log, onSettled: noted });
  const delivery = startDelivery({
    ...{ queue, world, clock, log, stillWaits, isExcluded },
    settings: () => rules.current(),
  });
  const noting = startNotes({ queue, clock, mayNote, onAdded: delivery.look });
  const standing = keepStanding(store, clock);
  const phases = new Map<string, Phase | null>();
  let exclusions: (Exclusions & Disposable) | undefined;
  let excluding: Promise<void> | undefined;
  let later: Disposable | undefined;
  let asked = 0;
  let closed = false;

  // What was on its way when an owner ended may have been taken.
  const leftOver = queue.messages().filter(({ state: was }) => was === 'trying');
  for (const message of leftOver) void queue.keep({ ...message, unsure: true }).catch(() => undefined);
  // Whoever asked for these is not told any more what became of them.
  noting.recall();
  // The last owner may have ended between taking words back from the store and from here.
  for (const message of queue.messages())
    if (message.kind !== 'note' && isInSpan(state(message.session)?.unlogged, message.at))
      queue.recall(message, 'remade');

  const listening = [
    source.onCommitted((committed) => {
      forget(committed);
      for (const [id, events] of grouped(committed.events, ({ session_id }) => session_id)) hear(id, events);
    }),
    source.onChange((change) => {
      // It may be gone because its project was excluded, and its words wait here.
      if (change.type === 'patch' && change.patch.removedSessions.length > 0) delivery.look();
    }),
    rules.onChange(changed),
    world.secrets.onChange((name) => {
      if (name.startsWith('relay.')) changed();
    }),
    ...(notes ? [notes.take(noting.say)] : []),
  ];
  if (standing.begin(rules.current().target !== 'off')) catchUp();
  renew();

  function changed(): void {
    standing.changed(rules.current().target !== 'off');
    renew();
  }

  /** With the settings and secrets of now; what they refused may go well with these. */
  function renew(): void {
    const { target } = rules.current();
    for (const session of queue.sessions()) {
      if (placeOf(projectOf(session))?.place !== session.place) leave(session.session);
      else if (session.closed !== undefined && session.closed !== 'threadGone') reopen(session);
    }
    if (target === 'off') for (const message of queue.messages()) queue.recall(message, 'turnedOff');
    const mine = ++asked;
    // Before it is known what is excluded nothing leaves.
    later?.dispose();
    Promise.all([accessFor(rules.current(), world), whatIsExcluded()]).then(
      ([access]) => {
        if (!closed && mine === asked) delivery.use(access);
      },
      (error: unknown) => {
        log.warn(`The chat relay can't read its secrets, or what is excluded: ${String(error)}`);
        // A keyring that is locked while the editor starts is opened by and by.
        if (!closed && mine === asked) later = clock.after(LOOK_AGAIN_MS, renew);
      },
    );
  }

  function whatIsExcluded(): Promise<void> {
    excluding ??= world.exclusions().then(
      (given) => {
        exclusions = given;
        if (closed) given.dispose();
      },
      (error: unknown) => {
        excluding = undefined;
        throw error;
      },
    );
    return excluding;
  }

  function reopen({ closed: _, starts: __, ...session }: RelaySession): void {
    void queue.keepSession(session).catch(() => undefined);
  }

  /** It goes somewhere else from now on, or nowhere: what was meant for there is not said elsewhere. */
  function leave(sessionId: string): void {
    for (const message of queue.messagesOf(sessionId)) queue.recall(message, 'turnedOff');
  }

  function forget({ events, erased, remade }: Committed): void {
    if (events.length === 0 && remade.length === 0) {
      // All may be erased, also where nothing of it is live any more.
      const gone = queue.sessions().filter(({ session: id }) => !state(id) && !store.session(id));
      const ids = [...erased, ...gone.map(({ session: id }) => id)];
      queue.forget(ids);
      for (const id of ids) phases.delete(id);
    }
    // A private prompt that came late took words back which still wait here.
    for (const id of remade) for (const message of queue.messagesOf(id)) queue.recall(message, 'remade');
    if (remade.length > 0) delivery.look();
  }

  /** What was stored when the last owner ended, and not told on. */
  function catchUp(): void {
    for (const { id, lastEventAt, startedAt } of source.snapshot().sessions) {
      const session = queue.session(id);
      if (!isFresh(lastEventAt) || (!session && startedAt < standing.since())) continue;
      const waiting = queue.messagesOf(id).filter(isOfEvent);
      const heardTo = [session?.heardTo ?? '', standing.since(), ...waiting.map(({ at }) => at)].sort().at(-1) ?? '';
      const unheard = store.newestEvents(id, UNHEARD_MAX).filter(({ ts }) => ts >= heardTo);
      hear(id, unheard);
    }
  }

  function hear(id: string, events: readonly AgentEvent[]): void {
    const now = state(id);
    if (!now || rules.current().target === 'off') return;
    const before = phases.get(id);
    keepPhase(id, now.session.phase);
    const fresh = events.filter(({ ts }) => isFresh(ts)).toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
    if (fresh.length === 0 || isHidden(now, fresh) || !known(now.session)) return;
    const said = fresh.flatMap((event) => hearOne(id, event) ?? []);
    for (const draft of waitDrafts(now, word)) if (isFresh(draft.at) && !isSameWait(id, draft)) say(id, draft);
    const phase = before === undefined ? undefined : phaseDraft(now.session, before, word);
    const isTold = said.some(({ kind }) => kind === 'reply' || kind === 'failed' || kind === 'ended');
    if (phase && !isTold) say(id, phase);
    delivery.look();
  }

  function hearOne(id: string, event: AgentEvent): Draft | undefined {
    if (isMain(event) && (event.event_type === 'user_prompt' || isFoundPrompt(event))) hearPrompt(id, event.ts);
    const draft = eventDraft(event, word);
    if (draft) say(id, draft);
    return draft;
  }

  function keepPhase(id: string, phase: Phase | null): void {
    phases.delete(id);
    phases.set(id, phase);
    const oldest = phases.size > PHASES_MAX ? phases.keys().next().value : undefined;
    if (oldest !== undefined) phases.delete(oldest);
  }

  function isFresh(ts: string): boolean {
    return clock.now() - Date.parse(ts) < FRESH_MS;
  }

  /** RLY-3: nothing is told of what the person wants not kept, nor of what runs without a person. */
  function isHidden({ session, unlogged }: SessionState, events: readonly AgentEvent[]): boolean {
    if (session.surface === 'headless') return true;
    return events.every(({ ts, payload }) => payload['unlogged'] === true || isInSpan(unlogged, ts));
  }

  function placeOf(project: string) {
    return placeFor(project, rules.current(), world.folders);
  }

  function isExcluded(id: string): boolean {
    const { folders = [] } = queue.session(id) ?? {};
    const { project = '', cwd = '' } = state(id)?.session ?? {};
    return [...folders, project, cwd].some((folder) => folder !== '' && exclusions?.excludes(folder) === true);
  }

  /** At first sight it gets its thread, if its project has a channel. */
  function known(session: Session): RelaySession | undefined {
    const place = placeOf(session.project || session.cwd);
    if (!place) return undefined;
    const before = queue.session(session.id);
    if (before && before.place === place.place) return before;
    const started = startedDraft(session, word);
    const { id, project, cwd, provider } = session;
    const { receipts = [], replies, promptAt, heardTo } = before ?? {};
    const fresh: RelaySession = {
      ...{ session: id, ...place, agent: provider },
      project: maskText(project || cwd),
      folders: [project || cwd, cwd],
      name: threadName({ ...session, project: project || cwd }),
      startedText: started.text,
      seenAt: clock.now(),
      // What was said elsewhere was said.
      ...{ receipts, ...(replies && { replies }), ...(promptAt && { promptAt }), ...(heardTo && { heardTo }) },
    };
    leave(id);
    void queue.keepSession(fresh).catch(() => undefined);
    say(id, started);
    return fresh;
  }

  function say(id: string, draft: Draft): void {
    const session = queue.session(id);
    if (!session || session.closed !== undefined || queue.knows(id, draft.id)) return;
    if (!rules.current().send[draft.kind]) return;
    const isReply = draft.kind === 'reply';
    if (isReply && isRepeated(session, draft)) return;
    // One line about the phase is enough, and none where more is said.
    if (draft.kind !== 'started')
      for (const message of queue.messagesOf(id)) if (message.kind === 'phase') drop(message, 'overtaken');
    const changed = isReply ? { ...withReply(queue.session(id) ?? session, draft), seenAt: clock.now() } : undefined;
    void queue.add(id, draft, changed).catch(() => undefined);
  }

  function keep(session: RelaySession): void {
    void queue.keepSession(session).catch(() => undefined);
  }

  /** A reply after it is another, though it may say the same. */
  function hearPrompt(id: string, at: string): void {
    const session = queue.session(id);
    if (!session?.replies || at <= (session.promptAt ?? '')) return;
    keep({ ...session, promptAt: at, heardTo: at > (session.heardTo ?? '') ? at : (session.heardTo ?? at) });
  }

  function drop(message: QueuedMessage, why: Why): void {
    if (message.state === 'queued') queue.recall(message, why);
  }

  function isSameWait(id: string, draft: Draft): boolean {
    return [...queue.messagesOf(id), ...(queue.session(id)?.receipts ?? [])].some((told) => isToldOf(draft, told));
  }

  function stillWaits({ session: id, wait }: QueuedMessage): boolean {
    const agents = state(id)?.agents ?? [];
    return agents.some(({ agent }) => agent.id === wait?.agentId && agent.wait && isWait(wait, agent.wait));
  }

  /** RLY-2: at once, or not at all. */
  function mayNote(id: string): boolean {
    const session = queue.session(id);
    const { target, send } = rules.current();
    if (closed || !session || session.closed !== undefined || !send.note || !delivery.isOpenTo('note')) return false;
    if (state(id)?.session.surface === 'headless' || isExcluded(id)) return false;
    if (placeOf(projectOf(session))?.place !== session.place) return false;
    return session.thread !== undefined || target === 'webhook';
  }

  function noted({ message, state: became, why }: Settled): void {
    if (why === 'full') {
      log.warn(`Chat relay: too much waits; gave up a message (${message.kind}) of session ${message.session}.`);
      delivery.tell(why);
    }
    noting.settled(message.id, became === 'sent');
  }

  return {
    sendToSessionThread: noting.say,
    async close() {
      closed = true;
      for (const each of listening) each.dispose();
      exclusions?.dispose();
      later?.dispose();
      noting.recall();
      await delivery.close();
      noting.close();
    },
  };
}

function projectOf({ project, folders }: RelaySession): string {
  return folders?.[0] ?? project;
}
