import { isWait } from '../../domain/relay/drafts.ts';
import type { QueuedMessage, RelaySession } from '../../domain/relay/records.ts';
import { grouped } from '../../domain/grouped.ts';
import { isInSpan } from '../../domain/unlogged.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Committed, OpenOutlet, OutletParts, SayNote } from '../outletPorts.ts';
import type { Disposable, Exclusions } from '../ports.ts';
import { accessFor } from './access.ts';
import { startDelivery } from './delivery.ts';
import { startHearing } from './hearing.ts';
import { keepStanding } from './relayStanding.ts';
import { startNotes } from './notes.ts';
import { placeFor } from './places.ts';
import { openQueue, type Settled } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';

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
  const { rules } = world;
  const queue = openQueue({ store, clock, log, onSettled: noted });
  const delivery = startDelivery({
    ...{ queue, world, clock, log, stillWaits, isExcluded },
    settings: () => rules.current(),
  });
  const noting = startNotes({ queue, clock, mayNote, onAdded: delivery.look });
  const standing = keepStanding(store, clock);
  const { hear, catchUp, leave, reopen, ...hearing } = startHearing({
    ...{ queue, world, standing, placeOf, store, source, state, clock, log },
    onAdded: delivery.look,
  });
  let exclusions: (Exclusions & Disposable) | undefined;
  let excluding: Promise<void> | undefined;
  let later: Disposable | undefined;
  let isOn = rules.current().target !== 'off';
  let asked = 0;
  let closed = false;

  // What was on its way when an owner ended may have been taken.
  const leftOver = queue.messages().filter(({ state: was }) => was === 'trying');
  for (const message of leftOver) void queue.keep({ ...message, unsure: true }).catch(() => undefined);
  // Whoever asked for these is not told any more what became of them.
  noting.recall();
  // The last owner may have ended between taking words back from the store and from here.
  for (const id of new Set(queue.messages().map(({ session }) => session)))
    if (state(id)?.unlogged !== undefined) recallPrivate(id);

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
  if (standing.begin(isOn)) catchUp();
  renew();

  function changed(): void {
    const wasOn = isOn;
    isOn = rules.current().target !== 'off';
    standing.changed(isOn);
    // Whoever turned it off wanted none of what waited, nor when it is on again.
    if (wasOn !== isOn) for (const message of queue.messages()) queue.recall(message, 'turnedOff');
    // What was refused may go well with these.
    for (const session of isOn ? queue.sessions() : []) if (session.closed !== undefined) reopen(session);
    renew();
  }

  /** With the settings and secrets of now. */
  function renew(): void {
    // In an editor where it never was on, what waits is another's, whose turn comes again (STO-1).
    for (const session of isOn ? queue.sessions() : []) {
      if (placeOf(projectOf(session))?.place !== session.place) leave(session.session);
    }
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

  function forget({ events, erased, remade }: Committed): void {
    if (events.length === 0 && remade.length === 0) {
      // All may be erased, also where nothing of it is live any more.
      const gone = queue.sessions().filter(({ session: id }) => !state(id) && !store.session(id));
      const ids = [...erased, ...gone.map(({ session: id }) => id)];
      queue.forget(ids);
      hearing.forget(ids);
    }
    // A private prompt that came late took words back which still wait here.
    for (const id of remade) recallPrivate(id);
    if (remade.length > 0) delivery.look();
  }

  /** By its moment, by who asks, and by the event that told it: what a private turn began may go on after it. */
  function recallPrivate(id: string): void {
    const messages = queue.messagesOf(id);
    const now = state(id);
    const isPrivate = ({ payload }: AgentEvent) => payload.unlogged === true;
    const events = new Set(
      messages.length > 0 ? store.events(id).flatMap((event) => (isPrivate(event) ? event.id : [])) : [],
    );
    const agents = new Set(now?.agents.flatMap(({ agent, unlogged }) => (unlogged ? agent.id : [])));
    for (const message of messages) {
      const isHidden = events.has(message.id) || agents.has(message.wait?.agentId ?? '');
      // Notes are the person's own.
      if (message.kind !== 'note' && (!now || isHidden || isInSpan(now.unlogged, message.at)))
        queue.recall(message, 'remade');
    }
  }

  function placeOf(project: string) {
    return placeFor(project, rules.current(), world.folders);
  }

  function isExcluded(id: string): boolean {
    const { folders = [] } = queue.session(id) ?? {};
    const { project = '', cwd = '' } = state(id)?.session ?? {};
    return [...folders, project, cwd].some((folder) => folder !== '' && exclusions?.excludes(folder) === true);
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
