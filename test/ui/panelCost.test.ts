import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Mood, Snapshot } from '../../src/protocol/state.ts';
import type { HostMessage } from '../../src/protocol/view.ts';
import { crowded, englishConfig, scenes } from '../webview/fixtures.ts';
import { startHarness, type Harness, type OpenOptions } from '../webview/harness.ts';
import { openOwnTab } from '../webview/ownTab.ts';
import { traced, type Traced } from '../webview/trace.ts';
import {
  animatedByStyles,
  animatedProperties,
  animationsEnded,
  countPending,
  manyChanges,
  nothingPending,
  prepareToSend,
  sendAndCount,
  timeless,
} from './panelCost.testkit.ts';

const WATCHED_MS = 10_000;
/** For what begins again several times in it, if it does at all. */
const SHORT_MS = 4_000;
const GLANCE_MS = 300;
const CHANGES = 150;
const lively: OpenOptions = { reducedMotion: 'no-preference', width: 320, height: 1600 };

let harness: Harness;
const opened: Page[] = [];

beforeAll(async () => {
  harness = await startHarness(['panel']);
});
afterAll(async () => {
  await harness?.close();
});
afterEach(async () => {
  for (const page of opened.splice(0)) await page.context().close();
});

async function show(state: Snapshot, options: OpenOptions = lively): Promise<Page> {
  const page = await harness.open('panel', { ...options, before: countPending });
  opened.push(page);
  await harness.show(page, englishConfig, state);
  return page;
}

function browserOf(page: Page) {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has lost its browser.');
  return browser;
}

function watch(ms: number): () => Promise<unknown> {
  return () => new Promise((resolve) => setTimeout(resolve, ms));
}

function trace(page: Page, during = watch(WATCHED_MS)): Promise<Traced> {
  return traced(browserOf(page), (expression) => page.evaluate(expression), during);
}

/** A change is over when its last picture is drawn, which may be some frames after the main thread has done its part. */
async function settled(page: Page): Promise<void> {
  await expect.poll(async () => (await trace(page, watch(GLANCE_MS))).frames).toBe(0);
}

/** What the panel does once after it was shown is done: from now on its main thread only works if something makes it. */
async function quiet(page: Page): Promise<void> {
  await expect.poll(async () => (await trace(page, watch(GLANCE_MS))).work).toEqual({});
}

const pending = (page: Page): Promise<unknown> => page.evaluate('pending()');

test('UI-8 a hidden panel draws no frame, has no timer and does no work in ten seconds', async () => {
  const page = await show(timeless([]));
  const tab = await openOwnTab(browserOf(page), page.url(), `(${countPending.toString()})()`);
  const messages: readonly HostMessage[] = [
    { type: 'config', config: englishConfig },
    { type: 'snapshot', state: scenes[5](), source: 'live' },
  ];
  await tab.evaluate(`new Promise((resolve) => {
    for (const message of ${JSON.stringify(messages)}) postMessage(message, '*');
    const look = () => (document.querySelector('mascot-app')?.shadowRoot?.querySelector('mascot-card') ? resolve() : setTimeout(look, 10));
    look();
  })`);
  // It is seen, shows durations and moves: it has a timer and draws.
  await expect.poll(() => tab.evaluate<number>('pending().intervals + pending().timeouts')).toBe(1);
  const seen = await traced(browserOf(page), tab.evaluate, watch(GLANCE_MS));
  expect(seen.frames).toBeGreaterThan(0);

  await tab.hide();
  const { work, frames } = await traced(browserOf(page), tab.evaluate, watch(WATCHED_MS));
  expect({ work, frames, pending: await tab.evaluate('pending()') }).toEqual({
    work: {},
    frames: 0,
    pending: nothingPending,
  });
});

test('UI-8 UI-7 an unchanged panel without motion draws no frame, has no timer and does no work', async () => {
  const page = await show(timeless(['thinking', 'running', 'waiting', 'resting', 'asking']), {
    ...lively,
    reducedMotion: 'reduce',
  });
  await settled(page);
  const { work, frames } = await trace(page, watch(SHORT_MS));
  expect({ work, frames, pending: await pending(page) }).toEqual({ work: {}, frames: 0, pending: nothingPending });
});

