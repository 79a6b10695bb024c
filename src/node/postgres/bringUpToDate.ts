import type { Client } from 'pg';
import { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import {
  findSchema,
  findVersion,
  LOCK_KEY,
  makeMigrations,
  makeSchema,
  ownsSchema,
  SCHEMA,
  schemaSteps,
  schemaVersion,
} from '../../domain/postgres/schema.ts';

/** What a large team has gathered is read through once. */
const STEP_MS = 30 * 60_000;

interface Found {
  readonly schema: boolean;
  readonly migrations: boolean;
  readonly version: number;
}

/** SNK-1: takes the steps that the schema lacks. Several machines may start at once: one of them does it. */
export async function bringUpToDate(client: Client): Promise<void> {
  if ((await find(client)).version !== schemaVersion) await inTransaction(client, 'COMMIT', () => takeSteps(client));
}

/**
 * What is asked of a schema in a database that stays as it is: what may not be done fails here as it would later. Steps that an earlier
 * one lacks may take long, and lock everybody out meanwhile: of that one it is only asked whether they could be taken.
 */
export function asUpToDate<T>(client: Client, ask: (hasAll: boolean) => Promise<T>): Promise<T> {
  return inTransaction(client, 'ROLLBACK', async () => {
    const { version } = await find(client);
    if (version === 0) await takeSteps(client);
    else if (version < schemaVersion) await mustOwn(client);
    return ask(version === 0 || version === schemaVersion);
  });
}

async function mustOwn(client: Client): Promise<void> {
  const [found] = (await client.query<{ owns: boolean }>(ownsSchema)).rows;
  if (found?.owns !== true) throw new SinkTrouble('rights', `its schema is of an earlier release, and another user's`);
}

async function inTransaction<T>(client: Client, end: 'COMMIT' | 'ROLLBACK', work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query(end);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function takeSteps(client: Client): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '60s'; SELECT pg_advisory_xact_lock(${LOCK_KEY})`);
  const { schema, migrations, version } = await find(client);
  if (!schema) await client.query(makeSchema);
  if (!migrations) await client.query(makeMigrations);
  for (const step of schemaSteps.filter(({ id }) => id > version)) {
    const taken = { text: step.sql, query_timeout: STEP_MS };
    await client.query(taken);
    await client.query(`INSERT INTO ${SCHEMA}.migrations (id) VALUES ($1)`, [step.id]);
  }
}

async function find(client: Client): Promise<Found> {
  const [found] = (await client.query<Omit<Found, 'version'>>(findSchema)).rows;
  const { schema = false, migrations = false } = found ?? {};
  if (!migrations) return { schema, migrations, version: 0 };
  const version = (await client.query<{ version: number }>(findVersion)).rows[0]?.version ?? 0;
  if (version > schemaVersion) {
    throw new SinkTrouble('newer', `its schema has version ${version}, this release knows ${schemaVersion}`);
  }
  return { schema, migrations, version };
}
