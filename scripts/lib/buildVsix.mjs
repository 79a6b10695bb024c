/** Builds dist/ and packs it into agent-mascot.vsix. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { run } from './run.mjs';
import { toolEnv, toolNode } from './toolNode.mjs';

/** What ends up in the package, directly or through the bundler. */
const SOURCES = [
  'src',
  'webview',
  'forwarder',
  'media',
  'package.json',
  'package-lock.json',
  'package.nls.json',
  'package.nls.ko.json',
  'esbuild.mjs',
  'scripts/lib',
  '.vscodeignore',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];

/** @param {string} root */
export function vsixFile(root) {
  return path.join(root, 'agent-mascot.vsix');
}

/**
 * @param {{ root: string, signal?: AbortSignal | undefined }} options
 */
export async function buildBundles({ root, signal }) {
  await run(toolNode(root).node, ['esbuild.mjs'], {
    label: 'building dist/',
    cwd: root,
    env: toolEnv(root),
    signal,
    advice: 'Correct the error above; "npm run types" often says more.',
  });
}

/**
 * @param {{ root: string, signal?: AbortSignal | undefined }} options
 */
export async function packVsix({ root, signal }) {
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  await run(
    toolNode(root).node,
    [
      vsce,
      'package',
      '--no-dependencies',
      '--allow-missing-repository',
      '--no-rewrite-relative-links',
      '--out',
      vsixFile(root),
    ],
    {
      label: 'packing agent-mascot.vsix',
      cwd: root,
      env: toolEnv(root),
      signal,
    },
  );
  return vsixFile(root);
}

/**
 * Whether the package is newer than everything it is made of.
 * @param {string} root
 */
export async function isVsixFresh(root) {
  if (!existsSync(vsixFile(root)) || !existsSync(path.join(root, 'dist', 'forwarder'))) return false;
  const { mtimeMs } = await stat(vsixFile(root));
  for (const source of SOURCES) {
    if ((await newest(path.join(root, source))) > mtimeMs) return false;
  }
  return true;
}

/**
 * @param {string} where
 * @returns {Promise<number>}
 */
async function newest(where) {
  const here = await stat(where).catch(() => undefined);
  if (here === undefined) return 0;
  if (!here.isDirectory()) return here.mtimeMs;
  // The folder's own time tells of removed files.
  const inside = await Promise.all((await readdir(where)).map((name) => newest(path.join(where, name))));
  return Math.max(here.mtimeMs, ...inside);
}
