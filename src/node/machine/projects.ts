import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Projects } from '../../app/ports.ts';

type Place = Awaited<ReturnType<Projects['locate']>>;

/** Folders do not change repositories often; a clone made later is seen once the window is reloaded or this is full. */
const REMEMBERED = 500;

/** SES-6, told from the files of git alone: starting `git` for every hook would cost more than the hook. */
export function createProjects(): Projects {
  const known = new Map<string, Promise<Place>>();
  return {
    locate(folder) {
      const found = known.get(folder);
      if (found) return found;
      if (known.size >= REMEMBERED) known.clear();
      const place = locate(folder);
      known.set(folder, place);
      return place;
    },
  };
}

async function locate(folder: string): Promise<Place> {
  const start = await realpath(folder).catch(() => folder);
  for (let dir = start; ; dir = path.dirname(dir)) {
    const place = await repositoryAt(dir);
    if (place) return place;
    if (path.dirname(dir) === dir) return { path: start };
  }
}

async function repositoryAt(dir: string): Promise<Place | undefined> {
  const dotGit = path.join(dir, '.git');
  const kind = await stat(dotGit).catch(() => undefined);
  if (kind?.isDirectory()) return { path: dir };
  if (!kind?.isFile()) return undefined;
  return (await worktreeAt(dir, dotGit)) ?? { path: dir };
}

/** A worktree's `.git` is a file that names `<main>/.git/worktrees/<name>`; a submodule's names `<main>/.git/modules/…` and is a project of its own. */
async function worktreeAt(dir: string, dotGit: string): Promise<Place | undefined> {
  const pointer = /^gitdir: (.+)$/m.exec(await readFile(dotGit, 'utf8').catch(() => ''))?.[1]?.trim();
  if (pointer === undefined) return undefined;
  const gitDir = path.resolve(dir, pointer);
  const common = await readFile(path.join(gitDir, 'commondir'), 'utf8').catch(() => undefined);
  if (common === undefined) return undefined;
  const commonDir = await realpath(path.resolve(gitDir, common.trim())).catch(() => undefined);
  if (commonDir === undefined || path.basename(commonDir) !== '.git') return undefined;
  return { path: path.dirname(commonDir), worktree: path.basename(gitDir) };
}
