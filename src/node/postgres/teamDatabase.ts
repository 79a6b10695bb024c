import pg from 'pg';
import { SinkTrouble, type TeamConnection, type TeamCounts, type TeamDatabase } from '../../app/sink/sinkPorts.ts';
import {
  claimMachine,
  countPush,
  countsOf,
  makeMachine,
  openSessionsThere,
  pushesOf,
  removeAllRows,
  removeErased,
  removeFrom,
  removeMachine,
  standingOf,
  upsertInto,
} from '../../domain/postgres/statements.ts';
import { tableNames, tables } from '../../domain/postgres/tables.ts';
import { troubleKind } from '../../domain/postgres/trouble.ts';
import { type Address, readAddress, tlsOf } from './address.ts';
import { asUpToDate, bringUpToDate } from './bringUpToDate.ts';

export interface TeamDatabaseOptions {
  /** With its password. */
  readonly url: string;
  /** The setting `postgres.caFile`. */
  readonly caFile: () => string;
  readonly machine: () => Promise<TeamMachine>;
}

export interface TeamMachine {
  readonly id: string;
  readonly host: string;
  readonly user: string;
  readonly version: string;
}

export interface ReachedDatabase extends TeamDatabase {
  /** Whether all that it takes may be done there, and what this machine has there. Nothing is changed. */
  look(): Promise<TeamCounts>;
}

export type CreateTeamDatabase = (options: TeamDatabaseOptions) => ReachedDatabase;

const CONNECT_MS = 10_000;
/** The server's own limit comes first, where it still answers. */
const STATEMENT_SECONDS = 60;
const ANSWER_MS = 75_000;
/** All that a machine has gathered in years goes in one transaction, and somebody looks on. */
const REMOVAL_MS = 30 * 60_000;
/** Each may have some ten thousand rows. */
const ERASED_AT_ONCE = 50;
const KEEP_ALIVE_MS = 30_000;
const CLOSE_MS = 300;

