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

/** What is hidden still has the text that it had when it was last shown. */
async function shownIn(locator: Locator): Promise<string> {
  return (await locator.isVisible()) ? (await locator.innerText()).replace(/\s+/g, ' ').trim() : '';
}
