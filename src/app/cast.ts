import {
  dressed,
  emptyCast,
  type LastSeen,
  type Looks,
  looksOf,
  withLook,
  withOneBearer,
  withReturned,
} from '../domain/cast.ts';
import type { CastFile, LookChange } from '../protocol/cast.ts';
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

/** The end of one session and the beginning of the next come by two ways, and may overtake each other by so much. */
const NEWCOMER_MS = 60_000;
/** Sessions that are forgotten do not say so. */
const NEWCOMERS_MAX = 10_000;

/** What can't be read now is taken for empty: nobody waits for a name. */
export async function openCast({ keeper, clock, log, onChange }: CastParts): Promise<Cast> {
  let looks: Looks = new Map();
  let cast = emptyCast;
  /** When who has no look of anybody was first seen; longer after that it takes none. */
  const newcomers = new Map<string, number>();
  put(
    await keeper.read().catch((error: unknown) => {
      log.warn(`Names and pins of mascots can’t be read: ${String(error)}`);
      return emptyCast;
    }),
  );

  function put(next: CastFile): void {
    cast = next;
    looks = looksOf(next);
  }

  function isNewcomer({ id, present }: Agent): boolean {
    if (!present) newcomers.delete(id);
    if (!present || cast.mascots.length === 0 || looks.has(id)) return false;
    if (newcomers.size > NEWCOMERS_MAX) newcomers.clear();
    const since = newcomers.get(id) ?? clock.now();
    newcomers.set(id, since);
    return clock.now() - since < NEWCOMER_MS;
  }

  function seeWhoReturns(agent: Agent, session: Session, lastSeen: LastSeen): void {
    if (isNewcomer(agent)) note((present) => withReturned(present, agent, session, lastSeen));
    const entry = agent.present ? looks.get(agent.id) : undefined;
    // Who gives way may be of another session, which nothing else draws again.
    if (entry && note((present) => withOneBearer(present, looksOf(present).get(agent.id) ?? entry, lastSeen)))
      clock.after(0, onChange);
  }

  /** In force at once: should it be lost, the next owner sees the same again. */
  function note(change: (present: CastFile) => CastFile): boolean {
    const next = change(cast);
    if (next === cast) return false;
    put(next);
    keeper.update(change).catch((error: unknown) => log.warn(`Who came back was not noted: ${String(error)}`));
    return true;
  }

  return {
    dress(session, agents, lastSeen) {
      return agents.map((agent) => {
        seeWhoReturns(agent, session, lastSeen);
        return dressed(agent, looks.get(agent.id));
      });
    },
    async change(change, agent, session) {
      const now = new Date(clock.now()).toISOString();
      try {
        let kept = cast;
        await keeper.update((present) => (kept = withLook(present, change, agent, session, now)));
        put(kept);
      } catch (error) {
        log.warn(`The look of a mascot was not kept: ${String(error)}`);
        return 'refused';
      }
      onChange();
      return 'changed';
    },
  };
}
