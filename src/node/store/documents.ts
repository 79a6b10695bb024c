import type { Erasing } from '../../app/erasurePorts.ts';
import type { Kept } from '../../app/shelfPorts.ts';
import { withoutSessions } from '../../domain/workItems.ts';
import type { RecordDraft } from '../log/segmentFormat.ts';
import type { ShelfChange } from './shelfStatements.ts';
import { noteDraft, workDraft } from './storedRecords.ts';
import type { StoreIndex } from './storeIndex.ts';

/** What the store notes of itself stays when everything is erased: otherwise an earlier store would be taken over again. */
export const OWN_SHELF = 'store';

/** All work items and notes as they are without these sessions. */
export function documentsWithout(index: StoreIndex, sessions: Erasing['sessions'], at: number): RecordDraft[] {
  const gone = new Set(sessions === 'all' ? [] : sessions);
  const items = sessions === 'all' ? [] : index.work.items().map((item) => withoutSessions(item, gone));
  const isLeft = ({ shelf, session }: Kept & { readonly shelf: string }) =>
    sessions === 'all' ? shelf === OWN_SHELF : session === undefined || !gone.has(session);
  const notes = index.shelves.all().filter(isLeft);
  return [
    ...(items.length > 0 ? [workDraft({ save: items }, at)] : []),
    ...notes.map(({ shelf, key, session, value }) => noteDraft({ shelf, key, value }, session, at)),
  ];
}

/** What changes the documents of a shelf; nothing for those that are to be removed and are not there. */
export function putDrafts(index: StoreIndex, { shelf, save, remove }: ShelfChange, at: number): RecordDraft[] {
  const removal = (key: string): RecordDraft[] => {
    const kept = index.shelves.get(shelf, key);
    return kept ? [noteDraft({ shelf, key }, kept.session, at)] : [];
  };
  // A document that changes its session leaves a removal behind in the former one: it goes when either session does.
  const moved = save.filter(({ key, session }) => {
    const before = index.shelves.get(shelf, key);
    return before !== undefined && before.session !== session;
  });
  return [
    ...moved.flatMap(({ key }) => removal(key)),
    ...save.map(({ key, session, value }) => noteDraft({ shelf, key, value }, session, at)),
    ...remove.flatMap(removal),
  ];
}
