import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { errorCode, syncFolder, writeAll, type FileSystem, type OpenFile } from '../files/fileSystem.ts';
import { encodeHeader, encodeRecords, HEADER_BYTES, JOURNAL_FORMAT, nameOfSegment } from './journalFormat.ts';

/** A segment that gets no more records from us. */
export interface SealedSegment {
  readonly name: string;
  /** Up to here its records are in the database. */
  readonly length: number;
  /** Found at the start: a deposed owner may have added to it since. */
  readonly foreign: boolean;
  readonly format: number;
}

export interface Journal {
  /** One write and one sync for the whole batch. When it rejects, none of the batch counts. */
  append(payloads: readonly Uint8Array[]): Promise<number>;
  /** Ends the present segment; the next append begins another. */
  seal(): Promise<void>;
  sealed(): readonly SealedSegment[];
  /** Leaves a segment without records, which tells the format. */
  mark(): Promise<void>;
  /** A sealed segment was found to be longer, and what it holds was read up to there. */
  extend(name: string, length: number): void;
  /** Removes a sealed segment for good. */
  remove(name: string): Promise<void>;
}

export interface JournalOptions {
  readonly folder: string;
  readonly generation: number;
  readonly firstSeq: number;
  readonly found: readonly SealedSegment[];
  readonly fs: FileSystem;
  readonly log: Log;
}

interface OpenSegment {
  readonly name: string;
  readonly file: OpenFile;
  length: number;
  broken: boolean;
}

export function createJournal(options: JournalOptions): Journal {
  const { folder, generation, fs, log } = options;
  let sealed: readonly SealedSegment[] = options.found;
  let current: OpenSegment | undefined;
  let nextSeq = options.firstSeq;

  /** Only when there is something to write, so that opening and closing leave no empty files behind. */
  async function begin(): Promise<OpenSegment> {
    const name = nameOfSegment({ generation, seq: nextSeq++ });
    const file = await fs.open(path.join(folder, name), 'wx', 0o600);
    try {
      await writeAll(file, encodeHeader(generation), 0);
      await syncFolder(fs, folder);
    } catch (error) {
      await file.close().catch(() => undefined);
      await fs.unlink(path.join(folder, name)).catch(() => undefined);
      throw error;
    }
    return { name, file, length: HEADER_BYTES, broken: false };
  }

  async function undo(segment: OpenSegment): Promise<void> {
    try {
      await segment.file.truncate(segment.length);
    } catch (error) {
      segment.broken = true;
      log.error(
        `store: ${segment.name} could not be cut back after a failed write (${errorCode(error) ?? String(error)})`,
      );
    }
  }

  async function seal(): Promise<void> {
    if (!current) return;
    const segment = current;
    current = undefined;
    sealed = [...sealed, { name: segment.name, length: segment.length, foreign: false, format: JOURNAL_FORMAT }];
    // Its records are synced already; a close that fails loses nothing.
    await segment.file.close().catch((error: unknown) => log.warn(`store: closing ${segment.name}: ${String(error)}`));
  }

  return {
    append: async (payloads) => {
      // Behind the rubble nothing would be found again: the next record begins another file.
      if (current?.broken) await seal();
      const bytes = encodeRecords(payloads);
      current ??= await begin();
      const segment = current;
      try {
        await writeAll(segment.file, bytes, segment.length);
        await segment.file.datasync();
      } catch (error) {
        await undo(segment);
        throw error;
      }
      segment.length += bytes.length;
      return bytes.length;
    },
    mark: async () => {
      current ??= await begin();
      await seal();
    },
    seal,
    sealed: () => sealed,
    extend: (name, length) => {
      sealed = sealed.map((segment) => (segment.name === name ? { ...segment, length } : segment));
    },
    remove: async (name) => {
      await fs.unlink(path.join(folder, name));
      sealed = sealed.filter((segment) => segment.name !== name);
    },
  };
}
