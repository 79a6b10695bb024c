import type { Database } from 'sql.js';

export interface Migration {
  /** What `PRAGMA user_version` says afterwards. */
  readonly id: number;
  readonly up: (database: Database) => void;
}

/** Only ever added to: a store of any earlier version takes the steps that it lacks. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    up: (database) => {
      database.run(`
        CREATE TABLE events (
          id TEXT PRIMARY KEY NOT NULL,
          session_id TEXT NOT NULL,
          ts TEXT NOT NULL,
          rank REAL NOT NULL,
          json TEXT NOT NULL
        );
        CREATE INDEX events_in_order ON events (session_id, ts, rank, id);
        CREATE TABLE seen (key TEXT PRIMARY KEY NOT NULL, event_id TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE sessions (
          id TEXT PRIMARY KEY NOT NULL,
          last_event_at TEXT NOT NULL,
          reducer INTEGER NOT NULL,
          json TEXT NOT NULL
        );
        CREATE INDEX sessions_newest ON sessions (last_event_at, id);
        CREATE TABLE unreduced (session_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
      `);
    },
  },
  {
    id: 2,
    up: (database) => {
      // A column of `events` would rewrite every row of it, megabytes each, to fill.
      database.run(`
        CREATE TABLE sayings (
          session_id TEXT NOT NULL,
          ts TEXT NOT NULL,
          rank REAL NOT NULL,
          id TEXT NOT NULL,
          PRIMARY KEY (session_id, ts, rank, id)
        ) WITHOUT ROWID;
        CREATE INDEX sayings_newest ON sayings (ts, rank, id);
        INSERT INTO sayings (session_id, ts, rank, id)
          SELECT session_id, ts, rank, id FROM events
          WHERE json_extract(json, '$.event_type') IN ('user_prompt', 'turn_ended', 'agent_stopped');
      `);
    },
  },
  {
    id: 3,
    up: (database) => {
      // Looking for the word spares parsing all the others.
      database.run(`
        INSERT OR IGNORE INTO sayings (session_id, ts, rank, id)
          SELECT session_id, ts, rank, id FROM events
          WHERE instr(json, '"last_reply"') > 0
            AND json_extract(json, '$.event_type') = 'notification'
            AND json_extract(json, '$.source') = 'transcript'
            AND json_extract(json, '$.payload.notification_type') = 'last_reply';
      `);
    },
  },
  {
    id: 4,
    up: (database) => {
      // Retention takes an event's keys away with it.
      database.run(`
        CREATE INDEX seen_by_event ON seen (event_id);
        CREATE TABLE trimmed (session_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        INSERT INTO meta (key, value) SELECT 'event_bytes', coalesce(sum(octet_length(json)), 0) FROM events;
      `);
    },
  },
  {
    id: 5,
    up: (database) => {
      // Filled a few rows at a time by whoever reads them: reading everything that was ever said takes many seconds.
      database.run('ALTER TABLE sayings ADD COLUMN signature BLOB');
    },
  },
  {
    id: 6,
    up: (database) => {
      // CNV-4: what was erased is told again by the agents' own files; no text, and for everything an empty id.
      database.run('CREATE TABLE erased (session_id TEXT PRIMARY KEY NOT NULL, at TEXT NOT NULL) WITHOUT ROWID');
      // Which events tell of a session that is not theirs: no version before this one made any.
      database.run(`
        CREATE TABLE tellings (
          session_id TEXT NOT NULL,
          event_id TEXT NOT NULL,
          PRIMARY KEY (session_id, event_id)
        ) WITHOUT ROWID;
        CREATE INDEX tellings_by_event ON tellings (event_id);
      `);
    },
  },
  {
    id: 7,
    up: (database) => {
      database.run('CREATE TABLE work_items (key TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL) WITHOUT ROWID');
      database.run(`
        CREATE TABLE shelves (
          shelf TEXT NOT NULL,
          key TEXT NOT NULL,
          session_id TEXT NOT NULL,
          json TEXT NOT NULL,
          PRIMARY KEY (shelf, key)
        ) WITHOUT ROWID;
        CREATE INDEX shelves_by_session ON shelves (session_id) WHERE session_id <> '';
      `);
    },
  },
  {
    id: 8,
    up: (database) => {
      // CNV-5: erasures get numbers. The transcripts' lengths at earlier erasures are unknown.
      database.run(`
        CREATE TABLE erasures (
          kind TEXT NOT NULL,
          key TEXT NOT NULL,
          number INTEGER NOT NULL,
          bytes INTEGER,
          PRIMARY KEY (kind, key)
        ) WITHOUT ROWID;
        INSERT INTO erasures (kind, key, number)
          SELECT iif(session_id = '', 'all', 'session'), session_id, row_number() OVER (ORDER BY at, session_id) FROM erased;
        DROP TABLE erased;
      `);
    },
  },
  {
    id: 9,
    up: (database) => {
      // SES-1: computed columns, so that no row is rewritten; they are null where a row is not JSON.
      const columns = {
        tty: ['TEXT', 'tty'],
        parent_pid: ['INTEGER', 'agentPid'],
        fingerprint: ['TEXT', 'fingerprint'],
      };
      for (const [name, [type, key]] of Object.entries(columns)) {
        database.run(
          `ALTER TABLE sessions ADD COLUMN ${name} ${type} GENERATED ALWAYS AS
             (CASE WHEN json_valid(json) THEN json_extract(json, '$.session.${key}') END) VIRTUAL`,
        );
      }
      database.run('CREATE INDEX sessions_by_fingerprint ON sessions (fingerprint)');
    },
  },
];

export function latestVersion(steps: readonly Migration[]): number {
  return steps.at(-1)?.id ?? 0;
}

/** Takes each missing step in a transaction of its own, so that an interrupted one leaves a version that is whole. */
export function migrate(database: Database, steps: readonly Migration[] = migrations): void {
  const found = versionOf(database);
  for (const step of steps) {
    if (step.id <= found) continue;
    database.run('BEGIN');
    try {
      step.up(database);
      database.run(`PRAGMA user_version = ${step.id}`);
      database.run('COMMIT');
    } catch (error) {
      database.run('ROLLBACK');
      throw new Error(`the store could not be brought to version ${step.id}; it was left as it was`, { cause: error });
    }
  }
}

export function versionOf(database: Database): number {
  return Number(database.exec('PRAGMA user_version')[0]?.values[0]?.[0] ?? 0);
}
