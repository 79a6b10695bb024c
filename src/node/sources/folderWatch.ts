import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import type { FolderWatch } from '../../app/sourcePorts.ts';
import { entryNames } from './entryNames.ts';
import type { FolderEvents } from './folderEvents.ts';
import { readSmall } from './regularFile.ts';

/** Ours have less than 1 KB. */
const FILE_MAX_BYTES = 64 * 1024;

/** One for each running agent, or for each sub-agent that a session ever had. */
const FILES_MAX = 2_000;

/** A writer truncates, then writes: the watch tells of both, and a read in between finds nothing or half of it. */
const RETRIES_MS = [20, 80] as const;

/** Private neighbours of the session files (SES-5). */
const PRIVATE_ENDING = '.key';

type OnFile = (name: string, text: string | undefined) => void;
type Matches = (name: string) => boolean;

/** `events` set the pace of looking for a folder that is not there. */
export function createFolderWatch(events: FolderEvents, log: Log): FolderWatch {
  return {
    watch(folder, matches, onFile) {
      const tell: OnFile = (name, text) => {
        try {
          onFile(name, text);
        } catch (error) {
          log.error(`A session file could not be taken in: ${String(error)}`);
        }
      };
      return watchFiles(events, folder, (name) => !name.endsWith(PRIVATE_ENDING) && matches(name), tell);
    },
  };
}

function watchFiles(events: FolderEvents, folder: string, matches: Matches, onFile: OnFile): Disposable {
  /** Names, and what tells one text from another: the texts themselves would be kept for nothing. */
  const told = new Map<string, string>();
  /** To be looked at, with the number of looks that failed so far. */
  const due = new Map<string, number>();
  const retries = new Map<string, NodeJS.Timeout>();
  let all = false;
  let working = false;
  let disposed = false;

  async function work(): Promise<void> {
    working = true;
    while (!disposed) {
      if (all) {
        all = false;
        for (const name of [...told.keys(), ...(await entryNames(folder, FILES_MAX, (entry) => matches(entry.name)))])
          due.set(name, 0);
      }
      const [next] = due;
      if (!next) break;
      due.delete(next[0]);
      await look(...next);
    }
    working = false;
  }

  async function look(name: string, failures: number): Promise<void> {
    clearTimeout(retries.get(name));
    retries.delete(name);
    if (!told.has(name) && told.size >= FILES_MAX) return;
    const file = path.join(folder, name);
    const text = await readSmall(file, FILE_MAX_BYTES);
    const gone = text === undefined && (await isGone(file));
    if (disposed) return;
    if (gone) {
      if (told.delete(name)) onFile(name, undefined);
    } else if (text === undefined || !isJson(text)) {
      retry(name, failures);
    } else if (told.get(name) !== digestOf(text)) {
      told.set(name, digestOf(text));
      onFile(name, text);
    }
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

/** Only what is proven: a file that can't be read now is not gone. */
async function isGone(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => !stats.isFile(),
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || error.code === 'ENOTDIR',
  );
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
