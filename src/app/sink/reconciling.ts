import { idHere, idThere } from '../../domain/postgres/rows.ts';
import type { EventStore } from '../ports.ts';
import type { TeamConnection } from './sinkPorts.ts';

const AT_ONCE = 500;

export interface Reconciling {
  readonly connection: TeamConnection;
  readonly store: Pick<EventStore, 'session' | 'erased' | 'countEvents' | 'work'>;
  /** Number of the last erasure that was carried out in the database. */
  readonly before: number;
  /** Sessions whose erasure was announced since then; parts of them may have been copied during it. */
  readonly told: ReadonlySet<string>;
  readonly breathe: () => Promise<void>;
}

export interface Reconciled {
  readonly erasedTo: number;
  /** Sessions that were deleted in the database and continue here: they must be copied again. */
  readonly goOn: readonly string[];
  /** Pushes after the deletions; undefined if there was nothing to delete. */
  readonly pushes: number | undefined;
}

/**
 * CNV-4: deletes in the team database what was erased here, also while it could not be reached. A session is deleted whole, because no
 * clock says which rows came after the erasure; those are stored here and copied again. Retention is not an erasure: the team's
 * database keeps such sessions.
 */
export async function eraseThere({ connection, store, before, told, breathe }: Reconciling): Promise<Reconciled> {
  const erasedTo = store.erased.count();
  const goOn: string[] = [];
  let pushes: number | undefined;
  if (erasedTo <= before && told.size === 0) return { erasedTo, goOn, pushes };
  const isHere = (id: string) => store.session(id) !== undefined || store.countEvents(id) > 0;
  for (let page = await connection.sessionsAfter('', AT_ONCE); page.length > 0;) {
    const gone: string[] = [];
    for (const there of page) {
      await breathe();
      const id = idHere(there);
      // A session that is here and never lost data to an erasure began after the last one.
      if (!told.has(id) && store.erased.of(id) <= before) continue;
      if (isHere(id) && !store.erased.had(id)) continue;
      gone.push(there);
      if (isHere(id)) goOn.push(id);
    }
    if (gone.length > 0) pushes = await connection.erase(gone, []);
    page = await connection.sessionsAfter(page.at(-1) ?? '', AT_ONCE);
  }
  if (store.erased.of('') > before) pushes = (await eraseWork(connection, store)) ?? pushes;
  return { erasedTo, goOn, pushes };
}

/** After everything was erased: items that are only in the database are from before. */
async function eraseWork(connection: TeamConnection, store: Reconciling['store']): Promise<number | undefined> {
  const here = new Set(store.work.items().map(({ key }) => idThere(key)));
  let pushes: number | undefined;
  for (let page = await connection.workAfter('', AT_ONCE); page.length > 0;) {
    const gone = page.filter((key) => !here.has(key));
    if (gone.length > 0) pushes = await connection.erase([], gone);
    page = await connection.workAfter(page.at(-1) ?? '', AT_ONCE);
  }
  return pushes;
}
