#!/usr/bin/env node
/** Draws media/icon.png (256 × 256) from a mascot of our own. `node test/webview/icon.mjs [seed]`; needs Node 24 and Chromium. */
import path from 'node:path';
import { startHarness } from './harness.ts';

const SEED = 1337273;
const file = path.join(import.meta.dirname, '..', '..', 'media', 'icon.png');
const harness = await startHarness();
try {
  const page = await harness.open('sheet', {
    query: `part=icon&seed=${process.argv[2] ?? SEED}`,
    width: 256,
    height: 256,
  });
  await page.waitForSelector('[data-drawn]', { state: 'attached' });
  await page.screenshot({ path: file, omitBackground: true });
} finally {
  await harness.close();
}
console.log(`Drew ${file}`);
