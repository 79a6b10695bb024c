import { createHub } from '../../src/app/hub.ts';
import type { EventStore } from '../../src/app/ports.ts';
import { startCopying } from '../../src/app/sink/copying.ts';
import type { SinkStanding, TeamConnection, TeamDatabase } from '../../src/app/sink/sinkPorts.ts';
import { IDLE_MS, logLines } from '../../src/app/testkit/fakes.testkit.ts';
import { reduceAll } from '../../src/domain/reduce.ts';
import { rowOf } from '../../src/domain/restore.ts';
import { anEvent } from '../../src/domain/event.testkit.ts';
import { rankOf } from '../../src/domain/order.ts';
import { createBreather } from '../../src/node/collector/breathe.ts';
import { createTeamDatabase } from '../../src/node/postgres/teamDatabase.ts';
import type { AgentEvent } from '../../src/protocol/event.ts';

/** A minute of it is a second of ours. */
const TIMES = 60;

export function quickClock() {
  const [start, from] = [Date.UTC(2026, 0, 2), performance.now()];
  return {
    now: () => start + (performance.now() - from) * TIMES,
    after(ms: number, call: () => void) {
      const timer = setTimeout(call, ms / TIMES);
      return { dispose: () => clearTimeout(timer) };
    },
  };
}

export const owner = { instance: 'i', generation: 1, app: 'test', version: '1', startedAt: '' };

export type Machine = ReturnType<typeof machineWith>;

/** One machine of the team: a store, the live state over it, and the copying. */
export function machineWith(store: EventStore, id: string, url: string, caFile = '') {
  const clock = quickClock();
  const log = logLines();
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const standings: SinkStanding[] = [];
  const connections: TeamConnection[] = [];
  const heard = new Set<() => void>();
  const database: TeamDatabase = createTeamDatabase({
    url,
    caFile: () => caFile,
    machine: () => Promise.resolve({ id, host: `host-${id}`, user: `user-${id}`, version: '1' }),
  });
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

/** Turns of a session: a prompt, an edit that goes well or a command that fails, and a reply; five rows each. */
export function turns(session: string, from: number, count: number, words = 'do it'): AgentEvent[] {
  const of = { session_id: session, agent_id: `${session}/main` };
  return Array.from({ length: count }, (_, turn) => {
    const at = (from + turn) * 4;
    const event = (step: number, type: AgentEvent['event_type'], payload: AgentEvent['payload'], raw = {}) =>
      anEvent(at + step, type, payload, { ...of, id: `${session}-${at + step}`, raw });
    const call = { tool_use_id: `${session}-call-${at}`, tool_name: turn % 3 === 0 ? 'Bash' : 'Edit', target: 'a.ts' };
    const input = { tool_input: { file_path: '/p/a.ts', n: at } };
    const fails = turn % 3 === 0;
    return [
      event(0, 'user_prompt', { prompt: `${words} ${at}` }),
      event(1, 'tool_started', call, input),
      fails
        ? event(2, 'tool_failed', { ...call, error_message: 'exit 1' }, { error: 'exit 1' })
        : event(2, 'tool_succeeded', call, { ...input, tool_response: { filePath: '/p/a.ts' } }),
      event(3, 'turn_ended', { message: `done ${at} \0 \ud800 \\u0000` }),
    ];
  }).flat();
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
