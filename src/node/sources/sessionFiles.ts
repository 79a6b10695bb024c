import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Disposable, Log } from '../../app/ports.ts';
import type { SessionFiles, SessionRoot } from '../../app/sourcePorts.ts';
import type { Disk } from './disk.ts';
import { entryNames } from './entryNames.ts';
import { SetAside, unlessSetAside } from './gate.ts';
import { createGatedDisk } from './gatedDisk.ts';

type OnFile = Parameters<SessionFiles['watch']>[1];

export interface SessionFilesOptions {
  readonly now?: () => number;
  /** Between two rounds. */
  readonly roundMs?: number;
  readonly disk?: Disk;
  /** Transcripts that are looked at; the oldest of more are only known by name. */
  readonly filesMax?: number;
  /** Names that are known at all. */
  readonly namesMax?: number;
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
const NAMES_MAX = 200_000;

/** Let go at once, as finding the oldest means sorting all. */
const LET_GO_SHARE = 0.1;

/** Told in a round, each being read by whoever listens: a copied folder is all new and none of it is urgent. */
const TOLD_MAX = 200;

const DAY_MS = 24 * 60 * 60_000;

/** By looking, as watching thousands of folders would use up what the system gives out; a hook tells of a new session sooner. */
export function createSessionFiles(log: Log, options: SessionFilesOptions = {}): SessionFiles {
  const { now = Date.now, roundMs = ROUND_MS, disk = createGatedDisk(log) } = options;
  const { filesMax = FILES_MAX, namesMax = NAMES_MAX } = options;
  let warned = false;
  const onFull = () => {
    if (!warned) log.warn(`There are more than ${namesMax} transcripts; new ones may be seen by their hooks only.`);
    warned = true;
  };
  const onError = (error: unknown) => log.error(`The look for sessions failed: ${String(error)}`);
  return {
    watch(root, onFile) {
      let timer: NodeJS.Timeout | undefined;
      const search = createSearch({ ...root, disk, now, filesMax, namesMax, onFull }, onFile);
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

interface SearchOptions extends SessionRoot {
  readonly disk: Disk;
  readonly now: () => number;
  readonly filesMax: number;
  readonly namesMax: number;
  readonly onFull: () => void;
}

interface Seen {
  /** NEVER before the first look. */
  modifiedAt: number;
}
interface SeenFolder extends Seen {
  /** Its own time of change when its names were read. */
  readAs: number;
  /** By name. */
  readonly files: Map<string, SeenFile>;
  /** Names of files too old to be looked at among so many. */
  readonly letGo: Set<string>;
}
interface SeenFile extends Seen {
  readonly path: string;
  size: number;
  told: boolean;
}

const NEVER = Infinity;
const UNREAD = -1;

/** All looks of a search are made one after the other. */
function createSearch(options: SearchOptions, onFile: OnFile): Search {
  const { folder: root, layout, disk, now, filesMax, namesMax, onFull } = options;
  const folders = new Map<string, SeenFolder>();
  const files = new Map<string, SeenFile>();
  const untold = new Set<SeenFile>();
  const dueFolders = inTurns();
  const dueFiles = inTurns();
  let rootReadAs = UNREAD;
  let letGo = 0;
  let disposed = false;

  async function listProjects(): Promise<void> {
    const modifiedAt = await folderTime(disk, root);
    if (modifiedAt !== undefined && modifiedAt === rootReadAs) return;
    const readAs = readingOf(modifiedAt, now());
    // A project's folder may be a link; what is none is found out by looking at it.
    const names = await entryNames(disk, root, FOLDERS_MAX, (entry) => entry.isDirectory() || entry.isSymbolicLink());
    rootReadAs = readAs;
    setFolders(names.map((name) => path.join(root, name)));
  }

  function setFolders(paths: readonly string[]): void {
    const wanted = new Set(paths);
    for (const [folder, seen] of folders) {
      if (wanted.has(folder)) continue;
      folders.delete(folder);
      seen.files.forEach(forget);
      letGo -= seen.letGo.size;
    }
    for (const folder of wanted) {
      if (folders.has(folder)) continue;
      folders.set(folder, { modifiedAt: NEVER, readAs: UNREAD, files: new Map(), letGo: new Set() });
    }
  }

  function forget(file: SeenFile): void {
    files.delete(file.path);
    untold.delete(file);
  }

  async function lookAtFolder(folder: string, seen: SeenFolder): Promise<void> {
    const modifiedAt = await folderTime(disk, folder);
    seen.modifiedAt = modifiedAt ?? 0;
    if (modifiedAt !== undefined && modifiedAt === seen.readAs) return;
    const readAs = readingOf(modifiedAt, now());
    const names = await entryNames(disk, folder, namesMax + 1, ({ name }) => isTranscript(name, layout));
    seen.readAs = readAs;
    setFiles(folder, seen, new Set(names));
    for (const file of seen.files.values()) if (file.modifiedAt === NEVER) await lookAtFile(file);
  }

  function setFiles(folder: string, seen: SeenFolder, names: ReadonlySet<string>): void {
    for (const [name, file] of seen.files) {
      if (names.has(name)) continue;
      seen.files.delete(name);
      forget(file);
    }
    for (const name of seen.letGo) if (!names.has(name) && seen.letGo.delete(name)) letGo--;
    for (const name of names) {
      if (seen.files.has(name) || seen.letGo.has(name)) continue;
      if (files.size + letGo >= namesMax) return onFull();
      const file = { path: path.join(folder, name), modifiedAt: NEVER, size: 0, told: false };
      seen.files.set(name, file);
      files.set(file.path, file);
    }
  }

  function letOldestGo(): void {
    const times = [...files.values()].map((file) => file.modifiedAt).sort((a, b) => a - b);
    let excess = files.size - Math.floor(filesMax * (1 - LET_GO_SHARE));
    const newest = times[excess - 1] ?? 0;
    for (const seen of folders.values()) {
      for (const [name, file] of seen.files) {
        if (file.modifiedAt > newest || excess === 0) continue;
        excess--;
        letGo++;
        seen.files.delete(name);
        seen.letGo.add(name);
        forget(file);
      }
    }
  }

  async function lookAtFile(file: SeenFile): Promise<void> {
    if (disposed) return;
    const stats = await disk.lstat(file.path).catch(unlessSetAside);
    file.modifiedAt = stats?.isFile() ? timeOf(stats) : 0;
    file.size = Number(stats?.size ?? 0);
    if (!isFresh(file)) file.told = false;
    else if (!file.told) untold.add(file);
  }

  function isFresh({ modifiedAt }: SeenFile): boolean {
    return now() - modifiedAt <= LATELY_MS;
  }

  function tellNewest(): void {
    for (const file of untold) if (!isFresh(file)) untold.delete(file);
    const newest = [...untold].sort((a, b) => b.modifiedAt - a.modifiedAt).slice(0, TOLD_MAX);
    for (const file of newest) {
      if (disposed) return;
      untold.delete(file);
      file.told = true;
      onFile({ path: file.path, modifiedAt: file.modifiedAt, size: file.size });
    }
  }

  return {
    async round() {
      if (layout === 'dated') setFolders(dayFolders(root, now()));
      else await whatAnswers(listProjects());
      for (const [folder, seen] of dueFolders(folders, now())) {
        if (!disposed) await whatAnswers(lookAtFolder(folder, seen));
      }
      for (const [, file] of dueFiles(files, now())) if (!disposed) await whatAnswers(lookAtFile(file));
      if (files.size > filesMax) letOldestGo();
      tellNewest();
    },
    stopped: () => disposed,
    dispose() {
      disposed = true;
    },
  };
}

/** What the disk does not answer for stays as it was seen. */
async function whatAnswers(look: Promise<void>): Promise<void> {
  await look.catch((error: unknown) => {
    if (!(error instanceof SetAside)) throw error;
  });
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

async function folderTime(disk: Disk, folder: string): Promise<number | undefined> {
  const stats = await disk.stat(folder).catch(unlessSetAside);
  return stats?.isDirectory() ? timeOf(stats) : undefined;
}

/** As fine as the file system's own. */
function timeOf({ mtimeNs }: BigIntStats): number {
  return Number(mtimeNs) / 1_000_000;
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