/** As many as move: in a crowd only those do who wait for the person. */
const FEW = 9;
const idle = Array.from({ length: 12 }, (_, index): Mood => (index % 3 === 0 ? 'sleeping' : 'resting'));
const busy: readonly Mood[] = [
  ...(['thinking', 'reading', 'writing', 'running', 'searching', 'browsing'] as const),
  ...(['delegating', 'waiting', 'asking', 'thinking', 'running', 'writing'] as const),
];

test('UI-8 idle agents do no work while they breathe, and after that not even draw', async () => {
  const page = await show(timeless(idle.slice(0, FEW)));
  expect(await page.evaluate(animationsEnded(1000))).toBe(FEW);
  await quiet(page);
  const breathing = await trace(page, watch(SHORT_MS));
  expect(breathing.work).toEqual({});
  expect(breathing.frames).toBeGreaterThan(0);

  expect(await page.evaluate(animationsEnded())).toBe(0);
  await settled(page);
  const { work, frames } = await trace(page, watch(SHORT_MS));
  expect({ work, frames, pending: await pending(page) }).toEqual({ work: {}, frames: 0, pending: nothingPending });
});

test('UI-8 12 idle agents cost nothing at all in ten seconds', async () => {
  const page = await show(timeless(idle));
  expect(await page.evaluate(animationsEnded())).toBe(0);
  await settled(page);
  const { work, frames } = await trace(page);
  expect({ work, frames, pending: await pending(page) }).toEqual({ work: {}, frames: 0, pending: nothingPending });
});

for (const [what, moods, waiting] of [
  ['busy agents', busy.slice(0, FEW), false],
  ['agents that wait for the person', Array.from({ length: 12 }, () => 'waiting' as const), true],
] as const) {
  test(`UI-8 ${moods.length} ${what} move without the main thread`, async () => {
    const page = await show(timeless(moods, waiting));
    // Each breathes, and each that sees blinks.
    expect(await page.evaluate<number>(animationsEnded())).toBeGreaterThanOrEqual(2 * moods.length);
    await quiet(page);
    const { work, frames } = await trace(page, watch(SHORT_MS));
    expect(work).toEqual({});
    expect(frames).toBeGreaterThan(0);
  });
}

test('UI-8 the trace shows an animation that needs the main thread', async () => {
  const page = await show(timeless(idle.slice(0, 1)));
  await page.evaluate(() => void document.body.animate([{ paddingTop: '0px' }, { paddingTop: '9px' }], 5000));
  const { work } = await trace(page, watch(GLANCE_MS));
  expect(Object.keys(work)).toEqual(expect.arrayContaining(['UpdateLayoutTree', 'Layout', 'Commit']));
});

test('UI-8 nothing but transform and opacity is animated, in any style of the panel', async () => {
  const page = await show(crowded(9));
  expect(await animatedProperties(page)).toEqual(['opacity', 'transform']);
  const bundle = await (await fetch(new URL('/panel.js', page.url()))).text();
  expect(animatedByStyles(bundle)).toEqual(['opacity', 'transform']);
  expect(animatedByStyles('.a{transition: color 1s, opacity 2s}@keyframes x{from{width:0}50%{left:1px}}')).toEqual([
    'color',
    'left',
    'opacity',
    'width',
  ]);
});

test('UI-8 200 agents with 50 changes a second: at most one drawing a frame, and no task that holds up the page', async () => {
  const state = crowded(200);
  const page = await show(state);
  await page.evaluate(animationsEnded());
  await page.evaluate(prepareToSend, manyChanges(state, CHANGES));
  let counted = { drawings: 0, frames: 0, most: 0, last: '' };
  const { longestMs, yardstickMs, work } = await trace(page, async () => {
    counted = await page.evaluate(sendAndCount);
  });
  expect(counted.last).toBe(`Step ${CHANGES - 1}`);
  expect(counted.drawings).toBeGreaterThan(0);
  expect(counted.most).toBe(1);
  expect(counted.drawings).toBeLessThanOrEqual(counted.frames);
  expect(work['TimerFire']).toBeGreaterThan(0);
  // The yardstick takes some 10 ms where no task may take 50.
  expect(longestMs / yardstickMs).toBeLessThan(5);
});
