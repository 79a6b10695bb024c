import type { Sighting } from '../domain/sighting.ts';
import type { PortFile } from '../protocol/discovery.ts';
import type { LookChange } from '../protocol/cast.ts';
import type { OwnerInfo, TakeOverProgress } from '../protocol/state.ts';
import { overriding } from '../domain/overriding.ts';
import { type Cast, openCast } from './cast.ts';
import { deferred } from './deferred.ts';
import { createErasing, type ErasingParts } from './erasing.ts';
import { createGuard, noticingGaps } from './guard.ts';
import { createHookReplies } from './hookReply.ts';
import { createHub, type Hub, liveSince } from './hub.ts';
import { createLeftOut, sweepNowAndThen } from './leftOut.ts';
import { renewRows } from './liveSessions.ts';
import { createMemory } from './memory.ts';
import { createNotes } from './notes.ts';
import type { Notes, OpenOutlet } from './outletPorts.ts';
import { openObservedTime } from './observedTime.ts';
import { createPipeline } from './pipeline.ts';
import { createPublishing, type Published } from './publishing.ts';
import { type Retention, type RetentionLimits, startRetention } from './retention.ts';
import { TakeOverWatch } from './takeOverWatch.ts';
import { beginTenure, type Tenure } from './tenure.ts';
import { TICK_MS } from './vigil.ts';
import { createUnlogging } from './unlogging.ts';
import { startWatching } from './watch/startWatching.ts';
import type { Sources } from './watch/watchParts.ts';
import { createTracking } from './tracking.ts';
import type { LookChanged } from './windowPorts.ts';
import { createWorkItems } from './workItems.ts';
import type { GuardGaps, TrackingRules, WorkItems } from './workPorts.ts';
import type { Erase, ErasedMarks } from './erasurePorts.ts';
import {
  type Breather,
  type CastKeeper,
  type Claim,
  ClaimLostError,
  type Clock,
  type Disposable,
  type EventStore,
  type Exclusions,
  type Explainer,
  type HookReplies,
  type Log,
  type LoggingRules,
  type Memory,
  type MemoryRules,
  type PastSessions,
  type Pipeline,
  type Projects,
  type SessionEventSource,
  type StateSource,
} from './ports.ts';

/** A step that hangs (a dead disk) must not keep the others, and the claim, from being given back. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Closing the store writes its index. The window that waits for the claim needs it within a second, and has everything in the
 * log: an index that takes longer is not put in place, for the claim has gone.
 */
const STORE_CLOSE_DEADLINE_MS = 500;

/** Reducing so many sessions at a start takes about a second at most. */
const REDUCED_AT_ONCE = 50;

/** Looking at processes takes milliseconds; a machine that does not answer must not keep the collector from starting. */
const FIRST_LOOK_DEADLINE_MS = 500;

export interface OpenedStore {
  readonly store: EventStore;
  /** Sessions whose rows are older than their events. */
  readonly unreduced: readonly string[];
  /** What was found broken and what became of it, in sentences for the person. */
  readonly damage: readonly string[];
  /** Resolves when the store of an earlier release is taken over, that failed, or there was none. Never rejects. */
  readonly takenOver: Promise<void>;
  /** The claim of the store itself. Rejects when it can't be told. */
  holds(): Promise<boolean>;
}

export interface ListenParts {
  readonly source: StateSource & SessionEventSource;
  readonly store: EventStore;
  readonly pipeline: Pipeline;
  readonly memory: Memory;
  /** MEM-5: the setting. */
  readonly agentWords: () => boolean;
  readonly replies: HookReplies;
  readonly work: WorkItems;
  readonly guard: GuardGaps;
  readonly tracking: TrackingRules;
  readonly notes: Pick<Notes, 'say' | 'isTaken'>;
  /** Changes what the person sees of an agent. */
  readonly recast: Recast;
  /** STO-5: deletions that retention has announced. */
  readonly retentionPlanned: Retention['planned'];
  /** CNV-4: takes away what is kept of conversations. */
  readonly erase: Erase;
  /** The one that lets in now. */
  readonly token: () => string;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Ends every connection; whoever may come in comes again. */
  cut(): void;
  close(): Promise<void>;
}

