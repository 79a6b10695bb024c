/** How big the package is. */
import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { vsixFile } from '../lib/buildVsix.mjs';

const LIMIT_KIB = 1500;

/** @type {import('./frame.mjs').Bench} */
export const vsixSize = {
  name: 'vsix',
  about: 'the package, and what it is made of before it is compressed',
  async run({ root }) {
    const size = statSync(vsixFile(root), { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new Error('agent-mascot.vsix is missing: run "npm run package" first.');
    const dist = path.join(root, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter(
      (file) => !file.startsWith('meta') && !file.endsWith('.map'),
    );
    const parts = await Promise.all(files.map(async (file) => ({ file, stat: await stat(path.join(dist, file)) })));
    return [
      {
        what: 'agent-mascot.vsix',
        value: kib(size),
        ratio: `${((size / 1024 / LIMIT_KIB) * 100).toFixed(0)} %`,
        note: `of the limit, ${LIMIT_KIB} KiB`,
      },
      ...parts
        .filter((part) => part.stat.isFile())
        .sort((a, b) => b.stat.size - a.stat.size)
        .map((part) => ({ what: `dist/${part.file.replaceAll(path.sep, '/')}`, value: kib(part.stat.size) })),
    ];
  },
};

/** @param {number} bytes */
function kib(bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
