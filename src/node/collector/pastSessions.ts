import type { EventStore, PastRequest, PastSessions, Patience, SessionRow, StateSource } from '../../app/ports.ts';
import { byImportance, isBesideWork, isWorthTelling } from '../../domain/contextText.ts';
import type { PastSession } from '../../domain/pastText.ts';
import { storedSession } from '../../domain/restore.ts';
import { sessionHint } from '../../domain/sessionFilter.ts';
import { lastWorkOf } from '../../domain/work.ts';
import type { Session } from '../../protocol/state.ts';
import { allSessions } from './shownSessions.ts';

/** An agent waits for its hook; what was found until then are the newest. */
const DEADLINE_MS = 1_000;

interface World {
  readonly source: StateSource;
  readonly store: EventStore;
  readonly now: () => number;
}

/** So many more are looked at where those that were found are beside the work, or were closed long after it. */
const MORE = 100;

/** Those that are worth telling of, by the last word of each the newest first; of one project, or of all. */
async function* pastSessions(world: World, request: PastRequest, signal: Patience): AsyncGenerator<PastSession, void> {
  const { project, except, excludes = () => false } = request;
  const namesIt = sessionHint({ project });
  const mayBe = ({ id, json }: SessionRow) => id !== except && namesIt(json);
  const isWanted = (session: Session) =>
    !excludes(session.cwd) && (project === undefined ? !excludes(session.project) : session.project === project);
  for await (const session of allSessions(world, { signal, mayBe })) {
    if (!isWanted(session)) continue;
    const row = world.store.session(session.id);
    const past = { session, digest: row && storedSession(row)?.digest };
    if (isWorthTelling(past)) yield past;
  }
}

/** As many as are asked for were worked in later than anything from this one on can have been. */
function isEnough(found: readonly PastSession[], { session: { lastEventAt } }: PastSession, limit: number): boolean {
  const later = found.filter((past) => !isBesideWork(past) && lastWorkOf(past.session) >= lastEventAt);
  return later.length >= limit;
}

/** MEM-4: in time, whatever there is to be read. */
export function createPastSessions(world: World, deadlineMs = DEADLINE_MS): PastSessions {
  return {
    async last(request) {
      const found: PastSession[] = [];
      const deadline = AbortSignal.timeout(deadlineMs);
      try {
        const signal = request.signal ?? deadline;
        for await (const past of pastSessions(world, request, signal)) {
          if (isEnough(found, past, request.limit)) break;
          found.push(past);
          if (isEnough(found, past, request.limit) || found.length >= request.limit + MORE) break;
        }
      } catch (error) {
        if (request.signal || !deadline.aborted) throw error;
      }
      return found.toSorted(byImportance).slice(0, request.limit);
    },
  };
}
