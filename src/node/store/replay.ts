import type { EventRecord } from '../../app/ports.ts';
import type { StoreDatabase } from './database.ts';
import type { ScannedRecord } from './journalFormat.ts';
import { decodeEntry } from './record.ts';

/** Rows between two turns of the editor: about 10 ms of work. */
const ROWS_PER_TURN = 250;

export interface Replayed {
  readonly bytes: number;
  /** Ends of records that this version can't read. */
  readonly unknown: readonly number[];
}

/**
 * Puts journal records into the database, in their order. Yields where others may have a turn. Late ones are of an owner that
 * was deposed by then: nobody was told that they are stored, and what says how something is from then on would undo what its
 * successor, or an erasure, made of it.
 */
export function* replay(
  database: Pick<StoreDatabase, 'insert' | 'trim' | 'erase' | 'work' | 'shelves'>,
  records: readonly ScannedRecord[],
  isLate = false,
): Generator<undefined, Replayed> {
  const unknown: number[] = [];
  let bytes = 0;
  let events: EventRecord[] = [];
  const flush = () => {
    if (events.length > 0) database.insert(events, isLate);
    events = [];
  };
  for (const { payload, end } of records) {
    bytes += payload.length;
    const entry = decodeEntry(payload);
    if (entry?.kind === 'event') events.push(entry.record);
    else if (!entry) unknown.push(end);
    else {
      flush();
      if (entry.kind === 'erase') yield* database.erase(entry.erasing);
      else if (entry.kind === 'trim') database.trim(entry.trim, isLate);
      else if (isLate) continue;
      else if (entry.kind === 'work') database.work.change(entry.change);
      else database.shelves.change(entry.change);
      yield;
    }
    if (events.length < ROWS_PER_TURN) continue;
    flush();
    yield;
  }
  flush();
  return { bytes, unknown };
}
