import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Place, Projects } from '../../app/ports.ts';

/** Folders do not change repositories often; a clone made later is seen once the window is reloaded or this is full. */
const REMEMBERED = 500;

/** A hook is answered with the folder itself rather than held up by a disk that does not answer. */
const DEADLINE_MS = 200;

/** What is deeper is nobody's project, and every level costs a look at the disk. */
const LEVELS_MAX = 64;
const PATH_MAX = 4096;

/** Git's own pointer files hold one path. */
const POINTER_MAX_BYTES = 8 * 1024;

/** SES-6, told from the files of git alone: starting `git` for every hook would cost more than the hook. */
export function createProjects(deadlineMs = DEADLINE_MS): Projects {
  const known = new Map<string, Promise<Place>>();
  /** A lookup that hangs holds a thread of the pool that the journal needs too: there may never be a second one. */
  let looking: Promise<Place> | undefined;

  async function lookUp(folder: string): Promise<Place> {
    while (looking) await looking.catch(() => undefined);
    const mine = locate(folder);
    looking = mine;
    try {
      return await mine;
    } finally {
      looking = undefined;
    }
  }

  return {
    async locate(folder) {
      if (folder.length > PATH_MAX || folder.split(/[\\/]/).length > LEVELS_MAX)
        return { path: folder.slice(0, PATH_MAX) };
      if (known.size >= REMEMBERED) known.clear();
      const place = known.get(folder) ?? lookUp(folder);
      known.set(folder, place);
      return withDeadline(place, deadlineMs, { path: folder });
    },
  };
}

function withDeadline<T>(work: Promise<T>, ms: number, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, otherwise);
    const finish = (value: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    work.then(finish, () => finish(otherwise));
  });
}

async function locate(folder: string): Promise<Place> {
  const start = await realpath(folder).catch(() => folder);
  for (let dir = start; ; dir = path.dirname(dir)) {
    const place = await repositoryAt(dir);
    if (place) return { ...place, folder: start };
    if (path.dirname(dir) === dir) return { path: start, folder: start };
  }
}

async function repositoryAt(dir: string): Promise<Place | undefined> {
  const dotGit = path.join(dir, '.git');
  const kind = await stat(dotGit).catch(() => undefined);
  if (kind?.isDirectory()) return { path: dir };
  if (!kind?.isFile()) return undefined;
  return (await worktreeAt(dir, dotGit)) ?? { path: dir };
}

/**
 * A worktree's `.git` is a file that names `<main>/.git/worktrees/<name>`; a submodule's names `<main>/.git/modules/…` and is a
 * project of its own. Anybody may put such a file into a folder of theirs: what git keeps in the main repository must know it.
 */
async function worktreeAt(dir: string, dotGit: string): Promise<Place | undefined> {
  const pointer = /^gitdir: (.+)$/m.exec((await readPointer(dotGit)) ?? '')?.[1];
  const gitDir = await realOf(dir, pointer);
  if (gitDir === undefined) return undefined;
  const commonDir = await realOf(gitDir, await readPointer(path.join(gitDir, 'commondir')));
  if (commonDir === undefined || path.basename(commonDir) !== '.git') return undefined;
  const worktree = path.basename(gitDir);
  if (gitDir !== path.join(commonDir, 'worktrees', worktree)) return undefined;
  const back = await realOf(gitDir, await readPointer(path.join(gitDir, 'gitdir')));
  // Where `.git` is a link to another folder's file, the way back ends there.
  if (back === undefined || back !== path.join((await realOf(dir, '.')) ?? dir, '.git')) return undefined;
  return { path: path.dirname(commonDir), worktree };
}

async function realOf(from: string, pointer: string | undefined): Promise<string | undefined> {
  const written = pointer?.trim();
  if (!written) return undefined;
  return await realpath(path.resolve(from, written)).catch(() => undefined);
}

/** Regular files alone: reading a pipe would wait for somebody to write. */
async function readPointer(file: string): Promise<string | undefined> {
  const kind = await stat(file).catch(() => undefined);
  if (!kind?.isFile() || kind.size > POINTER_MAX_BYTES) return undefined;
  return await readFile(file, 'utf8').catch(() => undefined);
}
