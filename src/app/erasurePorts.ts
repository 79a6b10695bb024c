import type { Erased } from '../protocol/reading.ts';

/** CNV-5: which sessions to erase, and what could bring them back. */
export interface Erasing {
  readonly sessions: readonly string[] | 'all';
  /** Length of each transcript in bytes, by `hashHex` of its path (a path would name the session). */
  readonly transcripts?: Readonly<Record<string, number>>;
  /** Names of the spool's files that were there. */
  readonly waiting?: readonly string[];
}

/** CNV-5: what earlier erasures took. Erasures are numbered, so no clock decides what came before one. */
export interface ErasedMarks {
  /** The number of the last complete erasure; 0 before the first. Numbers only rise. */
  count(): number;
  /** The number of the last erasure of this session or of everything; 0 if there was none. */
  of(sessionId: string): number;
  /** Did an erasure take stored data of this session? */
  had(sessionId: string): boolean;
  /** Length of this session's transcript at its erasure: these bytes are not read again. */
  bytesOf(sessionId: string, path: string): number;
  /** Whether this file of the spool was there then. */
  isWaiting(name: string): boolean;
}

export interface Erasure {
  readonly sessions: number;
  readonly events: number;
}

/** CNV-4: takes a session away wherever it is kept; without an id all that there is. */
export type Erase = (sessionId?: string) => Promise<Erased | 'unknown'>;
