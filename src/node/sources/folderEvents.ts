import { type BigIntStats, watch } from 'node:fs';
import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import { SetAside } from './gate.ts';
import { createGatedDisk, type GatedDisk } from './gatedDisk.ts';
import { type Identity, identityOf, isSame } from './regularFile.ts';

export interface FolderEvents {
  /** Whoever listens reads through it too, so that one gate stands before all. */
  readonly disk: GatedDisk;
  /**
   * Tells the name of each entry that changed, or undefined when anything may have: once watching has begun, whenever the
   * folder itself went or came, at every poll, and when a disk that had not answered is back.
   */
  listen(folder: string, onEvent: (name: string | undefined) => void): Disposable;
}

export interface Pace {
  /** TRN-1: for file systems and moments where watching misses something. */
  readonly watchedMs: number;
  /** While the folder is not there, or the system has no more watches to give. */
  readonly unwatchedMs: number;
}

export type StartWatching = (
  folder: string,
  onName: (name: string | null) => void,
  onError: (error: NodeJS.ErrnoException) => void,
) => { close(): void };

/** One watch for each folder, however many listen: systems give out few. The folder and not the file, for a file may be replaced. */
export function createFolderEvents(
  log: Log,
  pace: Pace = { watchedMs: 15_000, unwatchedMs: 2_000 },
  startWatching: StartWatching = startNodeWatch,
  disk: GatedDisk = createGatedDisk(log),
): FolderEvents {
  const folders = new Map<string, WatchedFolder>();
  const told = new Set<string>();

  function tellTrouble(error: unknown): void {
    const code = String((error as NodeJS.ErrnoException).code ?? error);
    // A folder that goes between the look and the watch is no trouble.
    if (code === 'ENOENT' || told.has(code)) return;
    told.add(code);
    log.warn(`A folder can't be watched (${code}); such folders are looked at every ${pace.unwatchedMs} ms instead.`);
  }

  disk.onBack(() => folders.forEach((watched) => watched.check()));
  return {
    disk,
    listen(folder, onEvent) {
      const watched = folders.get(folder) ?? watchFolder(disk, folder, pace, startWatching, tellTrouble);
      folders.set(folder, watched);
      // Wrapped, so that the same function may listen twice.
      const listener = (name: string | undefined) => onEvent(name);
      watched.listeners.add(listener);
      return {
        dispose() {
          watched.listeners.delete(listener);
          if (watched.listeners.size > 0 || folders.get(folder) !== watched) return;
          folders.delete(folder);
          watched.close();
        },
      };
    },
  };
}

interface WatchedFolder {
  readonly listeners: Set<(name: string | undefined) => void>;
  check(): void;
  close(): void;
}

function watchFolder(
  disk: GatedDisk,
  folder: string,
  pace: Pace,
  startWatching: StartWatching,
  tellTrouble: (error: unknown) => void,
): WatchedFolder {
  const listeners: WatchedFolder['listeners'] = new Set();
  let watcher: { close(): void } | undefined;
  let watching: Identity | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checking = false;
  let again = false;
  let closed = false;

  const tell = (name: string | undefined) => listeners.forEach((listener) => listener(name));

  function stopWatching(): void {
    watcher?.close();
    watcher = undefined;
  }

  function begin(found: Identity): void {
    watching = found;
    try {
      const started = startWatching(
        folder,
        (name) => {
          if (watcher === started) onName(name);
        },
        (error) => {
          if (watcher !== started) return;
          tellTrouble(error);
          stopWatching();
          schedule();
        },
      );
      watcher = started;
    } catch (error) {
      tellTrouble(error);
    }
  }

  function onName(name: string | null): void {
    // A folder that is removed or moved is told by its own name; its watch is dead, even if another one takes its place.
    if (name === path.basename(folder)) {
      stopWatching();
      check();
    }
    tell(name ?? undefined);
  }

  async function compare(): Promise<void> {
    const answer = await lookAt(disk, folder);
    // Without an answer, what was watched is watched on; the disk's return is told.
    if (closed || !answer) return;
    const { stats } = answer;
    const found = stats?.isDirectory() ? identityOf(stats) : undefined;
    if (watcher && watching && found && isSame(watching, found)) watching = found;
    else stopWatching();
    if (!watcher && found) begin(found);
    tell(undefined);
  }

  function check(): void {
    again = checking;
    if (checking) return;
    checking = true;
    void compare().finally(() => {
      checking = false;
      if (closed) return;
      if (again) check();
      else schedule();
    });
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(check, watcher ? pace.watchedMs : pace.unwatchedMs).unref();
  }

  check();
  return {
    listeners,
    check,
    close() {
      closed = true;
      clearTimeout(timer);
      stopWatching();
    },
  };
}

/** Without stats when there is nothing; undefined when the disk did not answer. */
async function lookAt(disk: GatedDisk, folder: string): Promise<{ readonly stats?: BigIntStats } | undefined> {
  return disk.stat(folder).then(
    (stats) => ({ stats }),
    (error: unknown) => (error instanceof SetAside ? undefined : {}),
  );
}

const startNodeWatch: StartWatching = (folder, onName, onError) =>
  watch(folder, { persistent: false }, (_event, name) => onName(name)).on('error', onError);
