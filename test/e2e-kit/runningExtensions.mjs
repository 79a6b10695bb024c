import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openWindow, runCommand } from './workbench.mjs';

/**
 * Reads activation times in milliseconds from the editor's page of running extensions, in a new window.
 * @param {import('playwright-core').Browser} browser
 * @param {import('./workbench.mjs').Server} server
 * @param {string} name  of the window's folder
 */
export async function activationInWindow(browser, server, name) {
  const folder = path.join(server.dir, name);
  await mkdir(folder);
  // Tall enough for all rows: the page draws only those that are in sight.
  const context = await browser.newContext({ viewport: { width: 1280, height: 1600 } });
  try {
    const page = await openWindow(context, server.url(folder));
    await runCommand(page, 'Developer: Show Running Extensions');
    const rows = page.locator('.runtime-extensions-editor .monaco-list-row');
    /** @param {string} extension */
    const timeOf = async (extension) => {
      const row = rows.filter({ has: page.locator('.name', { hasText: new RegExp(`^${extension}$`) }) });
      const text = await row.locator('.activation-time', { hasText: /\d+ms/ }).textContent();
      return Number(/(\d+)ms/.exec(text ?? '')?.[1]);
    };
    return { ours: await timeOf('Agent Mascot'), git: await timeOf('Git') };
  } finally {
    await context.close();
  }
}
