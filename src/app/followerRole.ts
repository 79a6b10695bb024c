import { applyPatch } from '../domain/diff.ts';
import type { Snapshot } from '../protocol/state.ts';
import type { ServerFrame } from '../protocol/wire.ts';
import { deferred } from './deferred.ts';
import { createListeners } from './listeners.ts';
import type { Connected, Explainer, LinkEnd, Log, OwnerLinks, StateSource } from './ports.ts';

export interface Follower {
  readonly source: StateSource & Explainer;
  /** Resolves when the owner can't be heard any more. */
  readonly ended: Promise<void>;
  ping(): void;
  stop(): void;
}

export interface FollowerParts {
  readonly links: OwnerLinks;
  readonly log: Log;
  /** The owner that is to be followed. */
  readonly instance: string;
  onSign(): void;
  /** Given up: whatever comes then is closed again. */
  readonly abandoned: Promise<void>;
}

/** Why nobody is followed. `protocol`: the owner can't be understood; `ended`: it went before it said anything. */
export type NotFollowing = Exclude<Connected, object> | 'protocol' | 'ended';

/** Mirrors the owner's state, from its first snapshot on: before that there is nothing to show. */
export async function startFollower(parts: FollowerParts): Promise<Follower | NotFollowing> {
  const { links, log, instance, onSign } = parts;
  const listeners = createListeners(log);
  let state: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };
  const ended = deferred<LinkEnd | 'abandoned'>();
  const first = deferred<'first'>();

  function take(frame: ServerFrame): void {
    if (frame.type === 'snapshot') {
      state = frame.state;
      first.resolve('first');
      listeners.tell({ type: 'reset' });
    } else if (frame.revision === state.revision + 1) {
      const { type: _type, record: _record, ...patch } = frame;
      state = applyPatch(state, patch);
      listeners.tell({ type: 'patch', patch });
    } else if (frame.revision > state.revision) {
      if (typeof link === 'object') link.resync(state.revision);
    }
  }

  void parts.abandoned.then(() => ended.resolve('abandoned'));
  const link = await links.connect({ onFrame: take, onSign, onClosed: ended.resolve }, instance);
  if (typeof link === 'string') return link;
  const begun = await Promise.race([ended.promise, first.promise]);
  if (begun !== 'first') {
    link.dispose();
    return begun === 'protocol' ? 'protocol' : 'ended';
  }
  return {
    source: { snapshot: () => state, status: () => 'live', onChange: listeners.add, explain: link.explain },
    ended: ended.promise.then(() => undefined),
    ping: () => link.ping(),
    stop() {
      listeners.clear();
      link.dispose();
    },
  };
}
