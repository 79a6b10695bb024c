import type { Page } from 'playwright-core';
import type { Mood } from '../../src/protocol/state.ts';
import { aSession, aSnapshot, anAgent } from '../webview/fixtures.ts';

/** What the page has asked the browser to call it for, as `window.pending()` tells; run before any of the page's scripts. */
export function countPending(): void {
  const pending = { timeouts: new Set<number>(), intervals: new Set<number>(), frames: new Set<number>() };
  const { setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame, cancelAnimationFrame } = window;
  const once =
    <A extends readonly unknown[]>(ids: Set<number>, own: { id: number }, call: (...args: A) => void) =>
    (...args: A) => {
      ids.delete(own.id);
      call(...args);
    };
  const forget = (ids: Set<number>, clear: (id: number) => void) => (id: number) => {
    ids.delete(id);
    clear.call(window, id);
  };
  Object.assign(window, {
    pending: () => ({
      timeouts: pending.timeouts.size,
      intervals: pending.intervals.size,
      frames: pending.frames.size,
    }),
    setTimeout: (call: () => void, ms: number) => {
      const own = { id: 0 };
      own.id = setTimeout.call(window, once(pending.timeouts, own, call), ms) as unknown as number;
      pending.timeouts.add(own.id);
      return own.id;
    },
    setInterval: (call: () => void, ms: number) => {
      const id = setInterval.call(window, call, ms) as unknown as number;
      pending.intervals.add(id);
      return id;
    },
    requestAnimationFrame: (call: FrameRequestCallback) => {
      const own = { id: 0 };
      own.id = requestAnimationFrame.call(window, once(pending.frames, own, call));
      pending.frames.add(own.id);
      return own.id;
    },
    clearTimeout: forget(pending.timeouts, clearTimeout),
    clearInterval: forget(pending.intervals, clearInterval),
    cancelAnimationFrame: forget(pending.frames, cancelAnimationFrame),
  });
}

export const nothingPending = { timeouts: 0, intervals: 0, frames: 0 };

/** Agents in these moods of one session that shows no duration, so that nothing falls due by itself. */
export function timeless(moods: readonly Mood[], waiting = false) {
  const wait = { kind: 'permission', since: new Date().toISOString(), tool: 'Bash' } as const;
  const agents = moods.map((mood, index) =>
    anAgent({
      id: `s/${index}`,
      sessionId: 's',
      kind: index === 0 ? 'main' : 'subagent',
      parentId: index === 0 ? null : 's/0',
      mood,
      wait: waiting && mood === 'waiting' ? wait : null,
    }),
  );
  return aSnapshot([aSession({ id: 's', phase: null, phaseSince: null, phaseBecause: null })], agents);
}

/**
 * Waits in the page until every animation that ends within that time has ended, in the document and in all shadow roots; the
 * answer is how many go on.
 */
export function animationsEnded(withinMs = Number.MAX_VALUE): string {
  return `(async () => {
    const roots = [document];
    for (const root of roots)
      for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
    const animations = roots.flatMap((root) => root.getAnimations());
    const ending = animations.filter((one) => one.effect.getComputedTiming().endTime <= ${withinMs});
    await Promise.all(ending.map((one) => one.finished.catch(() => undefined)));
    // The styles that animations held are let go in the frame after them.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return animations.length - ending.length;
  })()`;
}

/** The properties that animations of the page change now, in the document and in all shadow roots. */
export function animatedProperties(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots)
      for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
    const frames = roots.flatMap((root) =>
      root.getAnimations().flatMap(({ effect }) => (effect instanceof KeyframeEffect ? effect.getKeyframes() : [])),
    );
    const own = new Set(['offset', 'computedOffset', 'easing', 'composite']);
    return [...new Set(frames.flatMap((frame) => Object.keys(frame)))].filter((name) => !own.has(name)).sort();
  });
}

/** What the keyframes and transitions in a bundle's styles may change, each as it stands there. */
export function animatedByStyles(bundle: string): readonly string[] {
  const keyframes = [...bundle.matchAll(/@keyframes\s+[\w-]+\s*\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g)];
  const declared = keyframes.flatMap(([, body = '']) =>
    [...body.matchAll(/([\w-]+)\s*:\s*[^;{}]+/g)].map(([, property = '']) => property),
  );
  const transitions = [...bundle.matchAll(/[;{\s]transition(?:-property)?\s*:\s*([^;}]+)/g)].flatMap(([, list = '']) =>
    list.split(',').map((one) => one.trim().split(/\s+/)[0] ?? ''),
  );
  return [...new Set([...declared, ...transitions])].sort();
}
