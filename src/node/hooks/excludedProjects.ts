import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { ExcludedProjects } from '../../app/hooks/hookKit.ts';
import type { Disposable, Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode, nodeFileSystem, removeIfThere } from '../files/fileSystem.ts';
import { createJsonFile, type Reading, readingOf, readingWithout } from './jsonFile.ts';

export const EXCLUDED_FILE_NAME = 'excluded.json';
/** The list as it could last be read: what is excluded stays so while the file is broken. */
export const LAST_ENDING = '.last';

/** Watching tells at once where it works; `mascot` in a terminal may write at any time. */
const LOOK_MS = 2_000;

const PRIVATE = 0o600;

const fileSchema = z.object({ version: z.literal(1), projects: z.array(z.string().check(z.minLength(1))) });
type ExcludedFile = { readonly version: 1; readonly projects: readonly string[] };

export interface Exclusions extends ExcludedProjects, Disposable {
  /** Whether the folder is an excluded one or lies below it. By its real path, and without asking the disk. */
  excludes(folder: string): boolean;
}

/** HKI-9: the list that `mascot hooks exclude` and the palette keep in the home. */
export function createExclusions(file: string, log: Pick<Log, 'warn'>): Exclusions {
  const kept = createJsonFile<ExcludedFile>(file, fileSchema, { version: 1, projects: [] }, log);
  const copy = createLastCopy(`${file}${LAST_ENDING}`, log);
  let turn = Promise.resolve(true);
  let troubled = false;
  /** Undefined: neither the file nor its copy could be read yet. */
  let last = listAtStart();
  let known = keysOf(last ?? []);
  let mark = '';
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let watching = false;
  let disposed = false;

  /** Before the first hook is taken in the list must be known. */
  function listAtStart(): readonly string[] | undefined {
    const reading = readNow(file);
    if (reading.kind !== 'unknown') return projectsOf(reading);
    const earlier = readNow(copy.file);
    const projects = earlier.kind === 'known' ? earlier.value.projects : undefined;
    tell(reading.why, projects);
    return projects;
  }

  /** Once for each time that it goes wrong: who follows the file looks again and again. */
  function tell(why: string, projects: readonly string[] | undefined): void {
    if (!troubled) {
      const then = projects
        ? 'The projects that were excluded before stay excluded.'
        : 'No earlier copy can be read either: NO project of this list is excluded until the file is mended.';
      log.warn(`${file} is of no use, ${why}. ${then}`);
    }
    troubled = true;
  }

  /** One after the other: an older reading must not come after a newer one. */
  function refresh(): Promise<boolean> {
    turn = turn.then(refreshOnce);
    return turn;
  }

  /** False: the file can't be read or understood, and what was known holds on. */
  async function refreshOnce(): Promise<boolean> {
    const reading = await kept.look();
    if (reading.kind === 'unknown') {
      tell(reading.why, last);
      return false;
    }
    troubled = false;
    last = projectsOf(reading);
    known = keysOf(last);
    if (!disposed) await copy.keep(reading);
    return true;
  }

  /** While the file is broken. Whoever wrote the copy may have read the file later than this process. */
  function lastGood(): readonly string[] {
    const reading = readNow(copy.file);
    return reading.kind === 'known' ? reading.value.projects : (last ?? []);
  }

  function asFile(): ExcludedFile {
    return { version: 1, projects: lastGood() };
  }

  async function look(): Promise<void> {
    const present = await markOf(file);
    if (present === mark) return;
    mark = present;
    // What could not be read now may be readable without having changed.
    if (!(await refresh())) mark = '';
  }

  function schedule(): void {
    timer = setTimeout(() => {
      if (!watcher) startWatching();
      void look().finally(() => {
        if (!disposed) schedule();
      });
    }, LOOK_MS).unref();
  }

  function startWatching(): void {
    try {
      const started = watch(path.dirname(file), { persistent: false }, (_event, name) => {
        if (name === null || name === path.basename(file)) void look();
      });
      watcher = started.on('error', () => {
        started.close();
        if (watcher === started) watcher = undefined;
      });
    } catch {
      // The home is not made yet, or nothing can be watched there: it is looked at.
    }
  }

  /** Only who asks `excludes` needs to follow the file. */
  function follow(): void {
    if (watching || disposed) return;
    watching = true;
    startWatching();
    void look();
    schedule();
  }

  return {
    list: async () => ((await refresh()) ? (last ?? []) : lastGood()),
    async add(project) {
      const folder = await realFolder(project);
      await kept.update(
        (present) =>
          present.projects.some((other) => keyOf(other) === keyOf(folder))
            ? present
            : { version: 1, projects: [...present.projects, folder].sort() },
        asFile,
      );
      await refresh();
    },
    async remove(project) {
      const keys = [keyOf(await realFolder(project)), keyOf(project)];
      let removed = false;
      await kept.update((present) => {
        const projects = present.projects.filter((other) => !keys.includes(keyOf(other)));
        removed = projects.length < present.projects.length;
        return removed ? { version: 1, projects } : present;
      }, asFile);
      await refresh();
      return removed;
    },
    excludes(folder) {
      follow();
      if (known.size === 0) return false;
      for (let at = keyOf(folder); ; at = path.dirname(at)) {
        if (known.has(at)) return true;
        if (path.dirname(at) === at) return false;
      }
    },
    dispose() {
      disposed = true;
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

/** A folder that is gone may come back under the same name. */
function realFolder(project: string): Promise<string> {
  return realpath(project).catch(() => path.resolve(project));
}

function keysOf(projects: readonly string[]): ReadonlySet<string> {
  return new Set(projects.map(keyOf));
}

/** Windows and macOS take one folder's name in any case. */
function keyOf(folder: string): string {
  const whole = path.resolve(folder);
  return process.platform === 'linux' ? whole : whole.toLowerCase();
}

function projectsOf(reading: Exclude<Reading<ExcludedFile>, { kind: 'unknown' }>): readonly string[] {
  return reading.kind === 'known' ? reading.value.projects : [];
}

function readNow(file: string): Reading<ExcludedFile> {
  try {
    return readingOf(fileSchema, readFileSync(file, 'utf8'));
  } catch (error) {
    return readingWithout(error);
  }
}

interface LastCopy {
  readonly file: string;
  /** Without a list there is no copy either: it would bring back what the person took away. */
  keep(reading: Reading<ExcludedFile>): Promise<void>;
}

function createLastCopy(file: string, log: Pick<Log, 'warn'>): LastCopy {
  let last: Promise<void> = Promise.resolve();
  let kept: string | undefined;
  let failed = false;

  async function write(text: string): Promise<void> {
    if (text === kept) return;
    if (text === '') await removeIfThere(nodeFileSystem, file);
    else if ((await readFile(file, 'utf8').catch(() => '')) !== text) await atomicWrite(file, text, { mode: PRIVATE });
    kept = text;
  }

  function complain(error: unknown): void {
    // The home has been removed.
    if (errorCode(error) === 'ENOENT' || failed) return;
    failed = true;
    log.warn(`${file} could not be written: ${errorCode(error) ?? String(error)}`);
  }

  return {
    file,
    keep(reading) {
      const text = reading.kind === 'known' ? `${JSON.stringify(reading.value, null, 2)}\n` : '';
      last = last.then(() => write(text)).catch(complain);
      return last;
    },
  };
}

async function markOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(),
    () => 'none',
  );
}
