import { applyPatch } from '../domain/diff.ts';
import type { Snapshot } from '../protocol/state.ts';
import type { ServerFrame } from '../protocol/wire.ts';
import { deferred } from './deferred.ts';
import { createListeners } from './listeners.ts';
import type { Explainer, Log, OwnerLinks, StateSource } from './ports.ts';

export interface Follower {
  readonly source: StateSource & Explainer;
  /** Resolves when the owner can't be heard any more. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Mirrors the owner's state; undefined when no owner can be reached. */
export async function startFollower(links: OwnerLinks, log: Log): Promise<Follower | undefined> {
  const listeners = createListeners(log);
  let state: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [] };
  const ended = deferred<void>();
  const first = deferred<void>();

  function take(frame: ServerFrame): void {
    if (frame.type === 'snapshot') {
      state = frame.state;
      first.resolve();
      listeners.tell({ type: 'reset' });
    } else if (frame.revision === state.revision + 1) {
      const { type: _type, ...patch } = frame;
      state = applyPatch(state, patch);
      listeners.tell({ type: 'patch', patch });
    } else if (frame.revision > state.revision) {
      link?.resync(state.revision);
    }
  }

  const link = await links.connect({ onFrame: take, onClosed: () => ended.resolve() });
  if (!link) return undefined;
  await Promise.race([first.promise, ended.promise]);
  return {
    source: { snapshot: () => state, status: () => 'live', onChange: listeners.add, explain: link.explain },
    ended: ended.promise,
    stop() {
      listeners.clear();
      link.dispose();
    },
  };
}
