import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { smallPng } from '../../scripts/lib/smallPng.mjs';
import { moods } from '../../src/protocol/state.ts';
import type { Harness } from './harness.ts';
import { knownSeed } from './knownSeed.ts';
import type { pictureTools, TileDifference } from './pictureTools.ts';
import type { ThemeName } from './themes.ts';

export const goldenFile = path.join(import.meta.dirname, 'golden', 'mascots.png');

/** The golden's tiles: as large as on a card. */
const SIDE = 64;

/** Distance in OKLab × 100: what 256 colours make of a shade, and another version of Chromium of an edge, is less. */
const VISIBLE = 8;

/** Of a tile's pixels. Where nothing changed it is 0.2 % at most; the least of a slot's changes, other cheeks, begins at 0.7 %. */
const TILE_LIMIT = 0.007;

/** A picture of the mascots alone, and the page that drew it. */
export async function drawMascots(
  harness: Harness,
  options: { readonly query: string; readonly width: number; readonly theme?: ThemeName },
): Promise<{ readonly page: Page; readonly png: Buffer }> {
  const page = await harness.open('sheet', { ...options, height: 200 });
  await page.waitForSelector('[data-drawn]', { state: 'attached' });
  return { page, png: await page.screenshot({ fullPage: true }) };
}

/** The 24 known seeds in all moods, without a word, so that fonts don't matter. */
export function drawGolden(harness: Harness): ReturnType<typeof drawMascots> {
  return drawMascots(harness, { query: `part=moods&pixels=${SIDE}`, width: moods.length * SIDE });
}

export async function acceptGolden(png: Buffer): Promise<void> {
  await writeFile(goldenFile, smallPng(png));
}

export interface Change {
  /** Its row in the sheet, from 1. */
  readonly mascot: number;
  readonly mood: string;
  readonly words: string;
}

/** The tiles that differ from the golden's, or in words why they can't be compared. */
export async function againstGolden(page: Page, png: Buffer): Promise<readonly Change[] | string> {
  const golden = await readFile(goldenFile);
  const found = await page.evaluate(
    ([one, other, how]) =>
      (window as unknown as { pictureTools: typeof pictureTools }).pictureTools.compareSheets(one, other, how),
    [golden.toString('base64'), png.toString('base64'), { side: SIDE, visible: VISIBLE }] as const,
  );
  if (typeof found === 'string') return `The golden picture has another size: ${found}`;
  return found.filter(({ share }) => share > TILE_LIMIT).map(changeOf);
}

function changeOf({ place: [row, column], share }: TileDifference): Change {
  const [mascot, mood] = [row + 1, moods[column] ?? ''];
  return {
    mascot,
    mood,
    words: `mascot ${mascot} (seed ${knownSeed(row)}), ${mood}: ${(share * 100).toFixed(1)} % differ`,
  };
}
