import { type Table, tables } from './tables.ts';

export const SCHEMA = 'agent_mascot';

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

/** Never dropped, or the right to read them would go with them. */
const views = `
CREATE OR REPLACE VIEW ${SCHEMA}.waiting_now AS
  SELECT s.user_name, m.host, s.project, s.title, s.phase AS waits_for, s.waits_for_tool AS tool,
    s.waits_for_target AS target, s.phase_since AS since, now() - s.phase_since AS waiting, s.machine_id, s.session_id
  FROM ${SCHEMA}.sessions s JOIN ${SCHEMA}.machines m USING (machine_id)
  WHERE s.waits AND m.seen_at > now() - ${SEEN_WITHIN}
  ORDER BY s.phase_since;

CREATE OR REPLACE VIEW ${SCHEMA}.sessions_per_day AS
  SELECT started_at::date AS day, user_name, project, count(*) AS sessions, sum(prompts) AS prompts,
    sum(tool_calls) AS tool_calls, sum(failures) AS failures, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out,
    round(sum(duration_ms)::numeric / 3600000, 2) AS hours
  FROM ${SCHEMA}.sessions GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3;

CREATE OR REPLACE VIEW ${SCHEMA}.failures_by_tool AS
  SELECT skill_name AS tool, count(*) AS calls, count(*) FILTER (WHERE outcome = 'failed') AS failed,
    count(*) FILTER (WHERE outcome = 'denied') AS denied,
    round(100.0 * count(*) FILTER (WHERE outcome = 'failed') / count(*), 1) AS failed_percent,
    round(avg(duration_ms)::numeric) AS mean_ms, max(ts) FILTER (WHERE outcome = 'failed') AS last_failed_at
  FROM ${SCHEMA}.interactions WHERE role = 'tool' GROUP BY 1 ORDER BY failed DESC, calls DESC;

CREATE OR REPLACE VIEW ${SCHEMA}.failed_checks AS
  SELECT e.created_at, e.user_name, s.project, s.title, e.event_type, e.summary, e.work_item_id, e.session_id
  FROM ${SCHEMA}.session_events e LEFT JOIN ${SCHEMA}.sessions s USING (machine_id, session_id)
  WHERE e.event_type IN ('build_failed', 'test_failed', 'quality_warning') ORDER BY e.created_at DESC;

CREATE OR REPLACE VIEW ${SCHEMA}.work_in_progress AS
  SELECT w.id, w.title, w.user_name, m.host, w.project, w.started_at, now() - w.started_at AS running,
    jsonb_array_length(w.sessions) AS sessions, jsonb_array_length(w.files) AS files
  FROM ${SCHEMA}.work_items w JOIN ${SCHEMA}.machines m USING (machine_id) WHERE w.status = 'running' ORDER BY w.started_at;
`;

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
CREATE INDEX session_events_of_session ON ${SCHEMA}.session_events (machine_id, session_id, created_at);
${views}`,
  },
  {
    id: 2,
    // Words of other sessions, which their own erasure does not reach; a machine of an earlier release may be connected for hours yet.
    sql: `
ALTER TABLE ${SCHEMA}.sessions ADD COLUMN IF NOT EXISTS waits boolean;
UPDATE ${SCHEMA}.session_events SET details = details - 'text' WHERE event_type = 'context_loaded' AND details ? 'text';
ALTER TABLE ${SCHEMA}.session_events ADD CONSTRAINT no_others_words CHECK (event_type <> 'context_loaded' OR NOT details ? 'text') NOT VALID;
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
