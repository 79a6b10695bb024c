#!/usr/bin/env node
/**
 * Takes pictures of the panel in all themes, widths and numbers of agents, and the mascots' contact sheet, and checks each panel
 * with axe. `npm run shots -- [folder]`; needs Chromium. Fails when a page breaks its own security policy
 * or axe finds something serious.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seriousFindings } from './axe.ts';
import { allStates, crowded, englishConfig, scenes } from './fixtures.ts';
import { startHarness } from './harness.ts';
import { themes } from './themes.ts';

/** @typedef {import('./themes.ts').ThemeName} ThemeName */

const folder = path.resolve(process.argv[2] ?? 'test-results');
await mkdir(folder, { recursive: true });
const harness = await startHarness();
/** @type {string[]} */
const problems = [];
try {
  for (const theme of /** @type {ThemeName[]} */ (Object.keys(themes))) {
    for (const width of [240, 480]) {
      for (const [count, scene] of Object.entries({ ...scenes, 200: () => crowded(200), states: allStates })) {
        const page = await harness.open('panel', { theme, width, height: 400 });
        await harness.show(page, englishConfig, scene());
        const name = `panel-${theme}-${width}-${count}`;
        // The card of the second session, where there is one.
        if (count === '5') await page.getByRole('button', { name: 'Details of harbour' }).click();
        // A window as high as the list, because what is out of view is not drawn.
        await page.setViewportSize({ width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
        await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
        const found = [...(await harness.violations(page)), ...(await seriousFindings(page))];
        problems.push(...found.map((finding) => `${name}: ${finding}`));
        await page.context().close();
      }
    }
    for (const part of ['sheet', 'sizes']) {
      const page = await harness.open('sheet', { theme, query: `part=${part}`, width: 1000, height: 200 });
      await page.waitForSelector('[data-drawn]', { state: 'attached' });
      await page.screenshot({ path: path.join(folder, `mascots-${theme}-${part}.png`), fullPage: true });
      await page.context().close();
    }
  }
} finally {
  await harness.close();
}
for (const problem of problems) console.error(problem);
console.log(`Pictures are in ${folder}`);
process.exitCode = problems.length > 0 ? 1 : 0;
