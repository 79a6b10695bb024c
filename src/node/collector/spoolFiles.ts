import path from 'node:path';
import { thisAccount } from '../../../forwarder/home.ts';
import { DROPPED_FILE_NAME, HAND_OVER_ENDING, spooledAt } from '../../protocol/handOver.ts';
import { BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { SpoolDisk, SpoolStats } from './spoolDisk.ts';

/** A forwarder's event: what `/ingest` takes, and its line's end. */
export const EVENT_MAX_BYTES = BODY_MAX_BYTES + 1;

/** The entry takes payloads of 8 MB (FWD-11), whose letters may take two bytes each; what is larger was made by no agent. */
export const HAND_OVER_MAX_BYTES = 16 * 1024 * 1024;

/** Parsing and cutting the worst of this size takes 60 ms; what is larger is taken alone, and not on this thread. */
export const LARGE_BYTES = 512 * 1024;

/** Of what is too large: the head's few kilobytes, and what agents write before the contents. */
export const START_BYTES = 256 * 1024;

/** How many are looked at side by side. */
const AT_ONCE = 100;

/** Sorting this many takes 5 ms; the whole of a large spool at once would hold up the editor. */
const SORTED_AT_ONCE = 4_000;

const DRAFT_ENDING = '.tmp';

export interface SpoolFile {
  readonly name: string;
  readonly path: string;
  readonly kind: 'event' | 'hand-over';
  /** When its event happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly size: number;
  /** Of its last change. */
  readonly changed: number;
  readonly ino: number;
}

export interface Listed {
  /** Each oldest first; see `oldestFirst`. */
  readonly runs: readonly (readonly SpoolFile[])[];
  readonly count: number;
  readonly bytes: number;
  /** Names of what forwarders are writing, or were when they were killed. */
  readonly drafts: readonly string[];
  /** Folders, pipes, links, and files of other accounts. */
  readonly strange: readonly string[];
  /** Whether somebody has dropped something. */
  readonly hasDropped: boolean;
}

/** A forwarder renames its file into place when it is whole, so what else begins with a dot is no business of ours. */
export function isSpooled(name: string): boolean {
  return name.endsWith(HAND_OVER_ENDING) || (name.endsWith('.json') && !name.startsWith('.'));
}

export async function listSpool(disk: SpoolDisk, folder: string, self = thisAccount()): Promise<Listed> {
  const names = await disk.names(folder);
  const spooled = names.filter(isSpooled);
  const runs: SpoolFile[][] = [];
  const strange: string[] = [];
  let run: SpoolFile[] = [];
  let [count, bytes] = [0, 0];
  for (let i = 0; i < spooled.length; i += AT_ONCE) {
    const part = spooled.slice(i, i + AT_ONCE);
    const looked = await Promise.all(part.map((name) => lookAt(disk, path.join(folder, name))));
    for (const [index, name] of part.entries()) {
      const stats = looked[index];
      if (!stats) continue;
      if (stats.kind !== 'file' || (self !== 'any' && stats.uid !== self)) {
        strange.push(name);
        continue;
      }
      run.push(spoolFile(folder, name, stats));
      count++;
      bytes += stats.size;
    }
    if (run.length >= SORTED_AT_ONCE || i + AT_ONCE >= spooled.length) {
      runs.push(run.sort(byMoment));
      run = [];
    }
  }
  return {
    runs,
    count,
    bytes,
    strange,
    drafts: names.filter((name) => name.startsWith('.') && name.endsWith(DRAFT_ENDING)),
    hasDropped: names.includes(DROPPED_FILE_NAME) || names.some(isTakenCount),
  };
}

/** A count that a ledger has taken out of the forwarders' reach; its name is said once only. */
export function isTakenCount(name: string): boolean {
  return /^dropped\.[0-9a-f-]{36}\.taken$/.test(name);
}

/** FWD-6: all of them by the moment of each, a few at a time. */
export function* oldestFirst(runs: Listed['runs']): Generator<SpoolFile> {
  const next = runs.map(() => 0);
  for (;;) {
    let best: SpoolFile | undefined;
    let from = -1;
    for (const [index, run] of runs.entries()) {
      const file = run[next[index] ?? 0];
      if (file && (!best || byMoment(file, best) < 0)) [best, from] = [file, index];
    }
    if (!best) return;
    next[from] = (next[from] ?? 0) + 1;
    yield best;
  }
}

function byMoment(a: SpoolFile, b: SpoolFile): number {
  return a.at - b.at || (a.name < b.name ? -1 : 1);
}

function spoolFile(folder: string, name: string, stats: SpoolStats): SpoolFile {
  return {
    name,
    path: path.join(folder, name),
    kind: name.endsWith(HAND_OVER_ENDING) ? 'hand-over' : 'event',
    at: spooledAt(name, stats),
    size: stats.size,
    changed: stats.mtimeMs,
    ino: stats.ino,
  };
}

/** Undefined when it is gone: the shell that wrote it took it back, or its forwarder has delivered it. */
function lookAt(disk: SpoolDisk, file: string): Promise<SpoolStats | undefined> {
  return disk.look(file).catch(() => undefined);
}

/** Undefined when it can't be read; empty when it is too large. */
export async function readSpooled(disk: SpoolDisk, file: string, maxBytes: number): Promise<string | undefined> {
  return disk.read(file, maxBytes).catch((error: unknown) => (errorCode(error) === 'EFBIG' ? '' : undefined));
}
