#!/usr/bin/env node
/**
 * npm run pictures: takes the panel's and the walkthrough's pictures anew. Needs Node 24 and Chromium.
 *
 *   media/readme/panel-THEME-few.png       no, one and five agents, at 240, 320 and 480 px
 *   media/readme/panel-THEME-many.png      forty agents, at the same widths
 *   media/walkthrough/SCENE-THEME.png      mascots alone, without a word
 *
 * The contact sheets beside them are made by npm run sheet, the picture of the whole editor by scripts/readme-picture.mjs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { englishConfig, scenes } from '../test/webview/fixtures.ts';
import { startHarness } from '../test/webview/harness.ts';
import { drawMascots } from '../test/webview/mascotSheet.ts';
import { themes } from '../test/webview/themes.ts';
import { smallPng } from './lib/smallPng.mjs';

/** @typedef {import('../test/webview/themes.ts').ThemeName} ThemeName */
/** @typedef {keyof typeof scenes} SceneName */

const media = path.join(import.meta.dirname, '..', 'media');
const WIDTHS = [240, 320, 480];
const GAP = 24;
/** What of a long list is seen without scrolling. */
const HEIGHT_MAX = 1000;
const WALKTHROUGH = ['meet', 'moods', 'waits'];
const WALKTHROUGH_WIDTH = 560;

const harness = await startHarness();
try {
  await mkdir(path.join(media, 'readme'), { recursive: true });
  for (const theme of /** @type {ThemeName[]} */ (Object.keys(themes))) {
    await save(`readme/panel-${theme}-few.png`, await grid(theme, [0, 1, 5]));
    await save(`readme/panel-${theme}-many.png`, await grid(theme, [40]));
    for (const scene of WALKTHROUGH) {
      const query = `part=walkthrough&scene=${scene}`;
      const { page } = await drawMascots(harness, { query, width: WALKTHROUGH_WIDTH, theme });
      await save(`walkthrough/${scene}-${theme}.png`, await page.locator('body').screenshot());
      await page.context().close();
    }
  }
} finally {
  await harness.close();
}

/**
 * @param {string} name
 * @param {Buffer} png
 */
async function save(name, png) {
  const small = smallPng(png);
  await writeFile(path.join(media, name), small);
  console.log(`media/${name}  ${Math.ceil(small.length / 1024)} KB`);
}

/**
 * The panel at all widths beside one another, a row for each number of agents.
 * @param {ThemeName} theme
 * @param {readonly SceneName[]} counts
 */
async function grid(theme, counts) {
  /** @type {{ x: number, y: number, png: string }[]} */
  const parts = [];
  let [y, height] = [GAP, 0];
  for (const count of counts) {
    let x = GAP;
    for (const width of WIDTHS) {
      const shot = await panel(theme, width, count);
      parts.push({ x, y, png: shot.png.toString('base64') });
      x += width + GAP;
      height = Math.max(height, shot.height);
    }
    y += height + GAP;
    height = 0;
  }
  const width = WIDTHS.reduce((sum, one) => sum + one + GAP, GAP);
  return layOut(theme, { parts, width, height: y });
}

/**
 * @param {ThemeName} theme
 * @param {number} width
 * @param {SceneName} count
 */
async function panel(theme, width, count) {
  const page = await harness.open('panel', { theme, width, height: HEIGHT_MAX });
  await harness.show(page, englishConfig, scenes[count]());
  // Groups out of view have a guessed height until they were in it once; a low window then tells what the list needs.
  await page.setViewportSize({ width, height: 100 });
  const needed = /** @type {number} */ (await page.evaluate('document.documentElement.scrollHeight'));
  const height = Math.min(HEIGHT_MAX, needed);
  await page.setViewportSize({ width, height });
  const png = await page.screenshot();
  await page.context().close();
  return { png, height };
}

/**
 * @param {ThemeName} theme
 * @param {{ parts: readonly { x: number, y: number, png: string }[], width: number, height: number }} what
 */
async function layOut(theme, what) {
  const page = await harness.open('sheet', { theme, query: 'part=none' });
  const base64 = await page.evaluate(async ({ parts, width, height }) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser has no canvas.');
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background');
    context.fillRect(0, 0, width, height);
    for (const { x, y, png } of parts) {
      const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
      context.drawImage(await createImageBitmap(new Blob([bytes])), x, y);
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }, what);
  await page.context().close();
  return Buffer.from(base64, 'base64');
}
