import { type Table, tables } from './tables.ts';

export const SCHEMA = 'agent_mascot';

/** The PostgreSQL setting that holds a machine's id in the transaction that claims it. */
export const CLAIMED_MACHINE = 'agent_mascot.machine';

export interface SchemaStep {
  readonly id: number;
  readonly sql: string;
}

/** Of several machines that start at once one takes the steps. Any number, but always the same. */
export const LOCK_KEY = 4_820_119;

const tableOf = ({ name, key, columns }: Table) => `CREATE TABLE ${SCHEMA}.${name} (
  machine_id text NOT NULL,
  ${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}${column === key ? ' NOT NULL' : ''}`)
    .join(',\n  ')},
  PRIMARY KEY (machine_id, ${key})
);`;

/** A machine that said nothing for so long may be asleep: nobody knows who waits there. */
const SEEN_WITHIN = `interval '10 minutes'`;

/** Is the current role one of `readers`, or a member of one? */
const isReader = `EXISTS (SELECT FROM ${SCHEMA}.readers r JOIN pg_catalog.pg_roles p ON p.rolname = r.role_name
    WHERE pg_catalog.pg_has_role(p.oid, 'USAGE'))`;

/** A security barrier: without it, a function in the reader's query could see rows before the condition removes them. */
const view = (name: string) => `CREATE OR REPLACE VIEW ${SCHEMA}.${name} WITH (security_barrier) AS`;
const isShown = `machine_id IN (SELECT machine_id FROM ${SCHEMA}.machines_shown)`;

/**
 * Made by the last step alone, and never dropped, because granted rights would be lost with them. A view reads with the rights of the
 * schema's owner, whom row-level security does not limit, so every view joins `machines_shown`, which limits it to the reader's machines.
 */
const views = `
${view('machines_shown')}
  SELECT machine_id, host, seen_at FROM ${SCHEMA}.machines
  WHERE role_name = current_user OR NOT row_security_active('${SCHEMA}.machines') OR ${isReader};

${view('waiting_now')}
  SELECT s.user_name, m.host, s.project, s.title, s.phase AS waits_for, s.waits_for_tool AS tool,
    s.waits_for_target AS target, s.phase_since AS since, now() - s.phase_since AS waiting, s.machine_id, s.session_id
  FROM ${SCHEMA}.sessions s JOIN ${SCHEMA}.machines_shown m USING (machine_id)
  WHERE s.waits AND m.seen_at > now() - ${SEEN_WITHIN}
  ORDER BY s.phase_since;

${view('sessions_per_day')}
  SELECT started_at::date AS day, user_name, project, count(*) AS sessions, sum(prompts) AS prompts,
    sum(tool_calls) AS tool_calls, sum(failures) AS failures, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out,
    round(sum(duration_ms)::numeric / 3600000, 2) AS hours
  FROM ${SCHEMA}.sessions WHERE ${isShown} GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3;

${view('failures_by_tool')}
  SELECT skill_name AS tool, count(*) AS calls, count(*) FILTER (WHERE outcome = 'failed') AS failed,
    count(*) FILTER (WHERE outcome = 'denied') AS denied,
    round(100.0 * count(*) FILTER (WHERE outcome = 'failed') / count(*), 1) AS failed_percent,
    round(avg(duration_ms)::numeric) AS mean_ms, max(ts) FILTER (WHERE outcome = 'failed') AS last_failed_at
  FROM ${SCHEMA}.interactions WHERE role = 'tool' AND ${isShown} GROUP BY 1 ORDER BY failed DESC, calls DESC;

${view('failed_checks')}
  SELECT e.created_at, e.user_name, s.project, s.title, e.event_type, e.summary, e.work_item_id, e.session_id
  FROM ${SCHEMA}.session_events e LEFT JOIN ${SCHEMA}.sessions s USING (machine_id, session_id)
  WHERE e.event_type IN ('build_failed', 'test_failed', 'quality_warning') AND e.${isShown} ORDER BY e.created_at DESC;

${view('work_in_progress')}
  SELECT w.id, w.title, w.user_name, m.host, w.project, w.started_at, now() - w.started_at AS running,
    jsonb_array_length(w.sessions) AS sessions, jsonb_array_length(w.files) AS files
  FROM ${SCHEMA}.work_items w JOIN ${SCHEMA}.machines_shown m USING (machine_id) WHERE w.status = 'running' ORDER BY w.started_at;
