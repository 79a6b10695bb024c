import type { PortFile } from '../protocol/discovery.ts';
import type { OwnerInfo } from '../protocol/state.ts';
import { createHub } from './hub.ts';
import { createPipeline } from './pipeline.ts';
import type { Claim, Clock, EventStore, Log, Pipeline, Projects, StateSource } from './ports.ts';

export interface OpenedStore {
  readonly store: EventStore;
  /** Sessions whose rows are older than their events. */
  readonly unreduced: readonly string[];
  /** What was found broken and what became of it, in sentences for the person. */
  readonly damage: readonly string[];
}

export interface ListenParts {
  readonly source: StateSource;
  readonly store: EventStore;
  readonly pipeline: Pipeline;
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
  openStore(claim: Claim): Promise<OpenedStore>;
  listen(parts: ListenParts): Promise<Listening>;
  publish(portFile: PortFile): Promise<void>;
  unpublish(claim: Claim): Promise<void>;
  /** Takes in what forwarders kept while nobody listened, and goes on watching for more. */
  watchSpool(pipeline: Pipeline): Promise<{ close(): Promise<void> }>;
}

export interface Owner {
  readonly source: StateSource;
  readonly url: string;
  readonly damage: readonly string[];
  stop(): Promise<void>;
}

/** From the claim to the published port; what was opened is closed again when a later step fails. */
export async function startOwner(world: OwnerWorld, claim: Claim): Promise<Owner> {
  const { clock, log } = world;
  const closing: (() => Promise<void>)[] = [() => claim.release()];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error(`Stopping: ${String(error)}`));
    }
  };
  try {
    const { store, unreduced, damage } = await world.openStore(claim);
    closing.push(() => store.close());
    const owner = ownerInfo(world, claim);
    const hub = createHub({ store, clock, log, owner, unreduced });
    closing.push(async () => hub.dispose());
    const pipeline = createPipeline({ store, hub, projects: world.projects, clock, log });
    const token = world.newToken();
    const listening = await world.listen({ source: hub, store, pipeline, token });
    closing.push(() => listening.close());
    const { pid, startedAt, kernelStart, instance, generation } = claim;
    const { port, url } = listening;
    await world.publish({
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
    closing.push(() => world.unpublish(claim));
    const spool = await world.watchSpool(pipeline);
    closing.push(() => spool.close());
    return { source: hub, url, damage, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function ownerInfo({ app, version }: OwnerWorld, { instance, generation, startedAt }: Claim): OwnerInfo {
  return { instance, generation, app, version, startedAt };
}
