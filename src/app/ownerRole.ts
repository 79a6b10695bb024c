import type { PortFile } from '../protocol/discovery.ts';
import type { OwnerInfo } from '../protocol/state.ts';
import { deferred } from './deferred.ts';
import { createHookReplies } from './hookReply.ts';
import { createHub } from './hub.ts';
import { createLeftOut, sweepNowAndThen } from './leftOut.ts';
import { createPipeline } from './pipeline.ts';
import { type RetentionLimits, startRetention } from './retention.ts';
import { beginTenure, ClaimLostError, type Tenure } from './tenure.ts';
import { TICK_MS } from './vigil.ts';
import { startWatching } from './watch/startWatching.ts';
import type { Sources } from './watch/watchParts.ts';
import type {
  Claim,
  Clock,
  Disposable,
  EventStore,
  Exclusions,
  Explainer,
  HookReplies,
  Log,
  PastSessions,
  Pipeline,
  Projects,
  SessionEventSource,
  StateSource,
} from './ports.ts';

/** A step that hangs (a dead disk) must not keep the others, and the claim, from being given back. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Closing the store writes its last image, which takes half a second at 50 MB. The window that waits for the claim needs it
 * within a second, and has everything in the journal: an image that takes longer is not put in place, for the claim has gone.
 */
const STORE_CLOSE_DEADLINE_MS = 500;

/** Looking at processes takes milliseconds; a machine that does not answer must not keep the collector from starting. */
const FIRST_LOOK_DEADLINE_MS = 500;

export interface OpenedStore {
  readonly store: EventStore;
  /** Sessions whose rows are older than their events. */
  readonly unreduced: readonly string[];
  /** What was found broken and what became of it, in sentences for the person. */
  readonly damage: readonly string[];
}

export interface ListenParts {
  readonly source: StateSource & SessionEventSource;
  readonly store: EventStore;
  readonly pipeline: Pipeline;
  readonly replies: HookReplies;
  readonly token: string;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** Everything of the outside world that an owner needs. */
export interface OwnerWorld {
  readonly clock: Clock;
  readonly log: Log;
  readonly projects: Projects;
  readonly app: string;
  readonly version: string;
  newToken(): string;
  /** The setting `idleMinutes`, in milliseconds. */
  idleMs(): number;
  /** The setting `memory.sessions`. */
  memorySessions(): number;
  /** The settings `retention.days` and `retention.megabytes`. */
  retention(): RetentionLimits;
  /** The projects that the person excluded, by settings or by the command line. */
  exclusions(): Promise<Exclusions & Disposable>;
  pastSessions(of: { readonly source: StateSource; readonly store: EventStore }): PastSessions;
  /** What knows of sessions beside their hooks. */
  sources(): Promise<Sources>;
  openStore(claim: Claim): Promise<OpenedStore>;
  listen(parts: ListenParts): Promise<Listening>;
  publish(portFile: PortFile): Promise<void>;
  /** Whether what is published is this claim's. */
  isPublished(claim: Claim): Promise<boolean>;
  unpublish(claim: Claim): Promise<void>;
  /** Takes in what forwarders kept while nobody listened, and goes on watching for more. */
  watchSpool(pipeline: Pipeline, claim: Pick<Claim, 'holds'>): Promise<{ close(): Promise<void> }>;
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
  let publish: (() => Promise<void>) | undefined;
  // A former owner that was stopped while it wrote or removed its port file, and then went on, has hit ours.
  const seeToIt = async () => {
    if (await world.isPublished(claim)) return;
    await publish?.().catch((error: unknown) => log.warn(`The port file could not be written again: ${String(error)}`));
  };
  const tenure = beginTenure({ claim, clock, tickMs, seeToIt });
  const closing: Closing[] = [[async () => tenure.dispose()], [() => claim.release()]];
  const stop = async () => {
    publish = undefined;
    tenure.listens(false);
    for (const [close, deadlineMs = CLOSE_DEADLINE_MS] of closing.splice(0).reverse()) {
      const over = deferred<void>();
      const deadline = clock.after(deadlineMs, over.resolve);
      await Promise.race([close().catch((error: unknown) => log.error(`Stopping: ${String(error)}`)), over.promise]);
      deadline.dispose();
    }
  };
  try {
    const { store: opened, unreduced, damage } = await world.openStore(claim);
    closing.push([() => opened.close(), STORE_CLOSE_DEADLINE_MS]);
    const store = guarded(opened, tenure);
    const owner = ownerInfo(world, claim);
    const hub = createHub({ store, clock, log, owner, unreduced, idleMs: () => world.idleMs() });
    closing.push([async () => hub.dispose()]);
    const retention = startRetention({
      store,
      clock,
      log,
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
    const pipeline = createPipeline({ store, hub, projects: world.projects, leftOut, clock, log });
    const watching = startWatching({ hub, pipeline, sources: await world.sources(), clock, log });
    closing.push([async () => watching.dispose()]);
    // SES-4: whoever looks at the new owner's first state sees no session whose process is gone.
    await Promise.race([
      watching.firstLook.catch((error: unknown) => log.warn(`Processes could not be looked at: ${String(error)}`)),
      new Promise<void>((resolve) => void clock.after(FIRST_LOOK_DEADLINE_MS, resolve)),
    ]);
    const token = world.newToken();
    const past = world.pastSessions({ source: hub, store });
    const replies = createHookReplies({ hub, past, memorySessions: () => world.memorySessions(), clock, log });
    const listening = await world.listen({ source: hub, store, pipeline, replies, token });
    closing.push([() => listening.close()]);
    const { pid, startedAt, kernelStart, instance, generation } = claim;
    const { port, url } = listening;
    const portFile: PortFile = {
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
    };
    await tenure.mustHold();
    await world.publish(portFile);
    publish = () => world.publish(portFile);
    tenure.listens(true);
    closing.push([() => world.unpublish(claim)]);
    const spool = await world.watchSpool(pipeline, claim);
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

/** A write that fails may fail because another process took the claim over (the clock of a sleeping machine is one way). */
function guarded(store: EventStore, tenure: Tenure): EventStore {
  return {
    ...store,
    async append(records) {
      try {
        await store.append(records);
      } catch (error) {
        await tenure.check();
        throw error;
      }
    },
  };
}

function ownerInfo({ app, version }: OwnerWorld, { instance, generation, startedAt }: Claim): OwnerInfo {
  return { instance, generation, app, version, startedAt };
}
