/** The tables of the team's database as rows are written to them: columns with their types, the key first. */
export interface Table {
  readonly name: string;
  /** Beside the machine's id. */
  readonly key: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Which rows bear no contents any more, and what becomes of those of the row whose place they take. */
  readonly bare?: { readonly when: string; readonly columns: Readonly<Record<string, string>> };
}

type ColumnType = 'text' | 'jsonb' | 'bigint' | 'double precision' | 'boolean' | 'timestamptz';

const moments = (...names: readonly string[]) => columnsOf('timestamptz', names);
const texts = (...names: readonly string[]) => columnsOf('text', names);
const counts = (...names: readonly string[]) => columnsOf('bigint', names);

function columnsOf(type: ColumnType, names: readonly string[]): Readonly<Record<string, ColumnType>> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

export const tables = {
  sessions: {
    name: 'sessions',
    key: 'session_id',
    columns: {
      ...texts('session_id', 'user_name', 'provider', 'project', 'worktree', 'title', 'model', 'state', 'phase'),
      ...moments('phase_since'),
      ...texts('waits_for_tool', 'waits_for_target', 'permission_mode', 'source', 'surface', 'end_reason'),
      ...moments('started_at', 'last_event_at', 'ended_at'),
      ...counts('prompts', 'replies', 'tool_calls', 'failures', 'subagents', 'tokens_in', 'tokens_out'),
      duration_ms: 'double precision',
      is_final: 'boolean',
      waits: 'boolean',
      tty: 'text',
      parent_pid: 'bigint',
      fingerprint: 'text',
    },
  },
  interactions: {
    name: 'interactions',
    key: 'id',
    columns: {
      ...texts('id', 'session_id', 'agent_id', 'user_name', 'role', 'content', 'skill_name'),
      skill_args: 'jsonb',
      metadata: 'jsonb',
      outcome: 'text',
      duration_ms: 'double precision',
      ts: 'timestamptz',
    },
    // What retention took away here stays there; how a call ended is told all the same.
    bare: {
      when: `excluded.metadata ? 'rawRemoved'`,
      columns: {
        content: 'coalesce(excluded.content, t.content)',
        skill_args: 'coalesce(excluded.skill_args, t.skill_args)',
        metadata: `(excluded.metadata - 'rawRemoved') || t.metadata`,
      },
    },
  },
  session_events: {
    name: 'session_events',
    key: 'id',
    columns: {
      ...texts('id', 'session_id', 'user_name', 'work_item_id', 'event_type', 'summary'),
      details: 'jsonb',
      severity: 'text',
      created_at: 'timestamptz',
    },
  },
  work_items: {
    name: 'work_items',
    key: 'item_key',
    columns: {
      ...texts('item_key', 'id', 'user_name', 'title', 'status', 'project', 'started_by'),
      dependencies: 'jsonb',
      sessions: 'jsonb',
      files: 'jsonb',
      ...moments('created_at', 'started_at', 'finished_at'),
    },
  },
} as const satisfies Record<string, Table>;
export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];
