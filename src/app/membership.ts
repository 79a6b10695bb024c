import type { Snapshot } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';
import { deferred } from './deferred.ts';
import { startFollower } from './followerRole.ts';
import { createListeners } from './listeners.ts';
import { type Owner, type OwnerWorld, startOwner } from './ownerRole.ts';
import type { Claims, Disposable, Explainer, OwnerLinks, StateSource } from './ports.ts';

export interface MembershipParts {
  readonly world: OwnerWorld;
  readonly claims: Claims;
  readonly links: OwnerLinks;
  /** Told when this window begins to own the collector, with what the person should know about its store. */
  onOwner(owner: Owner): void;
  /** Told when this window can't take part until something is mended. */
  onFailure(error: unknown): void;
}

export interface Membership extends StateSource, Explainer {
  /** Whether this window runs the collector now. */
  owns(): boolean;
  stop(): Promise<void>;
}

/** Between two tries while another process holds the claim but can't be reached (it starts, stops or hangs). */
const RETRY_MS = 250;
const TELL_AFTER_MS = 5_000;

/** After a failure that will not mend itself soon, such as a full disk. */
const RETRY_AFTER_FAILURE_MS = 5_000;

const nothing: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [] };

/** This window's part: it owns the collector, or follows the window that does, and changes sides when that one goes. */
export function startMembership(parts: MembershipParts): Membership {
  const { world } = parts;
  const listeners = createListeners(world.log);
  let current: (StateSource & Explainer) | undefined;
  let status: ViewSource = 'connecting';
  let forwarding: Disposable | undefined;
  const stopping = deferred<void>();
  let stopped = false;
  let waited = 0;
  let owning = false;

  function show(source: (StateSource & Explainer) | undefined, now: ViewSource): void {
    forwarding?.dispose();
    current = source ?? current;
    status = now;
    forwarding = source?.onChange(listeners.tell);
    listeners.tell({ type: 'reset' });
  }

  async function takePart(): Promise<void> {
    const claim = await parts.claims.take();
    if (claim) return await own(await startOwner(world, claim));
    const follower = await startFollower(parts.links, world.log);
    if (!follower) return await waitForOwner();
    waited = 0;
    show(follower.source, 'live');
    await Promise.race([follower.ended, stopping.promise]);
    follower.stop();
    if (goesOn()) show(undefined, 'connecting');
  }

  async function waitForOwner(): Promise<void> {
    waited += RETRY_MS;
    if (waited === TELL_AFTER_MS) {
      world.log.info(
        'Another process holds the collector of this home but can’t be reached; waiting for it to answer or end.',
      );
    }
    await pause(RETRY_MS);
  }

  async function own(owner: Owner): Promise<void> {
    owning = true;
    show(owner.source, 'live');
    parts.onOwner(owner);
    await Promise.race([stopping.promise, owner.lost]);
    owning = false;
    if (goesOn()) {
      world.log.warn('Another process has taken over the collector; this window follows it now.');
      show(undefined, 'connecting');
    }
    await owner.stop();
  }

  /** Asked through a function, for the flag changes while the loop waits. */
  const goesOn = () => !stopped;

  async function run(): Promise<void> {
    while (goesOn()) {
      await takePart().catch(async (error: unknown) => {
        show(undefined, 'stopped');
        parts.onFailure(error);
        await pause(RETRY_AFTER_FAILURE_MS);
      });
    }
  }

  function pause(ms: number): Promise<void> {
    return Promise.race([stopping.promise, new Promise<void>((resolve) => void world.clock.after(ms, resolve))]);
  }

  const running = run();
  return {
    snapshot: () => current?.snapshot() ?? nothing,
    status: () => status,
    owns: () => owning,
    onChange: listeners.add,
    explain: (sessionId) => current?.explain(sessionId) ?? Promise.resolve(undefined),
    async stop() {
      stopped = true;
      stopping.resolve();
      forwarding?.dispose();
      listeners.clear();
      await running;
    },
  };
}
