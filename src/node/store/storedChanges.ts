import type { Change, Changes, ChangesPage } from '../../app/changePorts.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { LogRecord } from '../log/segmentFormat.ts';
import type { EventDirectory } from './eventDirectory.ts';
import { readErase, readEventRecord, readTakenBack, readWork } from './storedRecords.ts';
import type { StoreIndex } from './storeIndex.ts';

export interface StoredChangesParts {
  readonly log: RecordLog;
  readonly directory: EventDirectory;
  readonly index: StoreIndex;
  /** The newest record that the index knows. A record behind it may never have been acknowledged to anybody. */
  readonly lastSeq: () => number;
}

/** The log as consumers follow it: what its records tell them, one piece of the log at a time. */
export class StoredChanges implements Changes {
  readonly #parts: StoredChangesParts;

  constructor(parts: StoredChangesParts) {
    this.#parts = parts;
  }

  lastSeq(): number {
    return this.#parts.lastSeq();
  }

  after(seq: number): ChangesPage {
    const last = this.lastSeq();
    if (seq >= last) return { changes: [], upTo: seq };
    const { records, upTo } = this.#parts.log.pieceAfter(seq);
    const known = records.filter((record) => record.seq <= last);
    return { changes: known.flatMap((record) => changeOf(record) ?? []), upTo: Math.min(upTo, last) };
  }

  countAfter(seq: number): number {
    const { log, directory, index } = this.#parts;
    const unsealed = directory.unindexed().filter((entry) => entry.seq > seq).length;
    const sealed = log.sealed.filter(({ lastSeq }) => lastSeq > seq);
    const events = index.eventsIn(sealed.map(({ firstSeq }) => firstSeq));
    return sealed.reduce((sum, { firstSeq, lastSeq }) => {
      const share = Math.min(1, (lastSeq - seq) / (lastSeq - firstSeq + 1));
      return sum + Math.round((events.get(firstSeq) ?? 0) * share);
    }, unsealed);
  }
}

function changeOf(record: LogRecord): Change | undefined {
  const { seq } = record;
  switch (record.kind) {
    case 'event': {
      const stored = readEventRecord(record);
      return stored && { kind: 'event', seq, event: stored.event, was: stored.was };
    }
    case 'work': {
      const change = readWork(record);
      return change && { kind: 'work', seq, change };
    }
    case 'erase': {
      const sessions = readErase(record)?.sessions;
      return sessions && { kind: 'erased', seq, sessions };
    }
    case 'trim': {
      const ids = readTakenBack(record);
      return ids && { kind: 'takenBack', seq, ids };
    }
    default:
      return undefined;
  }
}
