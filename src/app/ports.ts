import type { ContextText } from '../domain/contextText.ts';
import type { Observation } from '../domain/observed.ts';
import type { OwnConversation, PastSession } from '../domain/pastText.ts';
import type { CastFile } from '../protocol/cast.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { Explanation } from '../protocol/explanation.ts';
import type { HookEnvelope, HookMeta } from '../protocol/hook.ts';
import type { HookBesides, HookOutput } from '../protocol/hookOutput.ts';
import type { Context, Interaction, Storing } from '../protocol/reading.ts';
import type { SessionEvent } from '../protocol/sessionEvent.ts';
import type { OrderKey } from '../protocol/stored.ts';
import type { Patch, Snapshot } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';
import type { ServerFrame } from '../protocol/wire.ts';
import type { Changes, EventsAfter } from './changePorts.ts';
import type { ErasedMarks, Erasing, Erasure } from './erasurePorts.ts';
import type { Shelves } from './shelfPorts.ts';
import type { Touching, WorkStore } from './workPorts.ts';

/** Time enters here and nowhere else, so that every state test is a table. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since an arbitrary start, by a clock that can't be set and only goes forward. */
  monotonic(): number;
  /** Calls once after that many milliseconds, unless disposed before. */
  after(ms: number, call: () => void): Disposable;
}

/** Made for one piece of work; what it gives is awaited between its steps and lets others on this thread have their turns. */
export type Breather = () => () => Promise<void>;

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface Disposable {
  dispose(): void;
}

export interface EventRecord {
  readonly event: AgentEvent;
  /** Every key under which the same hook would come again: its delivery, its fingerprint. */
  readonly keys: readonly string[];
  /** Causal rank among events of one `ts`: a start before what it starts. */
  readonly rank: number;
}

/** A session as the reducer left it. Derived from the events, so it carries no promise of its own. */
export interface SessionRow {
  readonly id: string;
  readonly lastEventAt: string;
  /** Which reducer made it; another one's rows are made anew from the events. */
  readonly reducer: number;
  readonly json: string;
  /** Retention has taken events of it away: made anew from the rest it would be another. */
  readonly trimmed?: boolean;
}

/** How old a session is, for retention. */
export type SessionAge = Pick<SessionRow, 'id' | 'lastEventAt'>;

/** Which of a session's events retention asks for: with a raw payload and before a moment, those up to a moment that are no sayings, or all of them. */
export type EventSelection =
  | { readonly kind: 'raw'; readonly before: string }
  | { readonly kind: 'unsaid'; readonly upTo: string }
  | { readonly kind: 'all'; readonly upTo: string };

/** What retention takes of a session. */
export interface Trimming {
  readonly sessionId: string;
  /** Ids of events that go altogether. */
  readonly remove?: readonly string[];
  /** Ids of events whose raw payload goes. */
  readonly strip?: readonly string[];
  /** The session's row goes, if no event of it is left. */
  readonly forget?: boolean;
  /** The session keeps its row as it is, whatever goes of its events. */
  readonly keepRow?: boolean;
}

