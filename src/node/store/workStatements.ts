import type { Database } from 'sql.js';
import type { Erasing } from '../../app/erasurePorts.ts';
import type { WorkChange } from '../../app/workPorts.ts';
import { withoutSessions } from '../../domain/workItems.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { toSqlText } from './sqlText.ts';
import { inTransaction, rowsOf, run } from './statements.ts';

/** GRD-1: the rows of work items. */
export interface WorkRows {
  items(): readonly WorkItem[];
  /** All or nothing of it. */
  change(change: WorkChange): void;
  /** CNV-4: nothing of them tells of these sessions any more. */
  forget(sessions: Erasing['sessions']): void;
}

export function workStatements(database: Database): WorkRows {
  const all = database.prepare('SELECT json FROM work_items');
  const upsert = database.prepare('INSERT OR REPLACE INTO work_items (key, json) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM work_items WHERE key = ?');
  /** Asked for with every edit; there are hundreds of them, where events are hundreds of thousands. */
  let items = inOrder(rowsOf(all, []).map(([json]) => JSON.parse(String(json)) as WorkItem));

  function change({ save, remove: gone = [] }: WorkChange): void {
    inTransaction(database, () => {
      for (const item of save) run(upsert, [toSqlText(item.key), JSON.stringify(item)]);
      for (const key of gone) run(remove, [toSqlText(key)]);
    });
    const other = new Set([...save.map(({ key }) => key), ...gone]);
    items = inOrder([...items.filter(({ key }) => !other.has(key)), ...save]);
  }

  return {
    items: () => items,
    change,
    forget(sessions) {
      if (sessions === 'all') return change({ save: [], remove: items.map(({ key }) => key) });
      const gone = new Set(sessions);
      const save = items.flatMap((item) => {
        const left = withoutSessions(item, gone);
        return left === item ? [] : [left];
      });
      if (save.length > 0) change({ save });
    },
  };
}

function inOrder(items: readonly WorkItem[]): readonly WorkItem[] {
  return items.toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.key, b.key));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
