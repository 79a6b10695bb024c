import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { ExcludedProjects } from '../../app/hooks/hookKit.ts';
import type { Disposable, Log } from '../../app/ports.ts';
import { createJsonFile } from './jsonFile.ts';

export const EXCLUDED_FILE_NAME = 'excluded.json';

/** Watching tells at once where it works; `mascot` in a terminal may write at any time. */
const LOOK_MS = 2_000;

const fileSchema = z.object({ version: z.literal(1), projects: z.array(z.string().check(z.minLength(1))) });
type ExcludedFile = { readonly version: 1; readonly projects: readonly string[] };

export interface Exclusions extends ExcludedProjects, Disposable {
  /** Whether the folder is an excluded one or lies below it. By its real path, and without asking the disk. */
  excludes(folder: string): boolean;
}

/** HKI-9: the list that `mascot hooks exclude` and the palette keep in the home. */
export function createExclusions(file: string, log: Pick<Log, 'warn'>): Exclusions {
  const kept = createJsonFile<ExcludedFile>(file, fileSchema, { version: 1, projects: [] }, log);
  // Before the first hook is taken in the list must be known.
  let known = keysOf(readNow(file));
  let mark = '';
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let watching = false;
  let disposed = false;

  async function refresh(): Promise<void> {
    known = keysOf((await kept.read()).projects);
  }

  async function look(): Promise<void> {
    const present = await markOf(file);
    if (present !== mark) {
      mark = present;
      await refresh();
    }
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
    schedule();
  }

  return {
    list: async () => (await kept.read()).projects,
    async add(project) {
      const folder = await realFolder(project);
      await kept.update((present) =>
        present.projects.some((other) => keyOf(other) === keyOf(folder))
          ? present
          : { version: 1, projects: [...present.projects, folder].sort() },
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
      });
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

function readNow(file: string): readonly string[] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).projects;
  } catch {
    return [];
  }
}

async function markOf(file: string): Promise<string> {
  return stat(file, { bigint: true }).then(
    ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(),
    () => 'none',
  );
}