`;

/** Limits a role to rows of its own machines. It can't even learn the ids of others. The schema's owner is not limited. */
const owned = `machine_id IN (SELECT m.machine_id FROM ${SCHEMA}.machines m WHERE m.role_name = current_user)`;

const limit = (table: string, rule: string) => `ALTER TABLE ${SCHEMA}.${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON ${SCHEMA}.${table} USING (${rule});
CREATE POLICY readers ON ${SCHEMA}.${table} FOR SELECT USING (${isReader});`;

/** For tables that writers may read but not change. */
const limitToReading = (table: string) => `ALTER TABLE ${SCHEMA}.${table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY everyone ON ${SCHEMA}.${table} FOR SELECT USING (true);`;

/** A machine without a role (from an earlier release, or released by the owner) can be claimed by a role that knows its id. */
const isUnclaimed = `role_name IS NULL AND machine_id = current_setting('${CLAIMED_MACHINE}', true)`;

/**
 * SNK-1: row-level security. A machine belongs to the role that first pushed as it. Roles that could read the views but not write, before
 * this step, become readers.
 */
const limitToRoles = `
ALTER TABLE ${SCHEMA}.machines ADD COLUMN role_name name;
ALTER TABLE ${SCHEMA}.machines ALTER COLUMN role_name SET DEFAULT current_user;
CREATE TABLE ${SCHEMA}.readers (role_name name PRIMARY KEY);
GRANT SELECT ON ${SCHEMA}.readers TO PUBLIC;
INSERT INTO ${SCHEMA}.readers SELECT DISTINCT p.rolname
  FROM pg_catalog.pg_class c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a JOIN pg_catalog.pg_roles p ON p.oid = a.grantee
  WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'v' AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
    AND c.relname IN ('waiting_now', 'sessions_per_day', 'failures_by_tool', 'failed_checks', 'work_in_progress')
    AND NOT has_table_privilege(p.oid, '${SCHEMA}.sessions', 'INSERT');
${limit('machines', 'role_name = current_user')}
CREATE POLICY unclaimed_seen ON ${SCHEMA}.machines FOR SELECT USING (${isUnclaimed});
CREATE POLICY unclaimed ON ${SCHEMA}.machines FOR UPDATE USING (${isUnclaimed}) WITH CHECK (role_name = current_user);
${Object.keys(tables)
  .map((table) => limit(table, owned))
  .join('\n')}
${['database', 'migrations', 'readers'].map(limitToReading).join('\n')}`;

/** Only ever added to: a schema of any earlier version takes the steps that it lacks. */
export const schemaSteps: readonly SchemaStep[] = [
  {
    id: 1,
    sql: `
CREATE TABLE ${SCHEMA}.database (id uuid NOT NULL);
INSERT INTO ${SCHEMA}.database VALUES (gen_random_uuid());
CREATE TABLE ${SCHEMA}.machines (
  machine_id text PRIMARY KEY,
  host text,
  user_name text,
  version text,
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  pushes bigint NOT NULL DEFAULT 0
);
${Object.values(tables).map(tableOf).join('\n')}
CREATE INDEX sessions_started ON ${SCHEMA}.sessions (started_at);
CREATE INDEX interactions_of_session ON ${SCHEMA}.interactions (machine_id, session_id, ts);
CREATE INDEX session_events_of_session ON ${SCHEMA}.session_events (machine_id, session_id, created_at);`,
  },
  {
    id: 2,
    // Words of other sessions, which their own erasure does not reach; a machine of an earlier release may be connected for hours yet.
    sql: `
ALTER TABLE ${SCHEMA}.sessions ADD COLUMN IF NOT EXISTS waits boolean;
UPDATE ${SCHEMA}.session_events SET details = details - 'text' WHERE event_type = 'context_loaded' AND details ? 'text';
ALTER TABLE ${SCHEMA}.session_events ADD CONSTRAINT no_others_words CHECK (event_type <> 'context_loaded' OR NOT details ? 'text') NOT VALID;`,
  },
  {
    id: 3,
    // SES-1. Step 1 of a new schema makes its tables with these columns already.
    sql: `
ALTER TABLE ${SCHEMA}.sessions ADD COLUMN IF NOT EXISTS tty text, ADD COLUMN IF NOT EXISTS parent_pid bigint,
  ADD COLUMN IF NOT EXISTS fingerprint text;
CREATE INDEX sessions_by_fingerprint ON ${SCHEMA}.sessions (fingerprint);
${limitToRoles}
${views}`,
  },
];

export const schemaVersion = schemaSteps.at(-1)?.id ?? 0;

/** Who may take its steps. */
export const ownsSchema = `SELECT pg_catalog.pg_has_role(nspowner, 'USAGE') AS owns FROM pg_catalog.pg_namespace WHERE nspname = '${SCHEMA}'`;

/** Asked before anything else. By the catalogue's own rows: what names resolve to is remembered by a session for too long. */
export const findSchema = `SELECT
  EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = '${SCHEMA}') AS schema,
  EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = '${SCHEMA}' AND c.relname = 'migrations') AS migrations`;
export const findVersion = `SELECT coalesce(max(id), 0)::int AS version FROM ${SCHEMA}.migrations`;
export const makeSchema = `CREATE SCHEMA ${SCHEMA}`;
export const makeMigrations = `CREATE TABLE ${SCHEMA}.migrations (
  id integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now(), applied_by text NOT NULL DEFAULT current_user
)`;
