import { deferred } from './deferred.ts';
import { type Follower, type NotFollowing, startFollower } from './followerRole.ts';
import { type Owner, type OwnerWorld, startOwner } from './ownerRole.ts';
import {
  type Claim,
  ClaimLostError,
  type Claims,
  type Explainer,
  type Holder,
  type OwnerLinks,
  type StateSource,
} from './ports.ts';
import { createShownState } from './shownState.ts';
import { createVigil, TICK_MS } from './vigil.ts';

export interface MembershipParts {
  readonly world: OwnerWorld;
  readonly claims: Claims;
  readonly links: OwnerLinks;
  /** Between two questions to the owner for a sign of life. */
  readonly tickMs?: number;
  /** Told when this window begins to own the collector, with what the person should know about its store. */
  onOwner(owner: Owner): void;
  /** Told when this window can't take part until something is mended. */
  onFailure(error: unknown): void;
}

export interface Membership extends StateSource, Explainer {
  /** Whether this window runs the collector now. */
  owns(): boolean;
  /** The same, asked of the claim: whoever was deposed without knowing it may write nothing of the owner's. */
  holds(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Between two tries while another process holds the claim but is not to be followed yet: at first it is about to stop or to start. */
const RETRY_SOON_MS = 50;
const SOON = 40;
const RETRY_MS = 250;
const TELL_AFTER_MS = 5_000;

/** After a failure that will not mend itself soon, such as a full disk; doubled each time. Others may own meanwhile. */
const RETRY_AFTER_FAILURE_MS = 5_000;
const RETRY_AFTER_FAILURE_MAX_MS = 60_000;

/** A third of what would count as a hang. */
const STRANGE_TICKS = 2;

export class OtherProtocolError extends Error {
  override readonly name = 'OtherProtocolError';

  constructor() {
    super(
      'The window that runs the collector has another version of Agent Mascot, which this one does not understand. ' +
        'Update the extension in every editor, then reload the windows.',
    );
  }
}

/** This window's part: it owns the collector, or follows the window that does, and changes sides when that one goes. */
export function startMembership(parts: MembershipParts): Membership {
  const { world, claims, links, tickMs = TICK_MS } = parts;
  const { clock, log } = world;
  const shown = createShownState(clock, log);
  const stopping = deferred<void>();
  let stopped = false;
  let owning: Claim | undefined;
  let follower: Follower | undefined;
  let tries = 0;
  let waited = 0;
  let failures = 0;
  /** Until then somebody else may own: this window has just failed to. */
  let resting = false;
  let lastWhy: NotFollowing | 'not tried' = 'not tried';
  /** Whom this window does not understand. */
  let strange: string | undefined;
  const vigil = createVigil({
    clock,
    claims,
    tickMs,
    ask: () => follower?.ping(),
    onDoubt: shown.doubt,
  });

  async function takePart(): Promise<void> {
    const claim = resting ? undefined : await claims.take(vigil.hung());
    if (claim) {
      vigil.rest();
      return await own(await startOwner(world, claim, tickMs), claim);
    }
    const holder = await claims.look();
    if (holder) vigil.watch(holder);
    else vigil.rest();
    if (holder && vigil.hung() === undefined) await follow(holder);
    if (goesOn()) await pause(pace());
  }

  /** Resolves when there is nobody to follow, or nobody any more. */
  async function follow({ instance }: Holder): Promise<void> {
    const over = deferred<void>();
    const onSign = vigil.sign;
    const starting = startFollower({ links, log, instance, onSign, abandoned: over.promise });
    // What keeps us from reading the port file says nothing about its owner.
    starting.catch(vigil.unreachable);
    const found = await Promise.race([starting, vigil.called(), stopping.promise]);
    if (typeof found !== 'object') over.resolve();
    if (found === undefined) return void starting.then(stopIfAny, () => undefined);
    if (typeof found === 'string') return await noteWhy(found, instance);
    follower = found;
    [tries, waited, failures] = [0, 0, 0];
    shown.show(found.source);
    await Promise.race([found.ended, vigil.called(), stopping.promise]);
    follower = undefined;
    found.stop();
    shown.keep();
  }

  function stopIfAny(found: Follower | NotFollowing): void {
    if (typeof found === 'object') found.stop();
  }

  async function noteWhy(why: NotFollowing, instance: string): Promise<void> {
    lastWhy = why;
    if (why === 'refused') vigil.unreachable();
    if (why === 'answered' || why === 'protocol') vigil.sign();
    if (why !== 'protocol') return;
    if (strange !== instance) fail(new OtherProtocolError());
    strange = instance;
    // Asked again only to see whether it still lives.
    await pause(STRANGE_TICKS * tickMs);
  }

  async function own(owner: Owner, claim: Claim): Promise<void> {
    owning = claim;
    [tries, waited, failures] = [0, 0, 0];
    shown.show(owner.source);
    parts.onOwner(owner);
    await Promise.race([stopping.promise, owner.lost]);
    owning = undefined;
    if (goesOn()) log.warn('The collector, or its store, is not this window’s any more; it takes part anew.');
    shown.keep();
    await owner.stop();
  }

  /** Asked through a function, for the flag changes while the loop waits. */
  const goesOn = () => !stopped;

  function fail(error: unknown): void {
    shown.fail();
    parts.onFailure(error);
    resting = true;
    const restMs = Math.min(RETRY_AFTER_FAILURE_MS * 2 ** failures, RETRY_AFTER_FAILURE_MAX_MS);
    failures++;
    clock.after(restMs, () => (resting = false));
  }

  async function run(): Promise<void> {
    while (goesOn()) {
      await takePart().catch(async (error: unknown) => {
        if (error instanceof ClaimLostError) log.warn(error.message);
        else fail(error);
        await pause(pace());
      });
    }
    vigil.dispose();
  }

  /** The first try after a change comes at once. */
  function pace(): number {
    const ms = tries < SOON ? RETRY_SOON_MS : RETRY_MS;
    if (tries++ === 0) return 0;
    waited += ms;
    if (waited >= TELL_AFTER_MS && waited - ms < TELL_AFTER_MS) {
      log.info(
        `Another process holds the collector of this home but can’t be reached (${lastWhy}); waiting for it to answer or end.`,
      );
    }
    return ms;
  }

  async function pause(ms: number): Promise<void> {
    if (ms === 0) return;
    const over = deferred<void>();
    const timer = clock.after(ms, over.resolve);
    await Promise.race([stopping.promise, over.promise]);
    timer.dispose();
  }

  const running = run();
  return {
    snapshot: shown.snapshot,
    status: shown.status,
    owns: () => owning !== undefined,
    holds: async () => (await owning?.holds()) ?? false,
    onChange: shown.onChange,
    explain: shown.explain,
    async stop() {
      stopped = true;
      stopping.resolve();
      shown.dispose();
      await running;
    },
  };
}
