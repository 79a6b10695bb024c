import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import { type TableName, tableNames, tables } from '../../domain/postgres/tables.ts';
import { rowOf } from '../../domain/restore.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { createHub } from '../hub.ts';
import { fakeClock, IDLE_MS, logLines } from '../testkit/fakes.testkit.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { startCopying } from './copying.ts';
import { type SinkStanding, SinkTrouble, type TeamConnection, type TeamDatabase } from './sinkPorts.ts';

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

export interface FakeTeamDatabase extends TeamDatabase {
  /** From now on it can't be reached; undefined: it can again. */
  refuseWith(trouble: SinkTrouble | undefined): void;
  /** Ids of the rows of a table, and how often each was sent. */
  sent(table: TableName): ReadonlyMap<string, number>;
  ids(table: TableName): readonly string[];
  row(table: TableName, key: string): Readonly<Record<string, unknown>> | undefined;
  connects(): number;
  /** The next push is committed, and nobody hears of it. */
  loseNextAnswer(): void;
  /** It takes no batch with this row in it. */
  refuseRow(key: string): void;
  lose(table: TableName, key: string): void;
  /** As if it had seen so many pushes; its rows stay. */
  restoreTo(pushes: number): void;
}

type There = Readonly<Record<string, unknown>>;

/** What a row without contents leaves of the one that is there: as the table's `bare` says it to the server. */
function inPlaceOf(before: string | undefined, row: string): string {
  if (before === undefined) return row;
  const [told, there] = [JSON.parse(row) as JsonObject, JSON.parse(before) as JsonObject];
  const { metadata } = told;
  if (!isJsonObject(metadata) || !('rawRemoved' in metadata) || !isJsonObject(there['metadata'])) return row;
  const { rawRemoved: _mark, ...rest } = metadata;
  return JSON.stringify({
    ...told,
    content: told['content'] ?? there['content'],
    skill_args: told['skill_args'] ?? there['skill_args'],
    metadata: { ...rest, ...there['metadata'] },
  });
}

/** What a server would keep of one machine. */
export function fakeTeamDatabase(id = 'one'): FakeTeamDatabase {
  const rows = new Map(tableNames.map((name) => [name, new Map<string, string>()]));
  const sent = new Map(tableNames.map((name) => [name, new Map<string, number>()]));
  let connects = 0;
  let pushes: number | undefined;
  let trouble: SinkTrouble | undefined;
  let refused: string | undefined;
  let losesAnswer = false;

  async function reach(): Promise<void> {
    await Promise.resolve();
    if (trouble) throw trouble;
  }

  const all = (name: TableName) => [...(rows.get(name)?.values() ?? [])].map((row) => JSON.parse(row) as There);

  function erase(of: string): void {
    for (const name of ['interactions', 'session_events'] as const)
      for (const row of all(name)) if (row['session_id'] === of) rows.get(name)?.delete(String(row['id']));
    rows.get('sessions')?.delete(of);
    for (const item of all('work_items'))
      if ((item['sessions'] as readonly string[]).includes(of))
        rows.get('work_items')?.delete(String(item['item_key']));
  }

  function connection(): TeamConnection {
    const standing = { database: id, pushes };
    let expected = pushes ?? -1;
    async function counted(work: () => void): Promise<number> {
      await reach();
      if (pushes === undefined) throw new SinkTrouble('removed', 'deleted there');
      if (pushes !== expected) throw new SinkTrouble('other', 'somebody else pushed');
      work();
      expected = ++pushes;
      const isLost = losesAnswer;
      losesAnswer = false;
      if (isLost) throw unreachable;
      return expected;
    }
    return {
      standing,
      async join() {
        await reach();
        if ((pushes ?? -1) !== expected) throw new SinkTrouble('other', 'somebody else pushed');
        expected = pushes = expected + 1;
      },
      push: (batch) =>
        counted(() => {
          const isRefused = (row: string) => refused !== undefined && row.includes(`"${refused}"`);
          if (Object.values(batch.rows).flat().some(isRefused)) throw new SinkTrouble('data', 'no such row');
          for (const name of tableNames) {
            for (const key of batch.gone[name] ?? []) rows.get(name)?.delete(key);
            for (const row of batch.rows[name] ?? []) {
              const key = String((JSON.parse(row) as There)[tables[name].key]);
              rows.get(name)?.set(key, inPlaceOf(rows.get(name)?.get(key), row));
              sent.get(name)?.set(key, (sent.get(name)?.get(key) ?? 0) + 1);
            }
          }
        }),
      openSessionsAfter: (after, limit) =>
        reach().then(() =>
          all('sessions')
            .filter((row) => row['is_final'] !== true && String(row['session_id']) > after)
            .map((row) => String(row['session_id']))
            .toSorted((a, b) => (a < b ? -1 : 1))
            .slice(0, limit),
        ),
      erase: (erased) =>
        counted(() => {
          if (erased === 'all') for (const of of rows.values()) of.clear();
          else erased.forEach(erase);
        }),
      async removeMachine() {
        await reach();
        pushes = undefined;
        for (const each of rows.values()) each.clear();
      },
      close: () => Promise.resolve(),
    };
  }

  return {
    refuseWith: (given) => void (trouble = given),
    sent: (table) => sent.get(table) ?? new Map<string, number>(),
    ids: (table) => [...(rows.get(table)?.keys() ?? [])],
    row: (table, key) => JSON.parse(rows.get(table)?.get(key) ?? 'null') as There | undefined,
    connects: () => connects,
    loseNextAnswer: () => void (losesAnswer = true),
    refuseRow: (key) => void (refused = key),
    lose: (table, key) => void rows.get(table)?.delete(key),
    restoreTo(count) {
      pushes = count;
    },
    async connect() {
      connects++;
      await reach();
      return connection();
    },
  };
}

export const unreachable = new SinkTrouble('unreachable', 'connect ECONNREFUSED');

/** One machine over a fake store and a fake clock. */
export function quietMachine(
  database: TeamDatabase = fakeTeamDatabase(),
  {
    store = memoryStore(),
    random = (): number => 0.5,
    clock = fakeClock(),
    excludes = (_folder: string): boolean => false,
    breathe = (): Promise<void> => Promise.resolve(),
  } = {},
) {
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '1', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => IDLE_MS });
  const standings: SinkStanding[] = [];
  return {
    ...{ clock, log, hub, store, standings },
    async say(events: readonly AgentEvent[]) {
      await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
      hub.commit(events);
      store.saveSessions(
        hub
          .sessionIds()
          .flatMap((id) => hub.state(id) ?? [])
          .map(rowOf),
      );
    },
    start: () =>
      startCopying({
        ...{ store, source: hub, state: hub.state, clock, log, database },
        shelf: store.shelf('postgres'),
        breather: () => breathe,
        ...{ random, excludes },
        user: () => 'user',
        onStanding: (standing) => void standings.push(standing),
      }),
    /** Time goes on, and everybody does what they then do. */
    async pass(ms: number, step = ms) {
      for (let left = ms; left > 0; left -= step) {
        clock.advance(Math.min(step, left));
        await rest();
      }
    },
  };
}

/** Until nobody has anything left to do at once: all is made of promises here. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
