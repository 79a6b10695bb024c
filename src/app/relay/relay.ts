import { chatText } from '../../domain/relay/chatText.ts';
import { isWait } from '../../domain/relay/drafts.ts';
import type { QueuedMessage, RelaySession } from '../../domain/relay/records.ts';
import type { OpenOutlet, OutletParts } from '../outletPorts.ts';
import type { Disposable, Exclusions } from '../ports.ts';
import { Delivery } from './delivery.ts';
import { Hearing } from './hearing.ts';
import { RelayQueue, type Settled } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';
import { accessFor, type Place, placeFor, Target } from './target.ts';

/** When secrets and exclusions are asked for again that could not be read. */
const LOOK_AGAIN_MS = 60_000;

/** A script that wants a note said waits for the answer, and a request has ten seconds for its own. */
const NOTE_PATIENCE_MS = 15_000;

/** Notes of one session that wait. A script that talks on must not push the replies out of the queue. */
const NOTES_MAX = 20;

/** RLY: tells a chat what the sessions come to. */
export function relayOutlet(world: RelayWorld): OpenOutlet {
  return (parts) => new Relay(world, parts);
}

interface AskedNote {
  readonly settle: (wasSaid: boolean) => void;
  readonly patience: Disposable;
}

/** The relay of one owner: hears the store's log, keeps what is to be said, and sends it, with the settings and secrets of now. */
export class Relay {
  readonly #world: RelayWorld;
  readonly #parts: OutletParts;
  readonly #queue: RelayQueue;
  readonly #hearing: Hearing;
  readonly #target: Target;
  readonly #delivery: Delivery;
  readonly #listening: readonly Disposable[];
  /** Notes whose scripts wait for the answer, by their ids. */
  readonly #asked = new Map<string, AskedNote>();
  #noteCount = 0;
  #exclusions: (Exclusions & Disposable) | undefined;
  #excluding: Promise<void> | undefined;
  #later: Disposable | undefined;
  #isOn: boolean;
  /** Settings and secrets of now are still to be applied to what waits. */
  #mustAdopt: 'start' | 'changed' | 'turned' | undefined = 'start';
  #renewals = 0;
  #isClosed = false;

