/** How fast secrets are masked in real code: the packages of node_modules, 10 MB of them. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { pathToFileURL } from 'node:url';
import { median } from './frame.mjs';

const MEGABYTES = 10;
const DEFAULT_RUNS = 5;
const PACKAGES = ['typescript/lib', 'vitest/dist', 'eslint/lib', 'prettier', 'playwright-core/lib', 'zod', 'lit'];

/** @type {import('./frame.mjs').Bench} */
export const masking = {
  name: 'masking',
  about: `${MEGABYTES} MB of real code through maskText, beside JSON.stringify of the same`,
  async run({ root, scratch, runs = DEFAULT_RUNS }) {
    const outfile = path.join(scratch, 'mask.mjs');
    await build({
      entryPoints: [path.join(root, 'src/domain/mask/mask.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      logLevel: 'error',
    });
    /** @type {{ maskText(text: string): string }} */
    const { maskText } = await import(pathToFileURL(outfile).href);
    const text = await corpus(root);
    await writeFile(path.join(scratch, 'corpus.txt'), text);
    /** @type {number[]} */
    const masked = [];
    /** @type {number[]} */
    const stringified = [];
    for (let round = 0; round <= runs; round++) {
      const first = performance.now();
      maskText(text);
      const second = performance.now();
      JSON.stringify(text);
      const third = performance.now();
      if (round === 0) continue;
      masked.push(second - first);
      stringified.push(third - second);
    }
    return [
      {
        what: `maskText, ${MEGABYTES} MB of real code`,
        value: `${(median(masked) / 1000).toFixed(2)} s`,
        ratio: `${(median(masked) / median(stringified)).toFixed(1)}×`,
        note: `of JSON.stringify, ${median(stringified).toFixed(0)} ms; ${runs} runs`,
      },
    ];
  },
};

/** @param {string} root */
async function corpus(root) {
  let text = '';
  for (const name of PACKAGES) {
    const folder = path.join(root, 'node_modules', name);
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    for (const file of files.filter((each) => /\.(c|m)?(j|t)s$/.test(each)).sort()) {
      text += await readFile(path.join(folder, file), 'utf8');
      if (text.length >= MEGABYTES * 1e6) return text.slice(0, MEGABYTES * 1e6);
    }
  }
  return text;
}
