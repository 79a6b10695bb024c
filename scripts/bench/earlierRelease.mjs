/** Another revision of this repository, checked out and built beside this tree for as long as a bench needs it. */
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { buildBundles } from '../lib/buildVsix.mjs';
import { run } from '../lib/run.mjs';

/**
 * Calls `use` with the root of the revision's built tree, and removes the tree afterwards. It is built with the packages of this
 * tree, which may be newer than those it was released with.
 * @template Result
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} revision
 * @param {(root: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withRevision({ root, scratch, signal, log }, revision, use) {
  const tree = path.join(scratch, 'earlier');
  const packages = path.join(tree, 'node_modules');
  log(`building ${revision}`);
  try {
    await run('git', ['worktree', 'add', '--detach', tree, revision], { cwd: root });
    await symlink(path.join(root, 'node_modules'), packages, 'junction');
    await buildBundles({ root: tree, signal });
    return await use(tree);
  } finally {
    // First the link, so that nothing can follow it.
    await rm(packages, { force: true });
    const removed = await run('git', ['worktree', 'remove', '--force', tree], { cwd: root, check: false });
    if (removed.code !== 0)
      log(`"git worktree prune" will remove what is left of ${revision}: ${removed.output.trim()}`);
  }
}

/**
 * The short hash of a revision, marked if the tree has changes beside it.
 * @param {string} root
 * @param {string} [revision]
 */
export async function nameOfRevision(root, revision = 'HEAD') {
  const { code, stdout } = await run('git', ['rev-parse', '--short', revision], { cwd: root, check: false });
  if (code !== 0) return 'no revision';
  if (revision !== 'HEAD') return stdout.trim();
  const changes = (await run('git', ['status', '--porcelain'], { cwd: root, check: false })).stdout.trim();
  return `${stdout.trim()}${changes === '' ? '' : ' with changes'}`;
}