  constructor(world: RelayWorld, parts: OutletParts) {
    const { store, source, notes, clock, log } = parts;
    this.#world = world;
    this.#parts = parts;
    this.#queue = new RelayQueue({ store, clock, log, onSettled: (settled) => this.#settled(settled) });
    this.#target = new Target({ world, clock, log });
    this.#delivery = new Delivery({
      ...{ queue: this.#queue, target: this.#target, world, clock, log },
      mayBegin: () => !this.#hearing.isBehind,
      stillWaits: (message) => this.#stillWaits(message),
      isExcluded: (id) => this.#isExcluded(id),
    });
    this.#hearing = new Hearing({
      ...{ ...parts, queue: this.#queue, world },
      placeOf: (project) => this.#placeOf(project),
      onHeard: () => this.#heard(),
    });
    this.#isOn = world.rules.current().target !== 'off';
    this.#recallNotes();
    this.#hearing.begin(this.#isOn);
    this.#adopt();
    this.#listening = [
      source.onCommitted(() => this.#hearing.follow()),
      source.onChange((change) => {
        // A session may be gone because its project was excluded, and its words wait here.
        if (change.type === 'patch' && change.patch.removedSessions.length > 0) this.#delivery.look();
      }),
      world.rules.onChange(() => this.#changed()),
      world.secrets.onChange((name) => {
        if (name.startsWith('relay.')) this.#changed();
      }),
      ...(notes ? [notes.take((id, text) => this.sendToSessionThread(id, text))] : []),
    ];
    this.#renew();
  }

  /**
   * RLY-2: whether this was said in the session's thread; false at once where it has none. What was not said is not said later either,
   * unless it was on its way already.
   */
  sendToSessionThread(session: string, text: string): Promise<boolean> {
    const { clock } = this.#parts;
    const said = chatText(text);
    const waiting = this.#queue.messagesOf(session).filter(({ kind }) => kind === 'note');
    if (said === '' || waiting.length >= NOTES_MAX || !this.#mayNote(session)) return Promise.resolve(false);
    const at = new Date(clock.now()).toISOString();
    const id = `note/${session}/${at}/${this.#noteCount++}`;
    return new Promise((settle) => {
      const patience = clock.after(NOTE_PATIENCE_MS, () => this.#takeNoteBack(session, id));
      this.#asked.set(id, { settle, patience });
      const isKept = this.#queue.add(session, { id, kind: 'note', at, text: said });
      isKept.then(
        () => this.#delivery.look(),
        () => this.#takeNoteBack(session, id),
      );
    });
  }

  /** Requests that are on their way get a moment for their answers. Resolves when nothing is left to be written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const each of this.#listening) each.dispose();
    this.#exclusions?.dispose();
    this.#later?.dispose();
    this.#recallNotes();
    await this.#delivery.close();
    for (const id of [...this.#asked.keys()]) this.#answerNote(id, false);
    await this.#hearing.close();
  }

  /** Settings or secrets are others. */
  #changed(): void {
    const wasOn = this.#isOn;
    this.#isOn = this.#world.rules.current().target !== 'off';
    const wasTurned = this.#isOn !== wasOn || this.#mustAdopt === 'turned';
    this.#mustAdopt = wasTurned ? 'turned' : 'changed';
    if (this.#isOn && !wasOn) this.#hearing.turnOn();
    else if (wasOn && !this.#isOn) this.#hearing.turnOff();
    this.#adopt();
    this.#renew();
  }

  #heard(): void {
    this.#adopt();
    this.#delivery.look();
  }

  /** Applies settings and secrets to what waits, once it is known what of it was erased. */
  #adopt(): void {
    const why = this.#mustAdopt;
    if (why === undefined || this.#hearing.isBehind) return;
    this.#mustAdopt = undefined;
    // Whoever turned it off wanted none of what waited, nor when it is on again.
    if (why === 'turned') for (const message of this.#queue.messages()) this.#queue.recall(message, 'turnedOff');
    // In an editor where it never was on, what waits is another's, whose turn comes again (STO-1).
    for (const session of this.#isOn ? this.#queue.sessions() : []) {
      // What was refused may go well with these.
      if (why !== 'start' && session.closed !== undefined) this.#queue.reopen(session);
      if (this.#placeOf(projectOf(session))?.place !== session.place)
        this.#queue.recallAllOf(session.session, 'turnedOff');
    }
  }

  /** Goes on with the settings and secrets of now. Before it is known what is excluded nothing leaves. */
  #renew(): void {
    const { clock, log } = this.#parts;
    const renewal = ++this.#renewals;
    const isLast = () => !this.#isClosed && renewal === this.#renewals;
    this.#later?.dispose();
    Promise.all([accessFor(this.#world.rules.current(), this.#world), this.#whatIsExcluded()]).then(
      ([access]) => {
        if (!isLast()) return;
        this.#target.use(access);
        this.#delivery.look();
      },
      (error: unknown) => {
        log.warn(`The chat relay can't read its secrets, or what is excluded: ${String(error)}`);
        // A keyring that is locked while the editor starts is opened by and by.
        if (isLast()) this.#later = clock.after(LOOK_AGAIN_MS, () => this.#renew());
      },
    );
  }

  #whatIsExcluded(): Promise<void> {
    this.#excluding ??= this.#world.exclusions().then(
      (given) => {
        this.#exclusions = given;
        if (this.#isClosed) given.dispose();
      },
      (error: unknown) => {
        this.#excluding = undefined;
        throw error;
      },
    );
    return this.#excluding;
  }

  #placeOf(project: string): Place | undefined {
    return placeFor(project, this.#world.rules.current(), this.#world.folders);
  }

  #isExcluded(id: string): boolean {
    const { folders = [] } = this.#queue.session(id) ?? {};
    const { project = '', cwd = '' } = this.#parts.state(id)?.session ?? {};
    return [...folders, project, cwd].some((folder) => folder !== '' && this.#exclusions?.excludes(folder) === true);
  }

  #stillWaits({ session: id, wait }: QueuedMessage): boolean {
    const agents = this.#parts.state(id)?.agents ?? [];
    return agents.some(({ agent }) => agent.id === wait?.agentId && agent.wait && isWait(wait, agent.wait));
  }

  /** May a note be said in this session's thread now? RLY-2: at once, or not at all. */
  #mayNote(id: string): boolean {
    const session = this.#queue.session(id);
    const { target, send } = this.#world.rules.current();
    if (this.#isClosed || !session || session.closed !== undefined) return false;
    if (!send.note || !this.#delivery.isOpenTo('note')) return false;
    if (this.#parts.state(id)?.session.surface === 'headless' || this.#isExcluded(id)) return false;
    if (this.#placeOf(projectOf(session))?.place !== session.place) return false;
    return session.thread !== undefined || target === 'webhook';
  }

  #settled({ message, state, why }: Settled): void {
    if (why === 'full') {
      const { kind, session } = message;
      this.#parts.log.warn(`Chat relay: too much waits; gave up a message (${kind}) of session ${session}.`);
      this.#target.tell(why);
    }
    this.#answerNote(message.id, state === 'sent');
  }

  #answerNote(id: string, wasSaid: boolean): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    asked?.patience.dispose();
    asked?.settle(wasSaid);
  }

  #takeNoteBack(session: string, id: string): void {
    const message = this.#queue.messagesOf(session).find((each) => each.id === id);
    if (message) this.#queue.recall(message, 'notSoon');
    this.#answerNote(id, false);
    this.#delivery.look();
  }

  /** Whoever asked for notes that still wait is not told any more what became of them. */
  #recallNotes(): void {
    for (const message of this.#queue.messages()) if (message.kind === 'note') this.#queue.recall(message, 'notSoon');
  }
}

function projectOf({ project, folders }: RelaySession): string {
  return folders?.[0] ?? project;
}
