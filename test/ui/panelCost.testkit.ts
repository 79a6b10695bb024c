import type { Page } from 'playwright-core';
import type { Agent, Mood, Snapshot } from '../../src/protocol/state.ts';
import type { HostMessage } from '../../src/protocol/view.ts';
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

/** One agent after another does something else, as the host tells it. */
export function manyChanges(state: Snapshot, count: number): readonly HostMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const agent = state.agents[(index * 37) % state.agents.length] as Agent;
    const moved: Agent = { ...agent, mood: index % 2 === 0 ? 'reading' : 'running', says: `Step ${index}` };
    const revision = state.revision + index + 1;
    return {
      type: 'patch',
      patch: {
        revision,
        sessions: [],
        agents: [moved],
        removedSessions: [],
        removedAgents: [],
        workItems: [],
        removedWorkItems: [],
        events: [],
      },
    };
  });
}

interface Prepared {
  readonly messages: readonly HostMessage[];
  readonly yardstick: string;
}

/** Runs in the page before it is watched, so that what is measured is the panel's work alone. */
export function prepareToSend(messages: readonly HostMessage[]): void {
  const yardstick = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({ id: n, text: `number ${n}`, list: [n] })),
  );
  Object.assign(window, { prepared: { messages, yardstick } satisfies Prepared });
}

/** Runs in the page: 50 messages a second, and how often the panel was drawn between any two frames. */
export async function sendAndCount(): Promise<{
  drawings: number;
  frames: number;
  most: number;
  last: string;
}> {
  const app = document.querySelector('mascot-app') as HTMLElement & { performUpdate(): void };
  const draw = app.performUpdate.bind(app);
  const { messages, yardstick } = (window as unknown as { prepared: Prepared }).prepared;
  const counted = { drawings: 0, frames: 0, most: 0, last: '' };
  let [inFrame, over] = [0, false];
  app.performUpdate = () => {
    counted.drawings += 1;
    inFrame += 1;
    counted.most = Math.max(counted.most, inFrame);
    draw();
  };
  const frame = (): void => {
    counted.frames += 1;
    inFrame = 0;
    if (!over) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  let index = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      postMessage(messages[index], '*');
      index += 1;
      if (index < messages.length) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  for (let round = 0; round < 5; round += 1)
    await new Promise<void>((resolve) =>
      setTimeout(() => {
        console.timeStamp('yardstick');
        JSON.parse(yardstick);
        resolve();
      }),
    );
  over = true;
  const patch = messages.at(-1);
  const agent = patch?.type === 'patch' ? patch.patch.agents[0] : undefined;
  const card = [...(app.shadowRoot?.querySelectorAll('mascot-card') ?? [])].find(
    (one) => (one as HTMLElement & { agent?: Agent }).agent?.id === agent?.id,
  );
  counted.last = (card as (HTMLElement & { agent?: Agent }) | undefined)?.agent?.says ?? '';
  return counted;
}
