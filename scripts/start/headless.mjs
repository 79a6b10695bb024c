/** Looks at the browser variant with a headless Chromium, for machines without a display and for measuring. */
import path from 'node:path';
import { launchBrowser, openContainer, openWindow, webview } from '../../test/e2e-kit/workbench.mjs';

const EXTENSION = 'agent-mascot.agent-mascot';
const MASCOT_LIMIT_MS = 120_000;

/** @param {string} url */
export async function openHeadless(url) {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const page = await openWindow(context, url);
    await openContainer(page, 'Agent Mascot');
    // The pointer would keep the tab's tooltip over the panel.
    await page.mouse.move(640, 360);
    return {
      /**
       * Resolves when a mascot can be seen, or else the panel as it is without one.
       * @param {{ mascot: boolean }} what
       */
      seen({ mascot }) {
        const view = webview(page, EXTENSION);
        const wanted = view.getByTestId('mascot');
        return (mascot ? wanted : wanted.or(view.getByTestId('empty-state')))
          .first()
          .waitFor({ timeout: MASCOT_LIMIT_MS });
      },
      /** @param {string} file */
      async screenshot(file) {
        await page.screenshot({ path: path.resolve(file) });
      },
      close: () => browser.close(),
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
