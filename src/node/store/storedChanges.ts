import type { Change, Changes, ChangesPage } from '../../app/changePorts.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { LogRecord } from '../log/segmentFormat.ts';
import type { EventDirectory } from './eventDirectory.ts';
import { readErase, readEventRecord, readWork } from './storedRecords.ts';
import type { StoreIndex } from './storeIndex.ts';

/** The log as consumers follow it: what its records tell them, one piece of the log at a time. */
export class StoredChanges implements Changes {
  readonly #log: RecordLog;
  readonly #directory: EventDirectory;
  readonly #index: StoreIndex;

  constructor(log: RecordLog, directory: EventDirectory, index: StoreIndex) {
    this.#log = log;
    this.#directory = directory;
    this.#index = index;
  }

  lastSeq(): number {
    return this.#log.lastSeq;
  }

  after(seq: number): ChangesPage {
    const lastSeq = this.lastSeq();
    for (const records of this.#log.recordsAfter(seq))
      return { changes: records.flatMap((record) => changeOf(record) ?? []), upTo: records.at(-1)?.seq ?? seq };
    return { changes: [], upTo: Math.max(seq, lastSeq) };
  }

  countAfter(seq: number): number {
    const unsealed = this.#directory.unindexed().filter((entry) => entry.seq > seq).length;
    const sealed = this.#log.sealed.filter(({ lastSeq }) => lastSeq > seq);
    const events = this.#index.eventsIn(sealed.map(({ firstSeq }) => firstSeq));
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
      const event = readEventRecord(record)?.event;
      return event && { kind: 'event', seq, event };
    }
    case 'work': {
      const change = readWork(record);
      return change && { kind: 'work', seq, change };
    }
    case 'erase': {
      const sessions = readErase(record)?.sessions;
      return sessions && { kind: 'erased', seq, sessions };
    }
    default:
      return undefined;
  }
}
