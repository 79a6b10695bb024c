import { toldOf } from '../../domain/told.ts';
import type { EventRecord } from '../../app/ports.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { LogRecord } from '../log/segmentFormat.ts';
import type { EventDirectory } from './eventDirectory.ts';
import { entryOf, sayingOf } from './segmentDigest.ts';
import type { SayingSearcher } from './sayingSearch.ts';
import { readErase, readEventRecord, readNote, readTrim, readWork } from './storedRecords.ts';
import { recountSession } from './segmentRefresh.ts';
import type { StoreIndex } from './storeIndex.ts';

/** What follows the log: it is changed by each record in turn, when it is appended and when it is read again after a start. */
export interface Followers {
  readonly log: RecordLog;
  readonly index: StoreIndex;
  readonly directory: EventDirectory;
  readonly searcher: SayingSearcher;
}

/** Brings everything that follows the log up to this record, which is in no sealed segment yet if it is an event. */
export function follow(followers: Followers, record: LogRecord): void {
  const { index } = followers;
  switch (record.kind) {
    case 'event': {
      const stored = readEventRecord(record);
      if (stored) followEvent(followers, stored, record);
      return;
    }
    case 'work': {
      const change = readWork(record);
      if (change) index.work.change(change);
      return;
    }
    case 'note': {
      const note = readNote(record);
      if (!note) return;
      const { shelf, key, value } = note;
      const save = value === undefined ? [] : [{ key, session: record.session, value }];
      index.shelves.change({ shelf, save, remove: value === undefined ? [key] : [] });
      return;
    }
    case 'erase':
      return followErasure(followers, record);
    case 'trim':
      return followTrim(followers, record);
  }
}

/** The same for an event that was just appended, as it was given. */
export function followEvent(
  { index, directory, searcher }: Followers,
  stored: EventRecord,
  { seq, body }: Pick<LogRecord, 'seq' | 'body'>,
): void {
  const { session_id: session } = stored.event;
  directory.add(session, entryOf(stored, seq, body.length));
  for (const told of toldOf(stored.event)) index.addTelling({ told, seq, session });
  const saying = sayingOf(stored, seq);
  if (saying) searcher.add(saying);
}

function followErasure({ index, directory, searcher }: Followers, record: LogRecord): void {
  const erase = readErase(record);
  if (erase === undefined) return;
  const { sessions } = erase;
  const ids = sessions === 'all' ? [...index.everySession(), ...directory.unsealedSessions()] : sessions;
  index.inTransaction(() => {
    for (const id of ids) index.removeSession(id);
  });
  for (const id of ids) directory.changed(id);
  index.shelves.forget(sessions);
  // The items that stay follow in a record of their own.
  index.work.forget('all');
  index.erased.add(record.seq, erase);
  searcher.changed();
}

function followTrim(followers: Followers, record: LogRecord): void {
  const { index, directory, searcher } = followers;
  const [trim, { session }] = [readTrim(record), record];
  if (trim === undefined || session === undefined) return;
  const { row, isTrimmed = false, isForgotten = false } = trim;
  if (row) index.saveSession(row, record.seq);
  if (isTrimmed) index.markTrimmed(session);
  if (isForgotten) {
    index.removeSession(session);
    index.shelves.forget([session]);
  }
  directory.changed(session);
  recountSession(followers, session);
  searcher.changed();
}
