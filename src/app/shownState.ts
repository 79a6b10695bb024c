import type { Snapshot } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';
import { createListeners } from './listeners.ts';
import type { Clock, Disposable, Explainer, Log, StateSource } from './ports.ts';

/** A takeover takes well under a second: a word about it that is gone before it can be read only unsettles. */
const GRACE_MS = 1_500;

const nothing: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };

export interface ShownState extends StateSource, Explainer, Disposable {
  /** From now on this is shown, and it is true. */
  show(source: StateSource & Explainer): void;
  /** What is shown stays, and its source has gone: told only if no other comes soon. */
  keep(): void;
  /** Whether what is shown may be old. */
  doubt(doubtful: boolean): void;
  fail(): void;
}

/** What the views see while the sources behind it change: the last state stays until there is a better one. */
export function createShownState(clock: Clock, log: Log): ShownState {
  const listeners = createListeners(log);
  let current: (StateSource & Explainer) | undefined;
  let status: ViewSource = 'connecting';
  let forwarding: Disposable | undefined;
  let grace: Disposable | undefined;
  let disposed = false;

  function tell(now: ViewSource): void {
    grace?.dispose();
    grace = undefined;
    if (status === now) return;
    status = now;
    listeners.tell({ type: 'reset' });
  }

  function letGo(): void {
    forwarding?.dispose();
    forwarding = undefined;
  }

  return {
    snapshot: () => current?.snapshot() ?? nothing,
    status: () => status,
    onChange: listeners.add,
    explain: (sessionId) => current?.explain(sessionId) ?? Promise.resolve(undefined),
    show(source) {
      letGo();
      grace?.dispose();
      grace = undefined;
      current = source;
      status = 'live';
      forwarding = source.onChange(listeners.tell);
      listeners.tell({ type: 'reset' });
    },
    keep() {
      letGo();
      if (status === 'live' && !disposed) grace ??= clock.after(GRACE_MS, () => tell('connecting'));
    },
    doubt(doubtful) {
      if (doubtful) tell('connecting');
      else if (forwarding) tell('live');
    },
    fail() {
      letGo();
      tell('stopped');
    },
    dispose() {
      disposed = true;
      grace?.dispose();
      letGo();
      listeners.clear();
    },
  };
}
