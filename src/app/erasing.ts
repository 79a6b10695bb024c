import type { Hub } from './hub.ts';
import type { Clock, Erase, EventStore, Log } from './ports.ts';

export interface ErasingParts {
  readonly store: Pick<EventStore, 'session' | 'erase' | 'wipe'>;
  readonly hub: Pick<Hub, 'state' | 'sessionIds' | 'erase'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** What lies beside the store and was not taken in yet. Gives the paths of what could not be removed. */
  readonly eraseWaiting: (sessionId: string | undefined) => Promise<readonly string[]>;
}

/** CNV-4. */
export function createErasing({ store, hub, clock, log, eraseWaiting }: ErasingParts): Erase {
  return async (sessionId) => {
    const isKnown = sessionId === undefined || store.session(sessionId) !== undefined || hub.state(sessionId);
    if (!isKnown) return 'unknown';
    const sessions = sessionId === undefined ? 'all' : [sessionId];
    const gone = await store.erase({ sessions, at: new Date(clock.now()).toISOString() });
    // Before anything else comes: what is live is saved again with the next event.
    hub.erase(sessions === 'all' ? hub.sessionIds() : sessions);
    log.info(`Erased ${gone.sessions} session(s) with ${gone.events} event(s).`);
    // It is gone whatever fails from here on, and neither of these may keep the other from its part.
    const waiting = await leftOf('what waits in the spool', () => eraseWaiting(sessionId));
    const files = await leftOf('the files of the store', () => store.wipe());
    return { ...gone, left: [...waiting, ...files] };
  };

  async function leftOf(what: string, work: () => Promise<readonly string[]>): Promise<readonly string[]> {
    try {
      return await work();
    } catch (error) {
      log.warn(`Erased, but ${what} may still hold some of it: ${String(error)}`);
      const { path } = error instanceof Error ? (error as { readonly path?: unknown }) : {};
      return [typeof path === 'string' ? path : what];
    }
  }
}
