import { dressed, emptyCast, entryOf, type LastSeen, withLook, withReturned } from '../domain/cast.ts';
import type { LookChange } from '../protocol/cast.ts';
import type { Agent, Session } from '../protocol/state.ts';
import type { CastKeeper, Clock, Log } from './ports.ts';

/** AGT-1: names, pins, and who is not to be seen. */
export interface Cast {
  dress(session: Session, agents: readonly Agent[], lastSeen: LastSeen): readonly Agent[];
  /** Resolves when it is kept; then `onChange` has been called. `agent` is as it would be without a cast. */
  change(change: LookChange, agent: Agent, session: Session): Promise<'changed' | 'refused'>;
}

export interface CastParts {
  readonly keeper: CastKeeper;
  readonly clock: Clock;
  readonly log: Log;
  onChange(): void;
}

/** What can't be read now is taken for empty: nobody waits for a name. */
export async function openCast({ keeper, clock, log, onChange }: CastParts): Promise<Cast> {
  let cast = await keeper.read().catch((error: unknown) => {
    log.warn(`Names and pins of mascots can’t be read: ${String(error)}`);
    return emptyCast;
  });

  /** Told again by the next one of its kind, should it be lost. */
  function remember(agent: Agent, session: Session, lastSeen: LastSeen): void {
    keeper
      .update((present) => withReturned(present, agent, session, lastSeen))
      .catch((error: unknown) => log.warn(`Who came back was not noted: ${String(error)}`));
  }

  return {
    dress(session, agents, lastSeen) {
      return agents.map((agent) => {
        const next = withReturned(cast, agent, session, lastSeen);
        if (next !== cast) {
          cast = next;
          remember(agent, session, lastSeen);
        }
        return dressed(agent, entryOf(cast, agent.id));
      });
    },
    async change(change, agent, session) {
      const now = new Date(clock.now()).toISOString();
      try {
        await keeper.update((present) => (cast = withLook(present, change, agent, session, now)));
      } catch (error) {
        log.warn(`The look of a mascot was not kept: ${String(error)}`);
        cast = await keeper.read().catch(() => cast);
        return 'refused';
      }
      onChange();
      return 'changed';
    },
  };
}
