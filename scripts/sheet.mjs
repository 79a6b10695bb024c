#!/usr/bin/env node
/**
 * npm run sheet: the contact sheet of the mascots, 24 known seeds in all moods. Needs Node 24 and Chromium.
 *
 *   npm run sheet                        the README's two, media/readme/mascots-{dark,light}.png
 *   npm run sheet -- FOLDER [--themes]   into another folder, in one theme or in all four
 *   npm run sheet -- --check             compares with the golden picture, tile by tile
 *   npm run sheet -- --accept            makes what is drawn now the golden picture
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startHarness } from '../test/webview/harness.ts';
import { acceptGolden, againstGolden, drawGolden, drawMascots, goldenFile } from '../test/webview/mascotSheet.ts';
import { themes } from '../test/webview/themes.ts';
import { smallPng } from './lib/smallPng.mjs';

/** @typedef {import('../test/webview/themes.ts').ThemeName} ThemeName */

const root = path.join(import.meta.dirname, '..');
const TILE = 48;
const NARROW = 200;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { themes: { type: 'boolean' }, check: { type: 'boolean' }, accept: { type: 'boolean' } },
});
const harness = await startHarness(['sheet']);
try {
  if (values.check || values.accept) await golden();
  else await sheets();
} finally {
  await harness.close();
}

async function golden() {
  const { page, png } = await drawGolden(harness);
  if (values.accept) {
    await mkdir(path.dirname(goldenFile), { recursive: true });
    await acceptGolden(png);
    return console.log(path.relative(process.cwd(), goldenFile));
  }
  const changes = await againstGolden(page, png);
  if (changes.length === 0) return console.log('All mascots look as they did.');
  console.error(typeof changes === 'string' ? changes : changes.map(({ words }) => words).join('\n'));
  process.exitCode = 1;
}

async function sheets() {
  const [named] = positionals;
  const folder = path.resolve(named ?? path.join(root, 'media', 'readme'));
  await mkdir(folder, { recursive: true });
  const usual = /** @type {ThemeName[]} */ (named === undefined ? ['dark', 'light'] : ['dark']);
  for (const theme of values.themes ? /** @type {ThemeName[]} */ (Object.keys(themes)) : usual) {
    const { page } = await drawMascots(harness, { query: `part=sheet&pixels=${TILE}`, width: NARROW, theme });
    const file = path.join(folder, `mascots-${theme}.png`);
    await writeFile(file, smallPng(await page.locator('body').screenshot()));
    console.log(path.relative(process.cwd(), file));
  }
}
