import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Loss, VanishWatch } from '../../app/hooks/hookKit.ts';
import type { InstalledFile, InstallRecord, SettingsFiles, SettingsFolders } from '../../app/hooks/hookPorts.ts';
import type { HookSet } from '../../domain/hooks/hookSet.ts';
import { standingOf } from '../../domain/hooks/settingsEdit.ts';
import { lookAt } from './fileFacts.ts';
import { hasTraces } from './removeHooks.ts';

export interface VanishWatchParts {
  readonly record: Pick<InstallRecord, 'list' | 'quieten'>;
  readonly files: Pick<SettingsFiles, 'read'>;
  readonly folders: Pick<SettingsFolders, 'isThere'>;
  /** What may have been installed there, the larger first: which of them it was shows while it is whole. */
  readonly setsFor: (installed: InstalledFile) => Promise<readonly HookSet[]>;
  /** HKI-5 allows 5 s from the writing to the telling. */
  readonly pollMs?: number;
  /** A program that rewrites a file does it in several steps. */
  readonly settleMs?: number;
  /** A person who edits the file leaves it broken for a while. */
  readonly brokenMs?: number;
}

interface Watched {
  installed: InstalledFile;
  /** How the file looked when it was last read. */
  mark: string | undefined;
  /** The set that was seen to be whole. */
  seen: HookSet | undefined;
  /** What the listeners know already. */
  told: Loss | undefined;
  settling: NodeJS.Timeout | undefined;
  /** Runs while the file stays broken. */
  breaking: NodeJS.Timeout | undefined;
}

export function createVanishWatch({
  record,
  files,
  folders: settingsFolders,
  setsFor,
  pollMs = 2_000,
  settleMs = 500,
  brokenMs = 8_000,
}: VanishWatchParts): VanishWatch {
  const listeners = new Set<(installed: InstalledFile, loss: Loss) => void>();
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
      const entry = watched.get(file);
      if (entry) entry.installed = installed;
      else watched.set(file, newlyWatched(installed));
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
    const found = await look(entry);
    if (disposed || found === undefined) return;
    if (found !== 'broken') stopBreaking(entry);
    if (found === 'broken') awaitMending(entry);
    else if (found === 'whole') await settled(entry);
    else await tell(entry, found);
  }

  /** Undefined: nothing can be said of it now. */
  async function look(entry: Watched): Promise<Loss | 'whole' | undefined> {
    const { file } = entry.installed;
    entry.mark = await markOf(file);
    const content = await files.read(file);
    if (content.kind === 'unreadable') return undefined;
    return stateOf(content.kind === 'text' ? content.text : undefined, await setsFor(entry.installed), entry);
  }

  async function settled(entry: Watched): Promise<void> {
    entry.told = undefined;
    if (entry.installed.quiet === true) await record.quieten(entry.installed.file, false);
  }

  function awaitMending(entry: Watched): void {
    entry.breaking ??= setTimeout(() => {
      entry.breaking = undefined;
      void look(entry)
        .then((found) => (found === 'broken' ? tell(entry, found) : settle(entry)))
        .catch(() => undefined);
    }, brokenMs).unref();
  }

  function stopBreaking(entry: Watched): void {
    clearTimeout(entry.breaking);
    entry.breaking = undefined;
  }

  async function tell(entry: Watched, loss: Loss): Promise<void> {
    const { file, at, project } = entry.installed;
    // Between our own removal and its note in the record a moment passes.
    const recorded = (await record.list()).find((one) => one.file === file && one.at === at);
    if (!recorded || recorded.quiet === true) return;
    // Nobody misses hooks in a project that was deleted.
    if (project !== undefined && !(await settingsFolders.isThere(project))) return;
    // Of a file that was broken it is not known yet that it is mended without ours.
    const isKnown = entry.told !== undefined && !(entry.told === 'broken' && loss !== 'broken');
    if (isKnown || disposed) return;
    entry.told = loss;
    for (const listener of listeners) listener(recorded, loss);
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
    clearTimeout(watched.get(file)?.breaking);
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
      const own = (installed: InstalledFile, loss: Loss) => listener(installed, loss);
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

function newlyWatched(installed: InstalledFile): Watched {
  return {
    installed,
    mark: undefined,
    seen: undefined,
    told: undefined,
    settling: undefined,
    breaking: undefined,
  };
}

/** Undefined for a broken text that ours are in: a person may be editing it just now. */
function stateOf(
  text: string | undefined,
  sets: readonly HookSet[],
  entry: Pick<Watched, 'seen'>,
): Loss | 'whole' | undefined {
  for (const set of sets) {
    const standing = standingOf(text, set);
    if (!('state' in standing)) return hasTraces(text ?? '') ? undefined : 'broken';
    if (standing.state !== 'absent' && standing.missing.length === 0) {
      // One that lacks what a larger one had did not become whole by that.
      const isSmaller = entry.seen !== undefined && set.entries.length < entry.seen.entries.length;
      if (isSmaller) continue;
      entry.seen = set;
      return 'whole';
    }
  }
  return text === undefined ? 'missing' : 'rewritten';
}

async function markOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
    (error: NodeJS.ErrnoException) => `none:${error.code ?? ''}`,
  );
}
