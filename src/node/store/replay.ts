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

/** Puts journal records into the database, in their order. Yields where others may have a turn. */
export function* replay(
  database: Pick<StoreDatabase, 'insert' | 'trim' | 'erase' | 'work' | 'shelves'>,
  records: readonly ScannedRecord[],
): Generator<undefined, Replayed> {
  const unknown: number[] = [];
  let bytes = 0;
  let events: EventRecord[] = [];
  const flush = () => {
    if (events.length > 0) database.insert(events);
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
      else if (entry.kind === 'work') database.work.change(entry.change);
      else if (entry.kind === 'shelf') database.shelves.change(entry.change);
      else database.trim(entry.trim);
      yield;
    }
    if (events.length < ROWS_PER_TURN) continue;
    flush();
    yield;
  }
  flush();
  return { bytes, unknown };
}
