import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../files/fileSystem.ts';
import { silentLog, unsyncedFileSystem } from '../store/store.testkit.ts';
import { RecordLog, type OpenedLog, type RecordLogOptions, type Sealer } from './recordLog.ts';
import { partsOf, readPlaces } from './sealedBlocks.ts';
import { inflate, type MakeDigest, rewriteSegment, sealSegments } from './sealing.ts';
import { decodeBlock, type LogRecord, type RecordDraft } from './segmentFormat.ts';

/** Does in this thread what the product does in another. Without `makeDigest` digests are empty. */
export function sealerOn(fs: FileSystem, makeDigest: MakeDigest = () => new Uint8Array()): Sealer {
  return { seal: (job) => sealSegments(fs, job, makeDigest), rewrite: (job) => rewriteSegment(fs, job, makeDigest) };
}

export function openLog(folder: string, options: Partial<RecordLogOptions> = {}): Promise<OpenedLog> {
  const fs = options.fs ?? unsyncedFileSystem;
  const rest = { folder, fs, log: silentLog, generation: 1, mayWrite: () => true, sealer: sealerOn(fs) };
  return RecordLog.open({ ...rest, ...options });
}

/** A record that says `text`; sessions `s0` to `s2` take turns. */
export function draft(number: number, text = `words ${number}`): RecordDraft {
  return { kind: 'event', session: `s${number % 3}`, at: number, body: Buffer.from(text) };
}

export function drafts(from: number, count: number): readonly RecordDraft[] {
  return Array.from({ length: count }, (_, index) => draft(from + index));
}

export function textOf({ body }: Pick<LogRecord, 'body'>): string {
  return Buffer.from(body).toString('utf8');
}

export function recordsIn(log: RecordLog, after = 0): readonly LogRecord[] {
  return [...log.recordsAfter(after)].flat();
}

/** Each record's number and text. */
export function told(log: RecordLog, after = 0): readonly (readonly [number, string])[] {
  return recordsIn(log, after).map((record) => [record.seq, textOf(record)]);
}

/** The bytes of every file below a folder, by name. */
export function bytesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map(({ parentPath, name }) => [path.join(parentPath, name), readFileSync(path.join(parentPath, name))]),
  );
}

/** What the blocks of a sealed segment hold; nothing for bytes that are none. */
export function inflatedBlocks(bytes: Buffer): readonly Buffer[] {
  return readPlaces(partsOf(bytes), bytes.length).places.map(({ position, end }) => {
    const block = decodeBlock(bytes.subarray(position, end));
    return block ? inflate(block.head.codec, block.data) : Buffer.alloc(0);
  });
}