/** Set within each transaction, for a pool between us and the server gives every transaction to another of its connections. */
const begin = `BEGIN; SET LOCAL statement_timeout = '${STATEMENT_SECONDS}s'; SET LOCAL lock_timeout = '20s';
SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/** The entry of a bundle of its own: nobody loads pg who has named no database. */
export const createTeamDatabase: CreateTeamDatabase = (options) => ({
  async connect() {
    const { client, address, who } = await reached(options);
    try {
      await bringUpToDate(client);
      return connectionOver(client, address, who, await claimedStanding(client, who));
    } catch (error) {
      void end(client);
      throw troubleOf(error, address);
    }
  },
  async look() {
    const { client, address, who } = await reached(options);
    try {
      return await asUpToDate(client, async (hasAll) => {
        if (hasAll) for (const statement of claimMachine) await client.query(statement, [who.id]);
        const counts = await countsThere(client, who);
        if (hasAll) await tryAll(client, who);
        return counts;
      });
    } catch (error) {
      throw troubleOf(error, address);
    } finally {
      await end(client);
    }
  },
});

interface Reached {
  readonly client: pg.Client;
  readonly address: Address;
  readonly who: TeamMachine;
}

async function reached({ url, caFile, machine }: TeamDatabaseOptions): Promise<Reached> {
  const address = readAddress(url);
  const ssl = await tlsOf(address, caFile());
  const who = await machine();
  const { host, port, user, password, database } = address;
  const client = new pg.Client({
    ...{ host, port, user, password, database, ssl },
    application_name: 'agent-mascot',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // It ends the query that is under way too, which tells; without a listener it would end the editor's extension host.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { client, address, who };
  } catch (error) {
    void end(client);
    throw troubleOf(error, address);
  }
}

/** Claims this machine for the connection's role, unless it has another role; returns the database's id and this machine's pushes. */
async function claimedStanding(client: pg.Client, { id }: TeamMachine): Promise<TeamConnection['standing']> {
  await client.query(begin);
  for (const statement of claimMachine) await client.query(statement, [id]);
  const [standing] = (await client.query<{ database: string; pushes: string | null }>(standingOf, [id])).rows;
  await client.query('COMMIT');
  const pushes = standing?.pushes ?? undefined;
  return { database: standing?.database ?? '', pushes: pushes === undefined ? undefined : Number(pushes) };
}

async function countsThere(client: pg.Client, { id }: TeamMachine): Promise<TeamCounts> {
  const { rows } = await client.query<{
    seen_at: Date | null;
    machines: number;
    sessions: number;
    interactions: number;
    session_events: number;
    work_items: number;
  }>(countsOf, [id]);
  const [row] = rows;
  return {
    seenAt: row?.seen_at?.toISOString(),
    machines: row?.machines ?? 0,
    sessions: row?.sessions ?? 0,
    interactions: row?.interactions ?? 0,
    sessionEvents: row?.session_events ?? 0,
    workItems: row?.work_items ?? 0,
  };
}

/** What a push does, and what takes it away: not every right that is needed shows before. No machine is called so, and nobody waits for it. */
async function tryAll(client: pg.Client, { id, host, user, version }: TeamMachine): Promise<void> {
  const made = await client.query(makeMachine, [id, host, user, version]);
  if (made.rows.length === 0 && (await client.query(pushesOf, [id])).rows.length === 0) throw ofAnotherRole();
  const trial = `trial of ${id}`;
  await client.query(makeMachine, [trial, host, user, version]);
  await client.query(countPush, [trial, host, user, version, 0]);
  for (const name of tableNames)
    await client.query(upsertInto(tables[name]), [trial, JSON.stringify([{ [tables[name].key]: '' }])]);
  for (const statement of removeMachine) await client.query(statement, [trial]);
}

function ofAnotherRole(): SinkTrouble {
  return new SinkTrouble('role', 'another role pushed as this machine before');
}

function connectionOver(
  client: pg.Client,
  address: Address,
  machine: TeamMachine,
  standing: TeamConnection['standing'],
): TeamConnection {
  async function query<T extends pg.QueryResultRow>(text: string, ...values: readonly unknown[]): Promise<T[]> {
    try {
      return (await client.query<T>(text, [machine.id, ...values])).rows;
    } catch (error) {
      throw troubleOf(error, address);
    }
  }

  async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
    try {
      await client.query(begin);
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw troubleOf(error, address);
    }
  }

  const { host, user, version } = machine;
  let pushes = standing.pushes ?? -1;

  /** Moves on only with the COMMIT. */
  async function counted(work: () => Promise<void>): Promise<number> {
    const now = await inTransaction(async () => {
      const [found] = await query<{ pushes: string }>(countPush, host, user, version, pushes);
      if (!found) throw await refusal();
      await work();
      return Number(found.pushes);
    });
    return (pushes = now);
  }

  async function remove(erased: readonly string[]): Promise<void> {
    if (erased.length > 0) await removeWhole(removeErased, JSON.stringify(erased));
  }

  /** However much it is: a server that is too slow for it now would be too slow each time. */
  async function removeWhole(statements: readonly string[], ...values: readonly string[]): Promise<void> {
    await client.query(`SET LOCAL statement_timeout = '${REMOVAL_MS}ms'`);
    for (const text of statements)
      await client.query({ ...{ text, query_timeout: REMOVAL_MS }, values: [machine.id, ...values] });
  }

  async function refusal(): Promise<SinkTrouble> {
    const [found] = await query<{ pushes: string }>(pushesOf);
    if (!found && pushes < 0) return ofAnotherRole();
    if (!found) return new SinkTrouble('removed', 'the rows of this machine were deleted there');
    return new SinkTrouble(
      'other',
      `it has ${found.pushes} pushes of this machine, and ${pushes} are known here; where ~/.agent-mascot was copied from another machine, delete machine.json in it`,
    );
  }

  return {
    standing,
    async join() {
      // What an earlier connection has under way is waited for: it may still be committed.
      await inTransaction(async () => {
        const who = [host, user, version];
        const [found] = await (pushes < 0 ? query(makeMachine, ...who) : query(countPush, ...who, pushes));
        if (!found) throw await refusal();
      });
      pushes++;
    },
    push: ({ rows, gone }) =>
      counted(async () => {
        for (const name of tableNames) {
          const [left, there] = [gone[name] ?? [], rows[name] ?? []];
          if (left.length > 0) await query(removeFrom(tables[name]), JSON.stringify(left));
          if (there.length > 0) await query(upsertInto(tables[name]), `[${there.join(',')}]`);
        }
      }),
    async openSessionsAfter(id, limit) {
      const rows = await query<{ session_id: string }>(openSessionsThere, id, limit);
      return rows.map((row) => row.session_id);
    },
    async erase(erased) {
      if (erased === 'all') return counted(() => removeWhole(removeAllRows));
      for (let from = 0; from + ERASED_AT_ONCE < erased.length; from += ERASED_AT_ONCE)
        await counted(() => remove(erased.slice(from, from + ERASED_AT_ONCE)));
      return counted(() => remove(erased.slice(-(erased.length % ERASED_AT_ONCE || ERASED_AT_ONCE))));
    },
    removeMachine: () => inTransaction(() => removeWhole(removeMachine)),
    close: () => end(client),
  };
}

/** A query that is under way is cut off; a server that does not answer is not waited for. */
async function end(client: pg.Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))]);
  clearTimeout(timer);
}

function troubleOf(error: unknown, { password }: Address): SinkTrouble {
  if (error instanceof SinkTrouble) return error;
  const { code, message, errors } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly errors?: readonly unknown[];
  };
  // A name with several addresses fails once for each, and the error about them all says nothing.
  const first = (errors?.[0] as { readonly message?: unknown } | undefined)?.message;
  const words = String(message || first || code || error);
  const told = password.length > 3 ? words.replaceAll(password, '…') : words;
  return new SinkTrouble(troubleKind(typeof code === 'string' ? code : undefined, words), told);
}
