import { hashHex } from '../domain/hash.ts';
import { storedSession } from '../domain/restore.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { Hub } from './hub.ts';
import type { Erase } from './erasurePorts.ts';
import type { Breather, EventStore, Log, Pipeline } from './ports.ts';
import type { Sources } from './watch/watchParts.ts';
import { transcriptsOf } from './watch/followSessions.ts';

export interface ErasingParts {
  readonly store: Pick<EventStore, 'session' | 'sessions' | 'erase' | 'wipe'>;
  readonly hub: Pick<Hub, 'state' | 'sessionIds' | 'erase'>;
  readonly pipeline: Pick<Pipeline, 'between'>;
  readonly sources: { readonly tails: Pick<Sources['tails'], 'size'> };
  readonly log: Log;
  readonly breather?: Breather | undefined;
  readonly waiting: Waiting;
}

/** The spool: files that are not in the store yet. */
export interface Waiting {
  /** Names of the session's files, or of all files without an id; `left`: paths of files that could not be read. */
  find(sessionId: string | undefined): Promise<{ readonly names: readonly string[]; readonly left: readonly string[] }>;
  /** Returns the paths of files that could not be removed. */
  remove(names: readonly string[]): Promise<readonly string[]>;
}

const SESSIONS_AT_ONCE = 100;

/**
 * CNV-4, CNV-5: an erasure is one record in the store's log, between the events before it and those after. The record also holds what
 * could bring the data back: the names of the spool's present files, and the present length of each transcript.
 */
export function createErasing(parts: ErasingParts): Erase {
  const { store, hub, pipeline, sources, log, waiting } = parts;
  const breathe = parts.breather?.() ?? (() => Promise.resolve());

  return async (sessionId) => {
    const isKnown = sessionId === undefined || store.session(sessionId) !== undefined || hub.state(sessionId);
    if (!isKnown) return 'unknown';
    const sessions = sessionId === undefined ? 'all' : [sessionId];
    const left: string[] = [];
    const found = await waiting.find(sessionId).catch((error: unknown) => {
      left.push(leftOf('what waits in the spool', error));
      return { names: [], left: [] };
    });
    left.push(...found.left);
    const transcripts: Record<string, number> = {};
    for await (const state of storedStates(sessionId)) await measure(state, transcripts);
    const gone = await pipeline.between(async () => {
      // Transcripts that are followed may have grown since they were measured above.
      const live = sessionId === undefined ? hub.sessionIds() : [sessionId];
      await Promise.all(live.map((id) => measure(hub.state(id), transcripts)));
      const erased = await store.erase({ sessions, transcripts, waiting: found.names });
      // Before anything else comes: what is live is saved again with the next event.
      hub.erase(live);
      return erased;
    });
    log.info(`Erased ${gone.sessions} session(s) with ${gone.events} event(s).`);
    // The data is gone from the store now. Both steps below run, even if one of them fails.
    left.push(...(await attempt('what waits in the spool', () => waiting.remove(found.names))));
    left.push(...(await attempt('the files of the store', () => store.wipe())));
    return { ...gone, left: [...new Set(left)] };
  };

  async function* storedStates(sessionId: string | undefined): AsyncGenerator<SessionState | undefined> {
    if (sessionId !== undefined) {
      const row = store.session(sessionId);
      return void (row && (yield storedSession({ ...row, trimmed: true })));
    }
    let cursor: string | undefined;
    do {
      const page = store.sessions({ limit: SESSIONS_AT_ONCE, cursor });
      for (const row of page.items) {
        yield storedSession({ ...row, trimmed: true });
        await breathe();
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  async function measure(state: SessionState | undefined, transcripts: Record<string, number>): Promise<void> {
    for (const [path] of state ? transcriptsOf(state) : []) transcripts[hashHex(path)] = await sources.tails.size(path);
  }

  async function attempt(what: string, work: () => Promise<readonly string[]>): Promise<readonly string[]> {
    try {
      return await work();
    } catch (error) {
      return [leftOf(what, error)];
    }
  }

  function leftOf(what: string, error: unknown): string {
    log.warn(`Erased, but ${what} may still hold some of it: ${String(error)}`);
    const { path } = error instanceof Error ? (error as { readonly path?: unknown }) : {};
    return typeof path === 'string' ? path : what;
  }
}
