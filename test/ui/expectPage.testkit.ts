import type { Locator } from 'playwright-core';
import { expect as vitestExpect } from 'vitest';

const WITHIN_MS = 15_000;

/** Waits for what a page is to show; fails with what it showed instead. */
export function expect(locator: Locator) {
  const poll = <T>(read: () => Promise<T>) => vitestExpect.poll(read, { timeout: WITHIN_MS, interval: 50 });
  return {
    toBeVisible: () => locator.waitFor({ state: 'visible', timeout: WITHIN_MS }),
    toContainText: (text: string) => poll(() => shownIn(locator)).toContain(text),
    toHaveText: (text: string) => poll(() => shownIn(locator)).toBe(text),
    toBeFocused: () =>
      poll(() =>
        locator.evaluate((element) => {
          // Focus inside a component is seen only from its own root.
          const root = element.getRootNode() as Document | ShadowRoot;
          return root.activeElement === element;
        }),
      ).toBe(true),
  };
}

const TOOLTIP_MS = 2_000;

/**
 * The editor's tooltip with this text, after pointing at an element. The editor takes a tooltip away when it draws the row under it
 * again; then a person moves the pointer away and back, and so does this.
 */
export async function tooltipOf(element: Locator, text: string): Promise<Locator> {
  const page = element.page();
  const tooltip = page.locator('.workbench-hover', { hasText: text });
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    await element.hover();
    try {
      await tooltip.waitFor({ timeout: TOOLTIP_MS });
      return tooltip;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await page.mouse.move(0, 0);
    }
  }
}

/** What is hidden still has the text that it had when it was last shown. */
async function shownIn(locator: Locator): Promise<string> {
  return (await locator.isVisible()) ? (await locator.innerText()).replace(/\s+/g, ' ').trim() : '';
}