/** Everything of the outside world that an owner needs. */
export interface OwnerWorld {
  readonly clock: Clock;
  readonly log: Log;
  readonly projects: Projects;
  readonly breather?: Breather;
  readonly app: string;
  readonly version: string;
  newToken(): string;
  /** The setting `idleMinutes`, in milliseconds. */
  idleMs(): number;
  /** The setting `contextBudget`. */
  contextBudget(): number;
  /** The settings `memory.*`. */
  memoryRules(): Promise<MemoryRules>;
  /** The settings `retention.days` and `retention.megabytes`. */
  retention(): RetentionLimits;
  /** RLY, SNK: what leaves this machine by the person's wish. */
  readonly outlets?: readonly OpenOutlet[];
  /** GRD-2: what edits are held to. */
  readonly tracking: TrackingRules & Disposable;
  /** Where the command line tool lies, as a shell reads it. */
  readonly mascot: string;
  /** Files with instructions that an agent reads by itself in these folders. */
  instructions(provider: string, folders: readonly string[]): Promise<readonly string[]>;
  /** The projects that the person excluded, by settings or by the command line. */
  exclusions(): Promise<Exclusions & Disposable>;
  /** CNV-4: what the person wants not to be kept. */
  logging(): Promise<LoggingRules & Disposable>;
  /** The spool, for erasing. */
  readonly waiting: ErasingParts['waiting'];
  pastSessions(of: { readonly source: StateSource; readonly store: EventStore }): PastSessions;
  /** What knows of sessions beside their hooks. */
  sources(): Promise<Sources>;
  /** Names and pins of mascots. */
  readonly cast: CastKeeper;
  /** `onTakeOver` is called with the progress while the store of an earlier release is taken over, also before this resolves. */
  openStore(claim: Claim, onTakeOver: (progress: TakeOverProgress) => void): Promise<OpenedStore>;
  listen(parts: ListenParts): Promise<Listening>;
  /** Writes it, and begins what is written beside it only by the owner. */
  publish(portFile: PortFile, holds: () => Promise<boolean>): Promise<void>;
  /** Whether what is published is this claim's with this token, and nobody else's to write. */
  published(claim: Pick<Claim, 'instance'>, token: string): Promise<Published>;
  /** Makes the home the person's alone again, and writes anew what lies in it and is not the person's word. */
  closeHome(claim: Pick<Claim, 'holds'>): Promise<void>;
  unpublish(claim: Claim): Promise<void>;
  /** Takes in what forwarders kept while nobody listened, and goes on watching for more. */
  watchSpool(
    pipeline: Pipeline,
    tenure: Pick<Tenure, 'holds'>,
    erased: ErasedMarks,
  ): Promise<{ close(): Promise<void> }>;
}

