import type { TranscriptLayout } from '../protocol/providers.ts';
import type { Disposable } from './ports.ts';

/** What was read in one go of a file that grows, such as a transcript. */
export interface TailChunk {
  /** Those that `wants` asked for, in order, without their line ends. */
  readonly lines: readonly string[];
  /** After the last complete line: where a later follow goes on. */
  readonly offset: number;
  /** The file is another than before (replaced, truncated, rewritten): what was read earlier is void, these lines begin it anew. */
  readonly reset: boolean;
  /** Nothing more is there now; the last line may still be half written. */
  readonly caughtUp: boolean;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface TailRequest {
  readonly path: string;
  /** 0, or an earlier chunk's `offset`; where that cannot be the start of a line any more, the file is read from 0, with `reset`. */
  readonly from: number;
  /** CNV-5: skips this many bytes, and the rest of a line that they end in. At most the present length of the file. */
  readonly after?: number;
  /** Asked for every line before it is handed over; a line that is not wanted costs next to nothing. Keep it cheap. */
  readonly wants: (line: string) => boolean;
  /** Told after every piece that was read, also when no line of it was wanted. */
  onChunk(chunk: TailChunk): void;
}

export interface Tails {
  /** A file that is not there, or no regular file, is waited for. */
  follow(request: TailRequest): Disposable;
  /** The lines that begin within the last `bytes` of a file, oldest first; the last may still be half written. None without a file. */
  tail(path: string, bytes: number, after?: number): Promise<readonly string[]>;
  /** In bytes: 0 without a file, more than any file has if the size can't be read. */
  size(path: string): Promise<number>;
}

export interface FolderWatch {
  /**
   * Texts of the small JSON files in a folder whose names match, at once and after every change; broken JSON is being written
   * and never told. A file that is gone is told with undefined, if it was told before.
   */
  watch(
    folder: string,
    matches: (name: string) => boolean,
    onFile: (name: string, text: string | undefined) => void,
  ): Disposable;
}

export interface ProcessRef {
  readonly pid: number;
  /** ISO-8601. */
  readonly startedAt?: string | undefined;
  /** The kernel's own count since boot (Linux), which decides alone where it is known: no clock can move it. */
  readonly startTicks?: number | undefined;
}

export interface Processes {
  /** For each, in the same order: true only when it is proven not to live. */
  gone(ids: readonly ProcessRef[]): Promise<readonly boolean[]>;
  /** Both as forwarders name them in `_meta`; processes of another host or namespace can't be judged here. */
  readonly host: string;
  readonly pidNamespace: string | undefined;
}

export interface FoundFile {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly size: number;
}

export interface SessionRoot {
  readonly folder: string;
  readonly layout: TranscriptLayout;
}

export interface SessionFiles {
  /** Transcripts that were written to lately: at once, as new ones come, and when one that had been quiet is written to again. */
  watch(root: SessionRoot, onFile: (found: FoundFile) => void): Disposable;
}
