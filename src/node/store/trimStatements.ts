import type { Database, Statement } from 'sql.js';
import type { EventSelection, SessionAge, SessionRow } from '../../app/ports.ts';
import { isSaying } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { EventKey } from './database.ts';
import type { Trim } from './record.ts';
import { readEvent } from './readEvent.ts';
import { eventRemoval, type Removed, sayingRemoval } from './removeEvent.ts';
import { fromSqlText, toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';
import { tellingRemoval } from './tellings.ts';

/** What retention asks of the rows. */
export interface Trimmable {
  /** Sessions by the time of their last event, the oldest first, after this one. */
  oldest(after: SessionAge | undefined, limit: number): SessionAge[];
  /** Ids of its events, oldest first. */
  eventIds(sessionId: string, selection: EventSelection, limit: number): string[];
}

export interface TrimStatements {
  /** Gives what is gone. */
  trim(trim: Trim, saveRow: (row: SessionRow) => void): Trimmed;
  readonly trimmable: Trimmable;
}

export interface Trimmed {
  readonly bytes: number;
  readonly events: number;
  readonly sayings: readonly EventKey[];
}

export function trimStatements(database: Database): TrimStatements {
  const prepare = (sql: string): Statement => database.prepare(sql);
  const removeEvent = eventRemoval(database);
  const removeSaying = sayingRemoval(database);
  const forgetTold = tellingRemoval(database);
  const markTrimmed = prepare(
    'INSERT OR IGNORE INTO trimmed (session_id) SELECT session_id FROM events WHERE id = ? LIMIT 1',
  );
  const selectJson = prepare('SELECT json FROM events WHERE id = ?');
  const updateJson = prepare('UPDATE events SET json = ? WHERE id = ?');
  const forgetting = ['sessions WHERE id', 'unreduced WHERE session_id', 'trimmed WHERE session_id'].map((where) =>
    prepare(`DELETE FROM ${where} = ? AND NOT EXISTS (SELECT 1 FROM events WHERE session_id = ?)`),
  );

  const ages = 'SELECT id, last_event_at FROM sessions';
  const byAge = 'ORDER BY last_event_at, id LIMIT ?';
  const firstAges = prepare(`${ages} ${byAge}`);
  const laterAges = prepare(`${ages} WHERE (last_event_at, id) > (?, ?) ${byAge}`);

  const ids = 'SELECT id FROM events WHERE session_id = ?';
  const inOrder = 'ORDER BY ts, rank, id LIMIT ?';
  const allIds = prepare(`${ids} AND ts <= ? ${inOrder}`);
  const rawIds = prepare(`${ids} AND ts < ? AND instr(json, '"raw":{}') = 0 ${inOrder}`);
  const unsaidIds = prepare(
    `${ids} AND ts <= ? AND NOT EXISTS (SELECT 1 FROM sayings s WHERE s.session_id = events.session_id AND s.ts = events.ts
       AND s.rank = events.rank AND s.id = events.id) ${inOrder}`,
  );

  /** Gives how much shorter it is now. */
  function replace(id: string, change: (event: AgentEvent) => AgentEvent): number {
    const json = rowsOf(selectJson, [id])[0]?.[0];
    if (json === undefined) return 0;
    const rest = JSON.stringify(change(readEvent(json)));
    run(updateJson, [rest, id]);
    return Buffer.byteLength(String(json)) - Buffer.byteLength(rest);
  }

  function strip(id: string): number {
    return replace(id, (event) => ({ ...event, raw: {}, raw_removed: true }));
  }

  function rewrite(event: AgentEvent): Removed {
    const id = toSqlText(event.id);
    return { bytes: replace(id, () => event), sayings: isSaying(event) ? [] : removeSaying(id) };
  }

  /** What was told of them since the first of these. */
  function forgetRewritten(events: readonly AgentEvent[]): number {
    const since = new Map<string, string>();
    for (const { session_id: id, ts } of events) if (ts < (since.get(id) ?? '~')) since.set(id, ts);
    return [...since].reduce((bytes, [id, ts]) => bytes + forgetTold(id, ts), 0);
  }

  function remove(id: string): Removed {
    run(markTrimmed, [id]);
    return removeEvent(id);
  }

  return {
    trim: ({ remove: removed, strip: stripped, forget, rows, rewrite: rewritten = [] }, saveRow) =>
      inTransaction(database, () => {
        let [bytes, events] = [0, 0];
        const sayings: EventKey[] = [];
        rows.forEach(saveRow);
        for (const id of removed) {
          const gone = remove(toSqlText(id));
          bytes += gone.bytes;
          if (gone.bytes > 0) events++;
          sayings.push(...gone.sayings);
        }
        for (const id of stripped) bytes += strip(toSqlText(id));
        for (const event of rewritten) {
          const gone = rewrite(event);
          bytes += gone.bytes;
          sayings.push(...gone.sayings);
        }
        bytes += forgetRewritten(rewritten);
        // Only what has no events left: one may have come after this was decided.
        for (const id of forget.map(toSqlText)) for (const statement of forgetting) run(statement, [id, id]);
        return { bytes, events, sayings };
      }),
    trimmable: {
      oldest: (after, limit) =>
        (after
          ? rowsOf(laterAges, [toSqlText(after.lastEventAt), toSqlText(after.id), limit])
          : rowsOf(firstAges, [limit])
        ).map(([id, at]) => ({ id: fromSqlText(String(id)), lastEventAt: fromSqlText(String(at)) })),
      eventIds: (sessionId, selection, limit) => {
        const session = toSqlText(sessionId);
        const rows =
          selection.kind === 'raw'
            ? rowsOf(rawIds, [session, toSqlText(selection.before), limit])
            : rowsOf(selection.kind === 'unsaid' ? unsaidIds : allIds, [session, toSqlText(selection.upTo), limit]);
        return rows.map(([id]) => fromSqlText(String(id)));
      },
    },
  };
}
