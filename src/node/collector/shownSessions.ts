import type { Patience, SessionRow } from '../../app/ports.ts';
import { restoreSession, storedSession } from '../../domain/restore.ts';
import { settleSession, type Settled } from '../../domain/settle.ts';
import type { Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { createBreather, othersTurn } from './breathe.ts';
import { type Asked, NoSessionError, type RouteWorld } from './route.ts';

type World = Pick<RouteWorld, 'source' | 'store' | 'now'>;

/** Sessions as people see them: the live state knows what time and processes told since the row was saved. */
export interface SessionReader {
  /** Undefined: another version wrote the row, or it is damaged, and `anew` is to be asked. */
  read(row: SessionRow): Session | undefined;
  /** From all of its events, with a turn for the others after it: after an upgrade every row is to be made so, once. */
  anew(id: string): Promise<Session | undefined>;
  isLive(id: string): boolean;
}

export function sessionReader(world: World): SessionReader {
  const live = new Map(world.source.snapshot().sessions.map((session) => [session.id, session]));
  const shown = (state: SessionState | undefined) => state && settled(state, world.now()).session;
  return {
    isLive: (id) => live.has(id),
    read: (row) => live.get(row.id) ?? shown(storedSession(row)),
    async anew(id) {
      const session = shown(stateOf(world, id));
      await othersTurn();
      return session;
    },
  };
}

/** A session that is live no more was silent for longer than it takes to be idle. */
function settled(state: SessionState, now: number): Settled {
  return settleSession(state, now, { idleMs: Infinity });
}

/** A row that had to be made anew is saved at once, while nothing can have come between it and its events. */
export function stateOf({ store }: World, id: string): SessionState | undefined {
  const row = store.session(id);
  if (!row) return undefined;
  const { state, anew } = restoreSession(row, () => store.events(id));
  if (anew) store.saveSessions([anew]);
  return state;
}

/** Throws where no session has this id. */
export function sessionWithAgents(world: World, id: string): Session & Pick<Settled, 'agents'> {
  const { sessions, agents } = world.source.snapshot();
  const live = sessions.find((session) => session.id === id);
  if (live) return { ...live, agents: agents.filter(({ sessionId }) => sessionId === id) };
  const stored = stateOf(world, id);
  if (!stored) throw new NoSessionError();
  const { session, agents: own } = settled(stored, world.now());
  return { ...session, agents: own };
}

/** Of the session that is asked for. Throws where there is none. */
export function knownId({ source, store }: World, { id = '' }: Asked['params']): string {
  const isLive = () => source.snapshot().sessions.some((session) => session.id === id);
  if (store.session(id) === undefined && !isLive()) throw new NoSessionError();
  return id;
}

const ROWS = 50;

interface Walk {
  readonly signal: Patience;
  /** Looks at a row before the dear part, reading it. */
  readonly mayBe?: (row: SessionRow) => boolean;
}

/** All of them, newest first, with a breath now and then. Throws the signal's reason. */
export async function* allSessions(world: World, { signal, mayBe = () => true }: Walk): AsyncGenerator<Session, void> {
  const { read, anew } = sessionReader(world);
  const breathe = createBreather();
  let cursor: string | undefined;
  do {
    const page = world.store.sessions({ limit: ROWS, cursor });
    for (const row of page.items) {
      const session = mayBe(row) ? (read(row) ?? (await anew(row.id))) : undefined;
      signal.throwIfAborted();
      if (session) yield session;
      await breathe();
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