export interface Owner {
  readonly source: StateSource & Explainer;
  readonly url: string;
  readonly damage: readonly string[];
  /** Resolves when the claim turns out to be another's: this one can store nothing any more and has to go. */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

/** What undoes one step, and how long it may take. */
type Closing = readonly [close: () => Promise<void>, deadlineMs?: number];

/** From the claim to the published port; what was opened is closed again when a later step fails. */
export async function startOwner(world: OwnerWorld, claim: Claim, tickMs = TICK_MS): Promise<Owner> {
  const { clock, log } = world;
  const publishing = createPublishing({
    log,
    newToken: () => world.newToken(),
    look: (token) => world.published(claim, token),
    closeHome: () => world.closeHome(claim),
  });
  const tenure = beginTenure({ claim, clock, tickMs, seeToIt: publishing.seeToIt });
  const closing: Closing[] = [[async () => tenure.dispose()], [() => claim.release()]];
  const stop = async () => {
    publishing.end();
    tenure.listens(false);
    for (const [close, deadlineMs = CLOSE_DEADLINE_MS] of closing.splice(0).reverse()) {
      const over = deferred<void>();
      const deadline = clock.after(deadlineMs, over.resolve);
      await Promise.race([close().catch((error: unknown) => log.error(`Stopping: ${String(error)}`)), over.promise]);
      deadline.dispose();
    }
  };
  try {
    const takeOver = new TakeOverWatch(clock, log);
    const opened = await world.openStore(claim, (progress) => takeOver.advance(progress));
    const { damage } = opened;
    // With the index lost no session has its row: those that nothing happened in lately get theirs while the owner serves already.
    const [unreduced, later] = [opened.unreduced.slice(0, REDUCED_AT_ONCE), opened.unreduced.slice(REDUCED_AT_ONCE)];
    closing.push([() => opened.store.close(), STORE_CLOSE_DEADLINE_MS]);
    tenure.alsoHold(opened);
    const store = guarded(opened.store, tenure);
    const owner = ownerInfo(world, claim);
    if (world.breather) await renewRows(store, { since: liveSince(clock), unreduced, breathe: world.breather() });
    const cast = await openCast({ keeper: world.cast, clock, log, onChange: () => hub.recast() });
    const hub = createHub({ store, clock, log, owner, unreduced, later, idleMs: () => world.idleMs(), cast });
    closing.push([async () => hub.dispose()]);
    const showing = takeOver.onChange(hub.showTakeOver);
    closing.push([async () => showing.dispose()]);
    hub.showTakeOver(takeOver.progress);
    let isClosing = false;
    closing.push([async () => void (isClosing = true)]);
    const reduceLater = async () => {
      for (let done = 1; !isClosing && hub.reduceNext(); done++) {
        takeOver.advance({ done, of: later.length });
        await new Promise<void>((resolve) => void clock.after(0, resolve));
      }
      // Another kill must not make the next start do all of it again.
      if (later.length > 0 && !isClosing) await store.checkpoint();
    };
    void opened.takenOver
      .then(reduceLater)
      .catch((error: unknown) => log.error(`Rows of sessions could not be made: ${String(error)}`))
      .finally(() => takeOver.end());
    const time = openObservedTime({ store, clock, log });
    closing.push([async () => time.dispose()]);
    const retention = startRetention({
      ...{ store, clock, time, log },
      limits: () => world.retention(),
      isLive: (id) => hub.state(id) !== undefined,
    });
    closing.push([async () => retention.dispose()]);
    const exclusions = await world.exclusions();
    closing.push([async () => exclusions.dispose()]);
    const leftOut = createLeftOut({ exclusions, hub });
    leftOut.sweep();
    const sweeping = sweepNowAndThen(leftOut, clock);
    closing.push([async () => sweeping.dispose()]);
    const { projects, breather } = world;
    const rules = await world.logging();
    closing.push([async () => rules.dispose()]);
    const unlogging = createUnlogging({ rules, hub, store });
    const pipeline = createPipeline({
      ...{ store, hub, projects, leftOut, unlogging, time, clock, log, breather },
      tracking: createTracking(store),
      contextBudget: () => world.contextBudget(),
    });
    const { tracking } = world;
    closing.push([async () => tracking.dispose()]);
    const memoryRules = await world.memoryRules();
    const guard = createGuard({
      ...{ store, hub, rules: tracking, agentWords: () => memoryRules.agentWords(), pipeline, clock, log },
      mascot: world.mascot,
    });
    const seeing = { ...hub, sight: (sighting: Sighting) => hub.sight(unlogging.sighted(sighting)) };
    const sources = await world.sources();
    const watching = startWatching({
      hub: seeing,
      pipeline,
      sources,
      erased: store.erased,
      clock,
      log,
      isMarked: unlogging.isMarked,
    });
    closing.push([async () => watching.dispose()]);
    // SES-4: whoever looks at the new owner's first state sees no session whose process is gone.
    await Promise.race([
      watching.firstLook.catch((error: unknown) => log.warn(`Processes could not be looked at: ${String(error)}`)),
      new Promise<void>((resolve) => void clock.after(FIRST_LOOK_DEADLINE_MS, resolve)),
    ]);
    const past = world.pastSessions({ source: hub, store });
    // STO-5: with a clock that is behind, an item would count as old as soon as it ends.
    const workClock = { now: () => Math.max(clock.now(), time.now()) };
    const work = createWorkItems({ store, hub, pipeline, projects, clock: workClock, log });
    const memory = createMemory({ past, rules: memoryRules, clock, work: work.list });
    const replies = createHookReplies({
      ...{ hub, store, memory, guard, pipeline, clock, log },
      agentWords: () => memoryRules.agentWords(),
      instructions: (provider, folders) => world.instructions(provider, folders),
      contextBudget: () => world.contextBudget(),
    });
    const notes = createNotes();
    const listening = await world.listen({
      source: hub,
      store,
      pipeline,
      memory,
      agentWords: () => memoryRules.agentWords(),
      ...{ replies, work, guard, tracking, notes },
      recast: recasting(cast, hub),
      retentionPlanned: () => retention.planned(),
      erase: createErasing({ store, hub, pipeline, sources, log, breather, waiting: world.waiting }),
      token: publishing.token,
    });
    closing.push([() => listening.close()]);
    const { pid, startedAt, kernelStart, instance, generation } = claim;
    const { port, url } = listening;
    const portFileWith = (token: string): PortFile => ({
      version: 1,
      url,
      port,
      token,
      pid,
      instance,
      generation,
      startedAt,
      kernelStart,
      app: world.app,
    });
    await tenure.mustHold();
    await publishing.begin({
      write: (token) => world.publish(portFileWith(token), () => tenure.holds()),
      cut: () => listening.cut(),
    });
    tenure.listens(true);
    closing.push([() => world.unpublish(claim)]);
    for (const openOutlet of world.outlets ?? []) {
      const outlet = openOutlet({ store, source: hub, state: hub.state, notes, clock, log });
      closing.push([() => outlet.close()]);
    }
    const spool = await world.watchSpool(noticingGaps(pipeline, guard), tenure, store.erased);
    closing.push([() => spool.close()]);
    return { source: hub, url, damage, lost: tenure.lost, stop };
  } catch (error) {
    await tenure.check();
    await stop();
    // Whatever failed, failed for that.
    if (tenure.isLost()) throw new ClaimLostError();
    throw error;
  }
}

/**
 * A write that fails may fail because another process took the claim over (the clock of a sleeping machine is one way). One that
 * the store refused for that is told by its error, though the claim may look whole again by the time it is asked.
 */
function guarded(store: EventStore, tenure: Tenure): EventStore {
  async function watched<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (error instanceof ClaimLostError) tenure.lose();
      else await tenure.check();
      throw error;
    }
  }
  return overriding(store, {
    append: (records, touching) => watched(store.append(records, touching)),
    trim: (trimming) => watched(store.trim(trimming)),
    rewrite: (rewriting) => watched(store.rewrite(rewriting)),
    erase: (erasing) => watched(store.erase(erasing)),
    wipe: () => watched(store.wipe()),
    work: { ...store.work, change: (make) => watched(store.work.change(make)) },
    shelf: (name) => {
      const shelf = store.shelf(name);
      return { ...shelf, put: (save, remove) => watched(shelf.put(save, remove)) };
    },
  });
}

export type Recast = (agentId: string, change: LookChange) => Promise<Exclude<LookChanged, 'silent'>>;

export function recasting(cast: Cast, hub: Pick<Hub, 'snapshot' | 'state'>): Recast {
  return async (agentId, change) => {
    const shown = hub.snapshot().agents.find(({ id }) => id === agentId);
    const state = shown && hub.state(shown.sessionId);
    const born = state?.agents.find(({ agent }) => agent.id === agentId)?.agent;
    return state && born ? await cast.change(change, born, state.session) : 'unknown';
  };
}

function ownerInfo({ app, version }: OwnerWorld, { instance, generation, startedAt }: Claim): OwnerInfo {
  return { instance, generation, app, version, startedAt };
}
