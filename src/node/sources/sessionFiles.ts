import { lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import type { SessionFiles, SessionRoot } from '../../app/sourcePorts.ts';
import { entryNames } from './entryNames.ts';

type OnFile = Parameters<SessionFiles['watch']>[1];

export interface SessionFilesOptions {
  readonly now?: () => number;
  /** Between two rounds. */
  readonly roundMs?: number;
}

const ROUND_MS = 5_000;

/** A transcript that nobody wrote to for longer belongs to nobody who works. */
const LATELY_MS = 10 * 60_000;

/** What was touched within a day is looked at in every round, the rest in turns: thousands of old ones cost a hundred looks. */
const WARM_MS = 24 * 60 * 60_000;
const LOOKS_MAX = 100;

/** A time in whole seconds can't tell whether something came after we read the folder. */
const COARSE_TIME_MS = 3_000;

const FOLDERS_MAX = 20_000;
const FILES_MAX = 50_000;
const DAY_MS = 24 * 60 * 60_000;

/** By looking, as watching thousands of folders would use up what the system gives out; a hook tells of a new session sooner. */
export function createSessionFiles(log: Log, options: SessionFilesOptions = {}): SessionFiles {
  const { now = Date.now, roundMs = ROUND_MS } = options;
  const onError = (error: unknown) => log.error(`The look for sessions failed: ${String(error)}`);
  return {
    watch(root, onFile) {
      let timer: NodeJS.Timeout | undefined;
      const search = createSearch(root, now, onFile);
      const begin = () => void rounds();
      async function rounds(): Promise<void> {
        await search.round().catch(onError);
        if (!search.stopped()) timer = setTimeout(begin, roundMs).unref();
      }
      begin();
      return {
        dispose() {
          search.dispose();
          clearTimeout(timer);
        },
      };
    },
  };
}

interface Search extends Disposable {
  round(): Promise<void>;
  stopped(): boolean;
}

interface Seen {
  /** NEVER before the first look. */
  modifiedAt: number;
}
interface SeenFolder extends Seen {
  /** Its own time of change when its names were read. */
  readAs: number;
  readonly files: Map<string, SeenFile>;
}
interface SeenFile extends Seen {
  told: boolean;
}

const NEVER = Infinity;
const UNREAD = -1;

/** All looks of a search are made one after the other, so that it holds one thread at most. */
function createSearch({ folder: root, layout }: SessionRoot, now: () => number, onFile: OnFile): Search {
  const folders = new Map<string, SeenFolder>();
  const files = new Map<string, SeenFile>();
  const dueFolders = inTurns();
  const dueFiles = inTurns();
  let rootReadAs = UNREAD;
  let disposed = false;

  async function listProjects(): Promise<void> {
    const modifiedAt = await folderTime(root);
    if (modifiedAt !== undefined && modifiedAt === rootReadAs) return;
    rootReadAs = readingOf(modifiedAt, now());
    // A project's folder may be a link; what is none is found out by looking at it.
    const names = await entryNames(root, FOLDERS_MAX, (entry) => entry.isDirectory() || entry.isSymbolicLink());
    setFolders(names.map((name) => path.join(root, name)));
  }

  function setFolders(paths: readonly string[]): void {
    const wanted = new Set(paths);
    for (const [folder, seen] of folders) {
      if (wanted.has(folder)) continue;
      folders.delete(folder);
      for (const file of seen.files.keys()) files.delete(file);
    }
    for (const folder of wanted) {
      if (!folders.has(folder)) folders.set(folder, { modifiedAt: NEVER, readAs: UNREAD, files: new Map() });
    }
  }

  async function lookAtFolder(folder: string, seen: SeenFolder): Promise<void> {
    const modifiedAt = await folderTime(folder);
    seen.modifiedAt = modifiedAt ?? 0;
    if (modifiedAt !== undefined && modifiedAt === seen.readAs) return;
    seen.readAs = readingOf(modifiedAt, now());
    const names = await entryNames(folder, FILES_MAX, ({ name }) => isTranscript(name, layout));
    setFiles(seen, new Set(names.map((name) => path.join(folder, name))));
    for (const [file, entry] of seen.files) {
      if (entry.modifiedAt === NEVER) await lookAtFile(file, entry);
    }
  }

  function setFiles(seen: SeenFolder, wanted: ReadonlySet<string>): void {
    for (const file of seen.files.keys()) {
      if (wanted.has(file)) continue;
      seen.files.delete(file);
      files.delete(file);
    }
    for (const file of wanted) {
      if (seen.files.has(file) || files.size >= FILES_MAX) continue;
      const entry = { modifiedAt: NEVER, told: false };
      seen.files.set(file, entry);
      files.set(file, entry);
    }
  }

  async function lookAtFile(file: string, seen: SeenFile): Promise<void> {
    if (disposed) return;
    const stats = await lstat(file).catch(() => undefined);
    seen.modifiedAt = stats?.isFile() ? stats.mtimeMs : 0;
    const lately = now() - seen.modifiedAt <= LATELY_MS;
    const news = lately && !seen.told;
    seen.told = lately;
    if (stats && news && !disposed) onFile({ path: file, modifiedAt: stats.mtimeMs, size: stats.size });
  }

  return {
    async round() {
      if (layout === 'dated') setFolders(dayFolders(root, now()));
      else await listProjects();
      for (const [folder, seen] of dueFolders(folders, now())) if (!disposed) await lookAtFolder(folder, seen);
      for (const [file, seen] of dueFiles(files, now())) await lookAtFile(file, seen);
    },
    stopped: () => disposed,
    dispose() {
      disposed = true;
    },
  };
}

/** All that were never looked at, those touched within a day, and the next few of the rest. */
export function inTurns(): <T extends Seen>(all: ReadonlyMap<string, T>, now: number) => readonly [string, T][] {
  let start = 0;
  return <T extends Seen>(all: ReadonlyMap<string, T>, now: number) => {
    if (start >= all.size) start = 0;
    const due: [string, T][] = [];
    let index = 0;
    let warm = 0;
    for (const [name, seen] of all) {
      const isNext = index >= start && index < start + LOOKS_MAX;
      const isWarm = now - seen.modifiedAt <= WARM_MS && warm < LOOKS_MAX;
      if (isWarm) warm++;
      if (isNext || isWarm || seen.modifiedAt === NEVER) due.push([name, seen]);
      index++;
    }
    start += LOOKS_MAX;
    return due;
  };
}

async function folderTime(folder: string): Promise<number | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.isDirectory() ? stats.mtimeMs : undefined;
}

function readingOf(modifiedAt: number | undefined, now: number): number {
  return modifiedAt === undefined || now - modifiedAt < COARSE_TIME_MS ? UNREAD : modifiedAt;
}

/** Older versions keep their sub-agents' files beside the main one. */
function isTranscript(name: string, layout: SessionRoot['layout']): boolean {
  if (!name.endsWith('.jsonl')) return false;
  return layout === 'dated' ? name.startsWith('rollout-') : !name.startsWith('agent-');
}

/** Today and yesterday, here and in UTC: a session goes on past midnight in the folder it began in. */
export function dayFolders(root: string, now: number): readonly string[] {
  const days = [now, now - DAY_MS].flatMap((time) => {
    const date = new Date(time);
    return [
      [date.getFullYear(), date.getMonth() + 1, date.getDate()],
      [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()],
    ];
  });
  return [...new Set(days.map((day) => path.join(root, ...day.map((part) => String(part).padStart(2, '0')))))];
}
