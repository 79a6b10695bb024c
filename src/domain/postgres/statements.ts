import { CLAIMED_MACHINE, SCHEMA } from './schema.ts';
import type { Table } from './tables.ts';

/**
 * $1 the machine's id, $2 the rows as JSON. A row that is there as it should be is not written again, for every write leaves a dead
 * row behind.
 */
export function upsertInto(table: Table): string {
  const names = Object.keys(table.columns);
  const typed = names.map((name) => `${name} ${table.columns[name] ?? 'text'}`);
  const others = names.filter((name) => name !== table.key);
  const values = others.map((name) => [name, valueOf(table, name)] as const);
  return `INSERT INTO ${SCHEMA}.${table.name} AS t (machine_id, ${names.join(', ')})
SELECT $1, ${names.map((name) => `x.${name}`).join(', ')} FROM json_to_recordset($2::json) AS x(${typed.join(', ')})
ON CONFLICT (machine_id, ${table.key}) DO UPDATE SET ${values.map(([name, value]) => `${name} = ${value}`).join(', ')}
WHERE (${others.map((name) => `t.${name}`).join(', ')}) IS DISTINCT FROM (${values.map(([, value]) => value).join(', ')})`;
}

/** What a column has after the row took the place of the one that is there. */
function valueOf({ bare }: Table, name: string): string {
  const kept = bare?.columns[name];
  return bare && kept ? `CASE WHEN ${bare.when} THEN ${kept} ELSE excluded.${name} END` : `excluded.${name}`;
}

/**
 * Run in one transaction: gives a machine without a role to the current role, which can see such a machine only by its id.
 */
export const claimMachine = [
  `SELECT set_config('${CLAIMED_MACHINE}', $1, true)`,
  `UPDATE ${SCHEMA}.machines SET role_name = current_user WHERE machine_id = $1 AND role_name IS NULL`,
];

/** Returns no row if the machine exists already, even as another role's, which this role can't see. */
export const makeMachine = `INSERT INTO ${SCHEMA}.machines (machine_id, host, user_name, version)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING pushes::text AS pushes`;

/**
 * Each push says that the machine is there, and counts: who finds fewer than it made knows that the database lost some. It never makes
 * the row, for where that is gone somebody wanted none of this machine's rows. $5: how many there have to be, for otherwise this is
 * another state of the database, or somebody else pushes.
 */
export const countPush = `UPDATE ${SCHEMA}.machines SET host = $2, user_name = $3, version = $4, pushes = pushes + 1, seen_at = now()
WHERE machine_id = $1 AND pushes = $5::bigint RETURNING pushes::text AS pushes`;

export const pushesOf = `SELECT pushes::text AS pushes FROM ${SCHEMA}.machines WHERE machine_id = $1`;

/** What is not told any more. $2: keys as JSON. */
export function removeFrom({ name, key }: Table): string {
  return `DELETE FROM ${SCHEMA}.${name} t USING json_array_elements_text($2::json) AS gone(id)
WHERE t.machine_id = $1 AND t.${key} = gone.id`;
}

/** CNV-4. $2: ids of sessions as JSON. Work items that name one of them go, too: what is left of them is told anew. */
export const removeErased = [
  ...['interactions', 'session_events', 'sessions'].map(
    (table) => `DELETE FROM ${SCHEMA}.${table} t USING json_array_elements_text($2::json) AS gone(id)
WHERE t.machine_id = $1 AND t.session_id = gone.id`,
  ),
  `DELETE FROM ${SCHEMA}.work_items t USING json_array_elements_text($2::json) AS gone(id)
WHERE t.machine_id = $1 AND t.sessions ? gone.id`,
];

/** CNV-4: everything of this machine but its own row. */
export const removeAllRows = ['interactions', 'session_events', 'work_items', 'sessions'].map(
  (name) => `DELETE FROM ${SCHEMA}.${name} WHERE machine_id = $1`,
);

/** $2 an id, $3 how many. */
export const openSessionsThere = `SELECT session_id FROM ${SCHEMA}.sessions
WHERE machine_id = $1 AND session_id > $2 AND is_final IS NOT TRUE ORDER BY session_id LIMIT $3`;

/**
 * Deletes all rows of a machine. Its row in `machines` is locked first, which waits for a running push and prevents new ones, and is
 * deleted last, because the role's right to the other rows depends on it.
 */
export const removeMachine = [
  `SELECT FROM ${SCHEMA}.machines WHERE machine_id = $1 FOR UPDATE`,
  ...removeAllRows,
  `DELETE FROM ${SCHEMA}.machines WHERE machine_id = $1`,
];

export const standingOf = `SELECT (SELECT id::text FROM ${SCHEMA}.database) AS database,
  (SELECT pushes::text FROM ${SCHEMA}.machines WHERE machine_id = $1) AS pushes`;

/** What a person is told of this machine's part. */
export const countsOf = `SELECT
  (SELECT seen_at FROM ${SCHEMA}.machines WHERE machine_id = $1) AS seen_at,
  (SELECT count(*)::int FROM ${SCHEMA}.machines) AS machines,
  (SELECT count(*)::int FROM ${SCHEMA}.sessions WHERE machine_id = $1) AS sessions,
  (SELECT count(*)::int FROM ${SCHEMA}.interactions WHERE machine_id = $1) AS interactions,
  (SELECT count(*)::int FROM ${SCHEMA}.session_events WHERE machine_id = $1) AS session_events,
  (SELECT count(*)::int FROM ${SCHEMA}.work_items WHERE machine_id = $1) AS work_items`;
