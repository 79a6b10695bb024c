import type { SessionRow } from '../../app/ports.ts';
import { restoreSession } from '../../domain/restore.ts';
import { settleSession, type Settled } from '../../domain/settle.ts';
import type { Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { createBreather } from './breathe.ts';
import type { RouteWorld } from './route.ts';

type World = Pick<RouteWorld, 'source' | 'store' | 'now'>;

/** Sessions as people see them: the live state knows what time and processes told since the row was saved. */
export function sessionReader({ source, store, now }: World): (row: SessionRow) => Session | undefined {
  const live = new Map(source.snapshot().sessions.map((session) => [session.id, session]));
  return (row) => {
    const known = live.get(row.id);
    if (known) return known;
    const state = restoreSession(row, () => store.events(row.id));
    return state && settled(state, now()).session;
  };
}

/** A session that is live no more was silent for longer than it takes to be idle. */
function settled(state: SessionState, now: number): Settled {
  return settleSession(state, now, { idleMs: Infinity });
}

export function stateOf(world: World, id: string): SessionState | undefined {
  const row = world.store.session(id);
  return row && restoreSession(row, () => world.store.events(id));
}

export function sessionWithAgents(world: World, id: string): (Session & Pick<Settled, 'agents'>) | undefined {
  const { sessions, agents } = world.source.snapshot();
  const live = sessions.find((session) => session.id === id);
  if (live) return { ...live, agents: agents.filter(({ sessionId }) => sessionId === id) };
  const stored = stateOf(world, id);
  if (!stored) return undefined;
  const { session, agents: own } = settled(stored, world.now());
  return { ...session, agents: own };
}

export function isKnown({ source, store }: World, id: string): boolean {
  return store.session(id) !== undefined || source.snapshot().sessions.some((session) => session.id === id);
}

const ROWS = 50;

/** All of them, newest first, with a breath now and then. `mayBe` looks at a row before the dear part, reading it. */
export async function* allSessions(
  world: World,
  mayBe: (row: SessionRow) => boolean = () => true,
): AsyncGenerator<Session, void> {
  const read = sessionReader(world);
  const breathe = createBreather();
  let cursor: string | undefined;
  do {
    const page = world.store.sessions({ limit: ROWS, cursor });
    for (const row of page.items) {
      const session = mayBe(row) ? read(row) : undefined;
      if (session) yield session;
      await breathe();
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
