import type { EventStore, PastSessions, SessionRow, StateSource } from '../../app/ports.ts';
import { isWorthTelling } from '../../domain/contextText.ts';
import type { Session } from '../../protocol/state.ts';
import { allSessions } from './shownSessions.ts';

/** An agent waits for its hook; what was found until then are the newest. */
const DEADLINE_MS = 1_000;

interface World {
  readonly source: StateSource;
  readonly store: EventStore;
  readonly now: () => number;
}

/** Those that are worth telling of, newest first; of one project, or of all. */
export async function* pastSessions(
  world: World,
  { project, signal }: { readonly project: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Session, void> {
  const quoted = JSON.stringify(project);
  // Parsing a row takes a hundred times as long as seeing that it does not even name the project.
  const mayBe = ({ json }: SessionRow) => project === undefined || json.includes(quoted);
  for await (const session of allSessions(world, { signal, mayBe })) {
    if ((project === undefined || session.project === project) && isWorthTelling(session)) yield session;
  }
}

/** MEM-4: in time, whatever there is to be read. */
export function createPastSessions(world: World, deadlineMs = DEADLINE_MS): PastSessions {
  return {
    async last({ project, limit, except }) {
      const found: Session[] = [];
      const signal = AbortSignal.timeout(deadlineMs);
      try {
        for await (const session of pastSessions(world, { project, signal })) {
          if (session.id !== except) found.push(session);
          if (found.length >= limit) break;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return found;
    },
  };
}
