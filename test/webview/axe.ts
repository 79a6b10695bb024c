import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What comes in is half transparent on its way, which a busy machine draws late. What never ends is not waited for. */
async function arrivals(page: Pick<Page, 'evaluate'>): Promise<void> {
  await page.evaluate(async () => {
    const rootsIn = (root: Document | ShadowRoot): (Document | ShadowRoot)[] => [
      root,
      ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? rootsIn(shadowRoot) : [])),
    ];
    const ending = rootsIn(document)
      .flatMap((root) => root.getAnimations())
      .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** What axe finds of impact serious or critical, one line each. */
export async function seriousFindings(page: Pick<Page, 'evaluate'>): Promise<readonly string[]> {
  await arrivals(page);
  // Evaluated by the debugger, so the page's own security policy stays as it is.
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return serious((await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult);
}

/** The same in the frame that this is in. */
export async function seriousFindingsAround(locator: Locator): Promise<readonly string[]> {
  const frame = await (await locator.elementHandle())?.ownerFrame();
  if (!frame) throw new Error('it is in no frame');
  // The side bar paints the ground under a webview, which axe can't see from inside it.
  await frame.evaluate(() => {
    const { style } = document.documentElement;
    style.backgroundColor = getComputedStyle(document.documentElement).getPropertyValue('--vscode-sideBar-background');
  });
  return seriousFindings(frame);
}

function serious(result: AxeResult): readonly string[] {
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help} (${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`).join(' | ')})`,
    );
}
