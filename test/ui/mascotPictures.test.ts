import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { moods } from '../../src/protocol/state.ts';
import { accents, colours, type Traits } from '../../webview/avatar/traits.ts';
import { startHarness, type Harness } from '../webview/harness.ts';
import { againstGolden, drawGolden, drawMascots } from '../webview/mascotSheet.ts';
import type { Pair, pictureTools } from '../webview/pictureTools.ts';
import { contrast, linear, seenBy, type Sight, type Triple } from '../webview/sight.ts';
import { themes, type ThemeName } from '../webview/themes.ts';

const failedFile = path.join(import.meta.dirname, '../../test-results/mascots-now.png');

/** As in a crowd. */
const SMALL = 32;
/** Distance in OKLab × 100 of two pixels that nobody takes for the same. */
const DIFFERENT = 8;

let harness: Harness;
const opened: Page[] = [];

beforeAll(async () => {
  harness = await startHarness(['sheet']);
});
afterAll(async () => {
  await harness?.close();
});
afterEach(async () => {
  for (const page of opened.splice(0)) await page.context().close();
});

type Drawn = Awaited<ReturnType<typeof drawMascots>>;

async function drawn(picture: Promise<Drawn>): Promise<Drawn> {
  const made = await picture;
  opened.push(made.page);
  return made;
}

function pairs({ page, png }: Drawn, sight: Sight): Promise<readonly Pair[]> {
  return page.evaluate(
    ([sheet, how]) => (window as unknown as { pictureTools: typeof pictureTools }).pictureTools.pairsInRows(sheet, how),
    [png.toString('base64'), { side: SMALL, sight, visible: DIFFERENT }] as const,
  );
}

test('AGT-2 AGT-3 24 known mascots look in all moods as they always did', async () => {
  const { page, png } = await drawn(drawGolden(harness));
  const changes = await againstGolden(page, png);
  if (changes.length > 0) {
    await mkdir(path.dirname(failedFile), { recursive: true });
    await writeFile(failedFile, png);
  }
  const words = typeof changes === 'string' ? [changes] : changes.map((change) => change.words);
  expect(words, `Look at ${failedFile}; if it is meant so: npm run sheet -- --accept`).toEqual([]);
});

/** In how many of the 24 the next choice of a slot is to be seen; of all slots these are the least of a mascot. */
const seenIn = { eyes: 24, mouth: 12, cheeks: 4 } as const satisfies Partial<Record<keyof Traits, number>>;

for (const [slot, least] of Object.entries(seenIn)) {
  test(`AGT-2 the comparison sees that other ${slot} were drawn`, async () => {
    const query = `part=mutated&pixels=64&slot=${slot}`;
    const { page, png } = await drawn(drawMascots(harness, { query, width: moods.length * 64 }));
    const changes = await againstGolden(page, png);
    expect(changes).toBeInstanceOf(Array);
    const found = new Set(typeof changes === 'string' ? [] : changes.map(({ mascot }) => mascot));
    expect(found.size).toBeGreaterThanOrEqual(least);
  });
}

test('AGT-3 at 32 px any two moods of a mascot differ in a tenth of their pixels without any colour', async () => {
  const picture = drawMascots(harness, { query: `part=moods&pixels=${SMALL}`, width: moods.length * SMALL });
  const [worst] = await pairs(await drawn(picture), 'grey');
  const names = worst?.columns.map((column) => moods[column]).join(' and ');
  // Measured: 18 %, reading and searching.
  expect(worst?.share, `mascot ${(worst?.row ?? 0) + 1}, ${names}`).toBeGreaterThan(0.1);
});

test('AGT-2 at 32 px any two of 12 agents are told apart, by the colour-blind too', async () => {
  const sights = ['full', 'protan', 'deutan', 'tritan'] as const;
  const shares: Record<string, number[]> = {};
  for (const from of [0, 50]) {
    // The terminal covers most of a mascot of all that one can hold.
    const query = `part=groups&pixels=${SMALL}&from=${from}&count=50&mood=running`;
    const picture = await drawn(drawMascots(harness, { query, width: 12 * SMALL }));
    for (const sight of sights) (shares[sight] ??= []).push(...(await pairs(picture, sight)).map(({ share }) => share));
  }
  for (const sight of sights) {
    const all = shares[sight] ?? [];
    expect(all).toHaveLength(100 * 66);
    expect(Math.min(...all), sight).toBeGreaterThan(0.015);
    expect(all.filter((share) => share < 0.05).length / all.length, sight).toBeLessThan(0.001);
  }
});

/** The colours that a page computes, in linear RGB; what is named is a class and the property to read. */
function computedColours(page: Page, wanted: readonly string[]): Promise<readonly Triple[]> {
  return page
    .evaluate(async (classes) => {
      const avatar = document.querySelector('mascot-avatar');
      const svg = avatar?.shadowRoot?.querySelector('svg');
      const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      const [fill, ink, accent] = ['fill', 'ink', 'accent'].map((name) => {
        const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        path.setAttribute('class', name);
        svg?.append(path);
        return path;
      });
      const painted = (colour: string): number[] => {
        if (!context) throw new Error('This browser has no canvas.');
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
      };
      const found: number[][] = [painted(getComputedStyle(document.documentElement).backgroundColor)];
      for (const name of classes) {
        svg?.setAttribute('class', name);
        for (const path of name.startsWith('on-') ? [accent] : [fill, ink])
          if (path) found.push(painted(getComputedStyle(path).fill));
      }
      return found;
    }, wanted)
    .then((found) => found.map((rgb) => rgb.map(linear) as unknown as Triple));
}

for (const theme of Object.keys(themes) as ThemeName[]) {
  test(`AGT-2 UI-6 in ${theme} every mascot stands out from its ground by 3:1, with its outline or with what it encloses`, async () => {
    const { page } = await drawn(drawMascots(harness, { query: 'part=moods&count=1', width: 960, theme }));
    const [ground, ...found] = await computedColours(page, colours);
    const weak = colours.filter((_, index) => {
      const edges = found.slice(index * 2, index * 2 + 2);
      return !edges.some((colour) => ground && contrast(colour, ground) >= 3);
    });
    expect(found).toHaveLength(2 * colours.length);
    expect(weak).toEqual([]);
  });
}

test('AGT-2 any two colours, and any two of the accents, differ for every kind of cones', async () => {
  const { page } = await drawn(drawMascots(harness, { query: 'part=moods&count=1', width: 960 }));
  const fills = (await computedColours(page, colours)).slice(1).filter((_, index) => index % 2 === 0);
  const [, ...trims] = await computedColours(
    page,
    accents.map((accent) => `on-${accent}`),
  );
  const least = (all: readonly Triple[], sight: Sight): number => {
    const labs = all.map((colour) => seenBy(sight, colour));
    return Math.min(
      ...labs.flatMap((one, at) =>
        labs.slice(at + 1).map((other) => Math.hypot(...one.map((v, i) => v - (other[i] ?? 0)))),
      ),
    );
  };
  expect([fills.length, trims.length]).toEqual([colours.length, accents.length]);
  for (const sight of ['full', 'protan', 'deutan', 'tritan'] as const) {
    expect(least(fills, sight), `colours, ${sight}`).toBeGreaterThan(4.5);
    expect(least(trims, sight), `accents, ${sight}`).toBeGreaterThan(4.5);
  }
});
