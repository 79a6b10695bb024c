import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Agent, Patch, Session, Snapshot } from '../../src/protocol/state.ts';
import type { HostMessage } from '../../src/protocol/view.ts';
import { englishConfig } from '../webview/fixtures.ts';
import { startHarness, type Harness, type OpenOptions } from '../webview/harness.ts';

export interface PanelTests {
  harness(): Harness;
  open(options?: OpenOptions): Promise<Page>;
  show(state: Snapshot, options?: OpenOptions, config?: typeof englishConfig): Promise<Page>;
}

/** A browser for the tests of one file; each page that they open must have kept the security policy. */
export function usePanels(): PanelTests {
  let started: Harness | undefined;
  const pagesOpened: Page[] = [];
  const harness = () => {
    if (started === undefined) throw new Error('the harness is started before the tests');
    return started;
  };
  beforeAll(async () => {
    started = await startHarness();
  });
  afterAll(async () => {
    await started?.close();
  });
  afterEach(async () => {
    for (const page of pagesOpened.splice(0)) {
      expect(await harness().violations(page)).toEqual([]);
      await page.context().close();
    }
  });
  async function open(options: OpenOptions = {}): Promise<Page> {
    const page = await harness().open('panel', options);
    pagesOpened.push(page);
    return page;
  }
  return {
    harness,
    open,
    async show(state, options = {}, config = englishConfig) {
      const page = await open(options);
      await harness().show(page, config, state);
      return page;
    },
  };
}

export function patch(
  revision: number,
  sessions: readonly Session[],
  agents: readonly Agent[] = [],
  more: Partial<Patch> = {},
): HostMessage {
  const changed = { sessions: [...sessions], agents: [...agents] };
  return {
    type: 'patch',
    patch: {
      revision,
      ...changed,
      removedSessions: [],
      removedAgents: [],
      workItems: [],
      removedWorkItems: [],
      events: [],
      ...more,
    },
  };
}

export function agentIds(page: Page): Promise<readonly (string | null)[]> {
  return page.getByTestId('mascot').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-agent-id')));
}

/** Of the session or the mascot that has the focus. */
export function focusedId(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const active = document.querySelector('mascot-app')?.shadowRoot?.activeElement;
    return active?.getAttribute('data-agent-id') ?? active?.getAttribute('data-session-id');
  });
}

/** Run in the page before its scripts: which of the panel's timers wait, and how many frames it has asked for. */
export function recordTimers(): void {
  const running = new Map<unknown, number>();
  const start = window.setTimeout.bind(window);
  const stop = window.clearTimeout.bind(window);
  const frame = window.requestAnimationFrame.bind(window);
  let frames = 0;
  Object.assign(window, {
    waits: () => [...running.values()],
    frames: () => frames,
    quietFrame: frame,
    quietTimeout: start,
    setInterval: () => {
      throw new Error('The panel has no repeating timer.');
    },
    setTimeout: (run: () => void, wait = 0, ...rest: unknown[]) => {
      const id: unknown = start(
        (...args: unknown[]) => {
          running.delete(id);
          Reflect.apply(run, window, args);
        },
        wait,
        ...rest,
      );
      // What is only put off to the next task waits for nothing.
      if (wait > 0) running.set(id, wait);
      return id;
    },
    clearTimeout: (id: number) => {
      running.delete(id);
      stop(id);
    },
    requestAnimationFrame: (callback: FrameRequestCallback) => {
      frames += 1;
      return frame(callback);
    },
  });
}

/** For how long the panel's timers were set, in milliseconds. */
export function timersWaiting(page: Page): Promise<readonly number[]> {
  return page.evaluate('waits()') as Promise<readonly number[]>;
}

export async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((wanted) => {
    Object.defineProperty(document, 'visibilityState', { value: wanted, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

/** In the document and in every shadow root: `getAnimations` of the document alone does not look into them. */
export function runningAnimations(page: Page): Promise<number> {
  return page.evaluate(() => {
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots) {
      for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
    }
    return roots.reduce((sum, root) => sum + root.getAnimations().length, 0);
  });
}
