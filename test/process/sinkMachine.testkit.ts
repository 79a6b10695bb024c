import { createHub } from '../../src/app/hub.ts';
import type { EventStore } from '../../src/app/ports.ts';
import { startCopying } from '../../src/app/sink/copying.ts';
import type { SinkStanding, TeamConnection } from '../../src/app/sink/sinkPorts.ts';
import { turns } from '../../src/app/sink/sink.testkit.ts';
import { IDLE_MS, logLines } from '../../src/app/testkit/fakes.testkit.ts';
import { reduceAll } from '../../src/domain/reduce.ts';
import { rowOf } from '../../src/domain/restore.ts';
import { rankOf } from '../../src/domain/order.ts';
import { createBreather } from '../../src/node/collector/breathe.ts';
import { createTeamDatabase, type ReachedDatabase } from '../../src/node/postgres/teamDatabase.ts';
import type { AgentEvent } from '../../src/protocol/event.ts';

/** A minute of it is a third of a second of ours. */
const TIMES = 180;

export function quickClock() {
  const [start, from] = [Date.UTC(2026, 0, 2), performance.now()];
  return {
    now: () => start + (performance.now() - from) * TIMES,
    monotonic: () => (performance.now() - from) * TIMES,
    after(ms: number, call: () => void) {
      const timer = setTimeout(call, ms / TIMES);
      return { dispose: () => clearTimeout(timer) };
    },
  };
}

export const owner = { instance: 'i', generation: 1, app: 'test', version: '1', startedAt: '' };

export type Machine = ReturnType<typeof machineWith>;

/** The team's database as a machine reaches it. */
export function databaseOf(id: string, url: string, caFile = ''): ReachedDatabase {
  const who = { id, host: `host-${id}`, user: `user-${id}`, version: '1' };
  return createTeamDatabase({ url, caFile: () => caFile, machine: () => Promise.resolve(who) });
}

/** One machine of the team: a store, the live state over it, and the copying. */
export function machineWith(store: EventStore, id: string, url: string, { caFile = '', clock = quickClock() } = {}) {
  const log = logLines();
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const standings: SinkStanding[] = [];
  const connections: TeamConnection[] = [];
  const heard = new Set<() => void>();
  const database = databaseOf(id, url, caFile);
  let copying: ReturnType<typeof startCopying> | undefined;

  async function say(events: readonly AgentEvent[]): Promise<void> {
    await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
    hub.commit(events);
  }

  return {
    store,
    hub,
    log,
    standings,
    say,
    last: () => standings.at(-1),
    lastConnection: () => connections.at(-1),
    start(onPush?: (pushes: number) => Promise<void> | void, excludes: (folder: string) => boolean = () => false) {
      copying = startCopying({
        ...{ store, source: hub, state: hub.state, clock, log },
        shelf: store.shelf('postgres'),
        database: {
          async connect() {
            const connection = await database.connect();
            connections.push(connection);
            return {
              ...connection,
              async push(batch) {
                const pushes = await connection.push(batch);
                await onPush?.(pushes);
                return pushes;
              },
            };
          },
        },
        breather: createBreather,
        random: () => 0.5,
        user: () => `user-${id}`,
        excludes,
        onStanding(standing) {
          standings.push(standing);
          for (const each of heard) each();
        },
      });
    },
    async stop() {
      await copying?.close();
    },
    /** For good: what time alone would change of its sessions is asked of a store that is open. */
    async close() {
      await copying?.close();
      hub.dispose();
      await store.close();
    },
    /** Until all that is stored has been committed there; or another standing. */
    standing(wanted: SinkStanding['kind'] = 'upToDate'): Promise<SinkStanding> {
      const from = standings.length;
      return new Promise((resolve) => {
        const look = () => {
          const found = standings.slice(from).find(({ kind }) => kind === wanted);
          if (!found) return;
          heard.delete(look);
          resolve(found);
        };
        heard.add(look);
      });
    },
  };
}

/** Many of them, put into the store alone: the live state of so many events is another's test. */
export async function seed(store: EventStore, sessions: number, each: number): Promise<void> {
  for (let n = 0; n < sessions; n++) {
    const events = turns(`seed${n}`, 0, each);
    await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
    const state = reduceAll(events.slice(0, 8));
    if (state) store.saveSessions([{ ...rowOf(state), lastEventAt: events.at(-1)?.ts ?? '' }]);
  }
}
