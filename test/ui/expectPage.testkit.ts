import type { Locator } from 'playwright-core';
import { expect as vitestExpect } from 'vitest';

const WITHIN_MS = 15_000;

/** Waits for what a page is to show; fails with what it showed instead. */
export function expect(locator: Locator) {
  const poll = <T>(read: () => Promise<T>) => vitestExpect.poll(read, { timeout: WITHIN_MS, interval: 50 });
  return {
    toBeVisible: () => locator.waitFor({ state: 'visible', timeout: WITHIN_MS }),
    toContainText: (text: string) => poll(async () => normalised(await locator.innerText())).toContain(text),
    toHaveText: (text: string) => poll(async () => normalised(await locator.innerText())).toBe(text),
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

function normalised(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