/** CNV-4: what is to be kept of events from now on, with rows that tell no more of their sessions than these do. */
export interface Rewriting {
  readonly events: readonly AgentEvent[];
  readonly rows: readonly SessionRow[];
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  /** Fewer than `limit` are not yet the end: a page of large items is cut short. */
  readonly items: readonly T[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/** CNV-3: which prompts and replies are wanted. */
export interface SayingSearch {
  /** They contain it, both in the spelling of `searchable`. */
  readonly text: string;
  readonly role?: Interaction['role'] | undefined;
  /** In the form of an event's `ts`: said then or later. */
  readonly from?: string | undefined;
  /** Said before. */
  readonly to?: string | undefined;
  /** Asked last, for it may have to read the session's row: then it says how long that was. */
  readonly isOfSession?: ((sessionId: string, read?: (characters: number) => void) => boolean) | undefined;
}

export interface EventStore extends Shelves {
  /** Where it lies, for the person; absent where that is no folder. */
  readonly folder?: string;
  /** The id of the session's event that was stored under this key; empty if that event was erased recently. */
  lookup(key: string, sessionId: string): string | undefined;
  /**
   * Resolves when every record is on disk: from then on a SIGKILL loses none. Rejects when any is not; then none counts as
   * stored. Calls are made one after the other. What they are to work items becomes durable with them.
   */
  append(records: readonly EventRecord[], touching?: Touching): Promise<void>;
  saveSessions(rows: readonly SessionRow[]): void;
  session(id: string): SessionRow | undefined;
  /** Newest first by `lastEventAt`. */
  sessions(page: PageRequest): Page<SessionRow>;
  /** All of a session, in order of (ts, rank, id). */
  events(sessionId: string): readonly AgentEvent[];
  /** Oldest first, in the same order. */
  eventsPage(sessionId: string, page: PageRequest): Page<AgentEvent>;
  /**
   * Those of a session that come after this key, oldest first; fewer than `limit` where they are large. `upTo`: those alone that were
   * stored up to this number of `changes`.
   */
  eventsAfter(sessionId: string, key: OrderKey | undefined, limit: number, upTo?: number): EventsAfter;
  /** The newest of a session, in the same order, without their raw payloads; fewer than `limit` where even so they are large. */
  newestEvents(sessionId: string, limit: number): readonly AgentEvent[];
  /** Those of `sayingTypes`, where prompts and replies are: of one session like `eventsPage`. */
  sayings(sessionId: string, page: PageRequest): Page<AgentEvent>;
  /** CNV-3: those of all sessions that are wanted, newest first. A page may be short or empty though others follow: it ends after some milliseconds of work. */
  searchSayings(search: SayingSearch, page: PageRequest): Page<AgentEvent>;
  eventCount(): number;
  /** Bytes that hold something. */
  usedBytes(): number;
  /** Oldest first by `lastEventAt`, after this one. */
  oldestSessions(after: SessionAge | undefined, limit: number): readonly SessionAge[];
  /** Ids of a session's events, oldest first. */
  eventIds(sessionId: string, selection: EventSelection, limit: number): readonly string[];
  /** Resolves when it is durable, as `append` does. */
  trim(trimming: Trimming): Promise<void>;
  /** The same; then `wipe` is to follow. What later sessions were told of the time from the first of these on goes too. */
  rewrite(rewriting: Rewriting): Promise<void>;
  readonly erased: ErasedMarks;
  readonly changes: Changes;
  /** Resolves when it is durable that all of it is gone, rows, keys and states; then `wipe` is to follow. */
  erase(erasing: Erasing): Promise<Erasure>;
  /** Makes every file anew that may hold what was erased. Resolves to those that could not be; the next start tries again. */
  wipe(): Promise<readonly string[]>;
  readonly work: WorkStore;
  size(): Promise<StoreSize>;
  /** Compresses what there is enough of, and writes the index. Safe at any time; calls do not overlap. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** Where a folder belongs: the project's real path, and the worktree's name when it is not the main one. */
export interface Place {
  readonly path: string;
  readonly worktree?: string | undefined;
  /** The real path of the folder itself, where it is known. */
  readonly folder?: string | undefined;
}

export interface Projects {
  locate(folder: string): Promise<Place>;
}

/** HKI-9: sessions in these folders, and below them, are neither shown nor logged. */
export interface Exclusions {
  excludes(folder: string): boolean;
}

/** CNV-4: of which sessions, and of which turns, nothing that is said is kept; as the person has set it now. */
export interface LoggingRules extends Exclusions {
  enabled(): boolean;
  /** What such a prompt begins with; empty: none does. */
  marker(): string;
}

/** CNV-4: what the store holds, and how much room it takes. */
export interface StoreSize extends Erasure {
  readonly interactions: number;
  /** When its oldest event was. */
  readonly oldest: string | null;
  readonly databaseBytes: number;
  readonly journalBytes: number;
}

export interface Ingested {
  /** Of the hook's first event; empty when it was let go of, for its project is excluded. */
  readonly id: string;
  readonly duplicate: boolean;
  /** The hook's event; absent if its project is excluded, unless the guard must still judge it. */
  readonly event?: AgentEvent | undefined;
}

export interface PastRequest {
  /** As sessions have it; without it those of all projects. */
  readonly project?: string | undefined;
  readonly limit: number;
  /** The session that asks: it is no past of its own. */
  readonly except?: string | undefined;
  /** Whether nothing is told of this project. */
  readonly excludes?: (project: string) => boolean;
  /** Of somebody who waits for as long as it takes; nobody else does. */
  readonly signal?: Patience | undefined;
}

/** Of an `AbortSignal` what layers without Node's types need. */
export interface Patience {
  readonly aborted: boolean;
  throwIfAborted(): void;
}

/** MEM-1. */
export interface PastSessions {
  /** Those that are worth telling of, newest first; in time, and be it with fewer. */
  last(request: PastRequest): Promise<readonly PastSession[]>;
}

/** The settings `memory.*`. */
export interface MemoryRules {
  /** 0: it is off. */
  sessions(): number;
  tokens(): number;
  /** MEM-5: may agents get what other agents wrote? */
  agentWords(): boolean;
  /** Whether nothing is told in this folder, nor of it. */
  excludes(folder: string): boolean;
}

export interface RecallRequest extends Omit<PastRequest, 'limit' | 'excludes'> {
  /** Where else the one who asks may be. */
  readonly cwd?: string | undefined;
  /** Without it as many as the setting says. */
  readonly limit?: number | undefined;
}

export interface Recalled {
  /** The most that the settings allow. */
  readonly tokens: number;
  textWithin(tokens: number, own?: OwnConversation): ContextText;
}

export interface Memory {
  /** Undefined: it is off there. */
  recall(request: RecallRequest): Promise<Recalled | undefined>;
}

/** What is said to an agent in answer to its hook. */
export interface HookReply {
  /** What the hook prints, as it is; absent if its agent reads no output. */
  readonly output?: HookOutput;
  /** What its agent would not take from the hook, for whoever else sent the event. */
  readonly besides?: HookBesides;
  /** What the agent is told of earlier sessions by it. */
  readonly context?: Context;
}

/** OUT-1. */
export interface HookReplies {
  /** The reply; undefined if making it failed. Never rejects, because the hook is already stored. */
  to(event: AgentEvent, meta: HookMeta): Promise<HookReply | undefined>;
}

/** Too much waits already; nothing was taken in, the sender keeps the event and comes again. */
export class PipelineFullError extends Error {}

export interface Pipeline {
  /**
   * Resolves when the hook is durable and part of the state, or excluded; rejects otherwise. `isLive`: the hook comes from its sender
   * now, so its agent is alive, whatever time the hook bears. `asOf`: `erasures()` when the hook was read.
   */
  ingest(hook: HookEnvelope, isLive?: boolean, asOf?: number): Promise<Ingested>;
  /** The same for what was observed; resolves when all are durable. What is there already is not stored again. */
  record(observations: readonly Observation[], asOf?: number): Promise<void>;
  /** CNV-5: the number of erasures so far. Take it before reading data, and pass it as `asOf`: later erasures then drop that data. */
  erasures(): number;
  /** Runs the work while no event is being stored, so that an erasure lies between two events. */
  between<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the store took what it was given last. */
  storing(): Storing;
  /** Called when it begins to refuse, refuses for another reason, and takes again. */
  onStoring(listener: (storing: Storing) => void): Disposable;
}

/** `reset`: another state than the patches so far lead to; take the snapshot. */
export type StateChange = { readonly type: 'patch'; readonly patch: Patch } | { readonly type: 'reset' };

/** What every view and every stream sees, whether this window owns the state or mirrors it. */
export interface StateSource {
  snapshot(): Snapshot;
  status(): ViewSource;
  /** Called once for each change, in order, after the one who caused it has been answered. */
  onChange(listener: (change: StateChange) => void): Disposable;
}

/** EVT-1: the story of the sessions, as it goes on. */
export interface SessionEventSource {
  /** Called after the change of the state that came of the same events, in order. */
  onSessionEvents(listener: (events: readonly SessionEvent[]) => void): Disposable;
  /** The number of the store's record up to which this was told. */
  storyTo(): number;
  /** What was told after this number, also by owners before this one; nothing where that would be too much. */
  storyAfter(seq: number): readonly SessionEvent[];
}

/** Tells why a session is shown as it is. */
export interface Explainer {
  /** Undefined: no such session, or nobody can be asked now. */
  explain(sessionId: string): Promise<Explanation | undefined>;
}

/** The right to be the one owner of a home folder. */
export interface Claim {
  readonly instance: string;
  /** Higher than every owner's before. */
  readonly generation: number;
  /** The same for every owner of this home; what they hold elsewhere carries it. */
  readonly home: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly kernelStart?: string | undefined;
  /** False once another process has taken over: from then on nothing may be written. Rejects when it can't be told. */
  holds(): Promise<boolean>;
  /** A sign of life for those who have no other. Never rejects. */
  touch(): Promise<void>;
  release(): Promise<void>;
}

/** What was begun is refused, for the claim is another's, or that of the store is. */
export class ClaimLostError extends Error {
  override readonly name: string = 'ClaimLostError';

  constructor(message = 'Another process has taken over the collector.') {
    super(message);
  }
}

/** Who holds the claim, as it was when somebody looked. */
export interface Holder {
  readonly instance: string;
  /** Changes with every touch. */
  readonly touched: string;
  /** Its process is in another table than ours (a container, another machine): whether it lives can't be looked up. */
  readonly elsewhere: boolean;
}

export interface Claims {
  /** Undefined: another living process is the owner. `hung`: that one is passed over, if it is as it was then. */
  take(hung?: Holder): Promise<Claim | undefined>;
  /** Undefined: nobody, or it can't be read. */
  look(): Promise<Holder | undefined>;
}

export interface LinkHandlers {
  onFrame(frame: ServerFrame): void;
  /** Whatever shows that the owner lives: a frame, the answer to a ping. */
  onSign(): void;
  onClosed(why: LinkEnd): void;
}

/** `protocol`: the owner speaks another one, and will as long as it runs. */
export type LinkEnd = 'gone' | 'protocol';

export interface OwnerLink extends Explainer, Disposable {
  resync(revision: number): void;
  /** Asks for a sign of life. */
  ping(): void;
}

/**
 * Without a link: the owner `answered`, but not with a stream; its port `refused` us, as the port of a process that hangs
 * never does; or there is no word at all.
 */
export type Connected = OwnerLink | 'answered' | 'refused' | 'silent';

export interface OwnerLinks {
  /** To the owner that holds the claim as this instance. */
  connect(handlers: LinkHandlers, instance: string): Promise<Connected>;
}

/** Where names and pins of mascots are kept. */
export interface CastKeeper {
  read(): Promise<CastFile>;
  /** Nothing is written when `change` gives back what it got. */
  update(change: (present: CastFile) => CastFile): Promise<void>;
}
