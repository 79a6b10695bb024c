import type { StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { Agent } from '../../protocol/state.ts';
import type { Toucher } from './workWords.ts';

/** Each is a question of its own to the collector, which has others to answer. */
const AT_ONCE = 8;

export interface TouchersParts {
  readonly source: Pick<StateSource, 'snapshot'>;
  readonly collector: Pick<Collector, 'session'>;
}

export interface Touchers {
  /** Undefined: nothing is known of it, or not yet. */
  of(sessionId: string): Toucher | undefined;
  /** Asks for those that the state does not hold. Undefined: there is nothing to ask. */
  find(sessionIds: readonly string[]): Promise<void> | undefined;
  /** Something was erased, or may be known now. */
  forget(): void;
}

/** The sessions that touched an item: many are over for long, and those are asked for once, when their lines are unfolded. */
export function createTouchers({ source, collector }: TouchersParts): Touchers {
  const past = new Map<string, Toucher | undefined>();
  let forgotten = 0;

  function present(sessionId: string): Toucher | undefined {
    const { sessions, agents } = source.snapshot();
    const session = sessions.find(({ id }) => id === sessionId);
    return session && { session, mascot: mainOf(agents, sessionId) };
  }

  async function findOne(sessionId: string): Promise<void> {
    const began = forgotten;
    const found = await collector.session(sessionId);
    if (began !== forgotten) return;
    past.set(sessionId, found && { session: found, mascot: mainOf(found.agents, sessionId) });
  }

  async function findAll(sessionIds: readonly string[]): Promise<void> {
    for (let place = 0; place < sessionIds.length; place += AT_ONCE) {
      await Promise.all(sessionIds.slice(place, place + AT_ONCE).map(findOne));
    }
  }

  return {
    of: (sessionId) => present(sessionId) ?? past.get(sessionId),
    find(sessionIds) {
      const unknown = sessionIds.filter((id) => !past.has(id) && present(id) === undefined);
      return unknown.length === 0 ? undefined : findAll(unknown);
    },
    forget() {
      forgotten++;
      past.clear();
    },
  };
}

function mainOf(agents: readonly Agent[], id: string): string | undefined {
  return agents.find(({ sessionId, kind }) => sessionId === id && kind === 'main')?.name;
}
