import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import type { FolderWatch } from '../../app/sourcePorts.ts';
import { entryNames } from './entryNames.ts';
import type { FolderEvents } from './folderEvents.ts';
import { SetAside } from './gate.ts';
import type { GatedDisk } from './gatedDisk.ts';
import { identityOf, readSmall } from './regularFile.ts';

/** Ours have less than 1 KB. */
const FILE_MAX_BYTES = 64 * 1024;

/** One for each running agent, or for each sub-agent that a session ever had. */
const FILES_MAX = 2_000;

/** A writer truncates, then writes: the watch tells of both, and a read in between finds nothing or half of it. */
const RETRIES_MS = [20, 80] as const;

/** A change in the same tick of the file system's clock leaves no mark; the coarsest clocks tick every two seconds. */
const COARSE_TIME_MS = 3_000;

/** Private neighbours of the session files (SES-5). */
const PRIVATE_ENDING = '.key';

type OnFile = (name: string, text: string | undefined) => void;
type Matches = (name: string) => boolean;

/** `events` set the pace of looking for a folder that is not there. */
export function createFolderWatch(events: FolderEvents, log: Log, now: () => number = Date.now): FolderWatch {
  return {
    watch(folder, matches, onFile) {
      const tell: OnFile = (name, text) => {
        try {
          onFile(name, text);
        } catch (error) {
          log.error(`A session file could not be taken in: ${String(error)}`);
        }
      };
      return watchFiles(events, now, folder, (name) => !name.endsWith(PRIVATE_ENDING) && matches(name), tell);
    },
  };
}

interface Known {
  /** What tells one text from another; undefined if none was told. The texts themselves would be kept for nothing. */
  readonly digest: string | undefined;
  /** How the file looked before it was read; undefined when it may change and look the same. */
  readonly mark: string | undefined;
}

function watchFiles(
  events: FolderEvents,
  now: () => number,
  folder: string,
  matches: Matches,
  onFile: OnFile,
): Disposable {
  const { disk } = events;
  const known = new Map<string, Known>();
  /** To be looked at, with the number of looks that failed so far. */
  const due = new Map<string, number>();
  const retries = new Map<string, NodeJS.Timeout>();
  let all = false;
  let working = false;
  let disposed = false;

  async function work(): Promise<void> {
    working = true;
    while (!disposed && (all || due.size > 0)) {
      try {
        await step();
      } catch (error) {
        // Else all is told anew when the disk is back.
        if (!(error instanceof SetAside)) throw error;
      }
    }
    working = false;
  }

  async function step(): Promise<void> {
    if (all) {
      all = false;
      const there = await entryNames(disk, folder, FILES_MAX, (entry) => matches(entry.name));
      for (const name of [...known.keys(), ...there]) due.set(name, 0);
    }
    const [next] = due;
    if (!next) return;
    due.delete(next[0]);
    await look(...next);
  }

  async function look(name: string, failures: number): Promise<void> {
    clearTimeout(retries.get(name));
    retries.delete(name);
    const before = known.get(name);
    if (!before && known.size >= FILES_MAX) return;
    const file = path.join(folder, name);
    const found = await lookAt(disk, file);
    if (disposed) return;
    if (found === 'gone') {
      known.delete(name);
      if (before?.digest !== undefined) onFile(name, undefined);
      return;
    }
    const mark = found && markOf(found, now());
    if (mark !== undefined && mark === before?.mark) return;
    const text = found && found.size <= FILE_MAX_BYTES ? await readSmall(disk, file, FILE_MAX_BYTES) : undefined;
    if (disposed) return;
    const isWhole = text !== undefined && isJson(text);
    const digest = isWhole ? digestOf(text) : before?.digest;
    const isKnown = text !== undefined || (found && found.size > FILE_MAX_BYTES);
    known.set(name, { digest, mark: isKnown ? mark : undefined });
    if (!isWhole) retry(name, failures);
    else if (digest !== before?.digest) onFile(name, text);
  }

  function retry(name: string, failures: number): void {
    const pause = RETRIES_MS[failures];
    if (pause === undefined) return;
    const again = () => {
      retries.delete(name);
      if (!due.has(name)) due.set(name, failures + 1);
      poke();
    };
    retries.set(name, setTimeout(again, pause).unref());
  }

  function poke(): void {
    if (!working && !disposed) void work();
  }

  const listening = events.listen(folder, (name) => {
    if (name === undefined) all = true;
    else if (matches(name)) due.set(name, 0);
    else return;
    poke();
  });
  all = true;
  poke();
  return {
    dispose() {
      disposed = true;
      listening.dispose();
      retries.forEach((timer) => clearTimeout(timer));
    },
  };
}

/** Gone is only what is proven to be; a file that can't be looked at now is undefined. */
async function lookAt(disk: GatedDisk, file: string): Promise<BigIntStats | 'gone' | undefined> {
  try {
    const stats = await disk.lstat(file);
    return stats.isFile() ? stats : 'gone';
  } catch (error) {
    if (error instanceof SetAside) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : undefined;
  }
}

function markOf(stats: BigIntStats, now: number): string | undefined {
  const { size, mtimeMs, ctimeMs, mtimeNs, ctimeNs } = stats;
  if (now - Math.max(Number(mtimeMs), Number(ctimeMs)) < COARSE_TIME_MS) return undefined;
  return `${identityOf(stats).place}:${size}:${mtimeNs}:${ctimeNs}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
