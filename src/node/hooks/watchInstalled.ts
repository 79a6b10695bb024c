import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { VanishWatch } from '../../app/hooks/hookKit.ts';
import type { InstalledFile, InstallRecord, SettingsFiles } from '../../app/hooks/hookPorts.ts';
import type { HookSet } from '../../domain/hooks/hookSet.ts';
import { standingOf } from '../../domain/hooks/settingsEdit.ts';
import { lookAt } from './fileFacts.ts';

export interface VanishWatchParts {
  readonly record: Pick<InstallRecord, 'list'>;
  readonly files: Pick<SettingsFiles, 'read'>;
  /** What may have been installed there, the larger first: which of them it was shows while it is whole. */
  readonly setsFor: (installed: InstalledFile) => Promise<readonly HookSet[]>;
  /** HKI-5 allows 5 s from the writing to the telling. */
  readonly pollMs?: number;
  /** A program that rewrites a file does it in several steps. */
  readonly settleMs?: number;
}

interface Watched {
  readonly installed: InstalledFile;
  /** How the file looked when it was last read. */
  mark: string | undefined;
  /** The set that was seen to be whole. */
  seen: HookSet | undefined;
  /** The listeners know already. */
  told: boolean;
  settling: NodeJS.Timeout | undefined;
}

export function createVanishWatch({
  record,
  files,
  setsFor,
  pollMs = 2_000,
  settleMs = 500,
}: VanishWatchParts): VanishWatch {
  const listeners = new Set<(installed: InstalledFile) => void>();
  const watched = new Map<string, Watched>();
  const folders = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let disposed = false;

  async function poll(): Promise<void> {
    const recorded = await record.list();
    if (disposed) return;
    const named = new Map(recorded.map((installed) => [installed.file, installed]));
    for (const [file, entry] of watched) {
      const now = named.get(file);
      // Installed anew: what was told is settled.
      if (now?.at !== entry.installed.at) forget(file);
    }
    for (const [file, installed] of named) {
      if (!watched.has(file))
        watched.set(file, { installed, mark: undefined, seen: undefined, told: false, settling: undefined });
    }
    await Promise.all([...watched.values()].map(compare));
    if (!disposed) await watchFolders();
  }

  async function compare(entry: Watched): Promise<void> {
    const mark = await markOf(entry.installed.file);
    if (disposed || mark === entry.mark) return;
    entry.mark = mark;
    settle(entry);
  }

  /** Each change puts the reading off, but not the one that is waiting already: a busy writer must not hide what it did. */
  function settle(entry: Watched): void {
    if (entry.settling || disposed) return;
    entry.settling = setTimeout(() => {
      entry.settling = undefined;
      void examine(entry).catch(() => undefined);
    }, settleMs).unref();
  }

  async function examine(entry: Watched): Promise<void> {
    const { installed } = entry;
    entry.mark = await markOf(installed.file);
    const content = await files.read(installed.file);
    if (content.kind === 'unreadable') return;
    const text = content.kind === 'text' ? content.text : undefined;
    const lacking = lackingOf(text, await setsFor(installed), entry);
    if (lacking === undefined) return;
    if (!lacking) {
      entry.told = false;
      return;
    }
    // Between our own removal and its note in the record a moment passes.
    const isRecorded = (await record.list()).some(({ file, at }) => file === installed.file && at === installed.at);
    if (!isRecorded || entry.told || disposed) return;
    entry.told = true;
    for (const listener of listeners) listener(installed);
  }

  async function watchFolders(): Promise<void> {
    const wanted = new Set<string>();
    for (const { installed } of watched.values()) {
      wanted.add(path.dirname(installed.file));
      const behind = await lookAt(installed.file).catch(() => undefined);
      if (behind) wanted.add(path.dirname(behind.target));
    }
    if (disposed) return;
    for (const [folder, watcher] of folders) if (!wanted.has(folder)) stopWatching(folder, watcher);
    for (const folder of wanted) if (!folders.has(folder)) startWatching(folder);
  }

  function startWatching(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        for (const entry of watched.values()) void compare(entry);
      });
      // A folder that is removed ends its watch; another one in its place is found at the next poll.
      watcher.on('error', () => stopWatching(folder, watcher));
      folders.set(folder, watcher);
    } catch {
      // Not there, or no more watches to give: it is looked at every few seconds all the same.
    }
  }

  function stopWatching(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (folders.get(folder) === watcher) folders.delete(folder);
  }

  function forget(file: string): void {
    clearTimeout(watched.get(file)?.settling);
    watched.delete(file);
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      void poll()
        .catch(() => undefined)
        .finally(() => {
          if (!disposed) schedule(pollMs);
        });
    }, afterMs).unref();
  }

  schedule(0);
  return {
    onVanished(listener) {
      const own = (installed: InstalledFile) => listener(installed);
      listeners.add(own);
      return { dispose: () => void listeners.delete(own) };
    },
    dispose() {
      disposed = true;
      clearTimeout(timer);
      for (const file of [...watched.keys()]) forget(file);
      for (const [folder, watcher] of folders) stopWatching(folder, watcher);
      listeners.clear();
    },
  };
}

/** Whether something of what was installed is missing; undefined for a broken text, which a person may be editing just now. */
function lackingOf(text: string | undefined, sets: readonly HookSet[], entry: Watched): boolean | undefined {
  for (const set of sets) {
    const standing = standingOf(text, set);
    if (!('state' in standing)) return undefined;
    if (standing.state !== 'absent' && standing.missing.length === 0) {
      // One that lacks what a larger one had did not become whole by that.
      const isSmaller = entry.seen !== undefined && set.entries.length < entry.seen.entries.length;
      if (isSmaller) continue;
      entry.seen = set;
      return false;
    }
  }
  return sets.length > 0;
}

async function markOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    (error: NodeJS.ErrnoException) => `none:${error.code ?? ''}`,
  );
}
