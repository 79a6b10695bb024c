/** The cases of the bench `panel`: each opens the panel, brings it into a state, and watches it. */
import {
  animationsEnded,
  countPending,
  manyChanges,
  prepareToSend,
  sendAndCount,
  timeless,
} from '../../test/ui/panelCost.testkit.ts';
import { crowded, englishConfig, scenes } from '../../test/webview/fixtures.ts';
import { openOwnTab } from '../../test/webview/ownTab.ts';
import { traced } from '../../test/webview/trace.ts';

/** @typedef {import('../../test/webview/harness.ts').Harness} Harness */
/** @typedef {import('../../src/protocol/state.ts').Mood} Mood */
/** @typedef {import('../../src/protocol/state.ts').Snapshot} Snapshot */
/** @typedef {import('./frame.mjs').Row} Row */
/** @typedef {(harness: Harness) => Promise<Row>} Case */

/** @type {readonly Mood[]} */
const BUSY = ['thinking', 'reading', 'writing', 'running', 'searching', 'browsing', 'delegating', 'waiting', 'asking'];

/**
 * @param {{ few: number, changes: number, watchedMs: number }} sizes
 * @returns {readonly Case[]}
 */
export function cases({ few, changes, watchedMs }) {
  const watch = () => new Promise((resolve) => setTimeout(resolve, watchedMs));
  /** @type {(what: string, moods: readonly Mood[], waiting?: boolean) => Case} */
  const quiet = (what, moods, waiting) => (harness) =>
    inPanel(harness, timeless(moods, waiting), async ({ page, browser }) => {
      await page.evaluate(animationsEnded());
      return rowOf(what, browser, evaluateIn(page), watch);
    });
  return [
    (harness) => inPanel(harness, timeless([]), ({ page, browser }) => hidden(page.url(), browser, watch)),
    quiet('12 idle agents', Array(12).fill('resting')),
    quiet(`${few} busy agents, lively`, BUSY.slice(0, few)),
    quiet('12 agents that wait, lively', Array(12).fill('waiting'), true),
    (harness) => {
      const state = crowded(200);
      return inPanel(harness, state, async ({ page, browser }) => {
        await page.evaluate(animationsEnded());
        let counted = { drawings: 0, frames: 0 };
        let { revision } = state;
        const prepare = async () => {
          await page.evaluate(prepareToSend, [...manyChanges({ ...state, revision }, changes)]);
          revision += changes;
        };
        const send = async () => {
          counted = await page.evaluate(sendAndCount);
        };
        const row = await rowOf('200 agents, 50 changes a second', browser, evaluateIn(page), send, prepare);
        return { ...row, note: `${counted.drawings} drawings in ${counted.frames} frames; ${row.note}` };
      });
    },
  ];
}

/**
 * @param {import('playwright-core').Page} page
 * @returns {import('../../test/webview/trace.ts').Evaluate}
 */
function evaluateIn(page) {
  return (expression) => page.evaluate(expression);
}

/**
 * @param {string} url
 * @param {import('playwright-core').Browser} browser
 * @param {() => Promise<unknown>} watch
 */
async function hidden(url, browser, watch) {
  const tab = await openOwnTab(browser, url, `(${countPending.toString()})()`);
  const messages = [
    { type: 'config', config: englishConfig },
    { type: 'snapshot', state: scenes[5](), source: 'live' },
  ];
  await tab.evaluate(`${JSON.stringify(messages)}.forEach((message) => postMessage(message, '*'))`);
  await tab.evaluate(`new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 100))`);
  await tab.hide();
  const row = await rowOf('hidden, 5 agents', browser, tab.evaluate, watch);
  const { timeouts, intervals, frames } = await tab.evaluate('pending()');
  return { ...row, note: `${timeouts + intervals} timers, ${frames} frames asked for; ${row.note}` };
}

/**
 * @param {Harness} harness
 * @param {Snapshot} state
 * @param {(opened: { page: import('playwright-core').Page, browser: import('playwright-core').Browser }) => Promise<Row>} use
 */
async function inPanel(harness, state, use) {
  const page = await harness.open('panel', { reducedMotion: 'no-preference', width: 320, height: 1600 });
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has lost its browser.');
  try {
    await harness.show(page, englishConfig, state);
    return await use({ page, browser });
  } finally {
    await page.context().close();
  }
}

/**
 * Twice, because tracing costs as well: once for the processor's time and once for the trace.
 * @param {string} what
 * @param {import('playwright-core').Browser} browser
 * @param {import('../../test/webview/trace.ts').Evaluate} evaluate
 * @param {() => Promise<unknown>} during
 * @param {() => Promise<unknown>} [before]
 * @returns {Promise<Row>}
 */
async function rowOf(what, browser, evaluate, during, before = () => Promise.resolve()) {
  await before();
  const { frames, work, longestMs } = await traced(browser, evaluate, during);
  await before();
  const began = performance.now();
  const worked = await processorTimes(browser);
  await during();
  const seconds = (performance.now() - began) / 1000;
  const after = await processorTimes(browser);
  const share = (/** @type {string} */ kind) =>
    `${((((after[kind] ?? 0) - (worked[kind] ?? 0)) / seconds) * 100).toFixed(1)} %`;
  const events = Object.values(work).reduce((sum, count) => sum + count, 0);
  return {
    what,
    value: `${share('all')} of a core`,
    note: `page ${share('renderer')}, drawing process ${share('GPU')}; ${frames} pictures, ${events} pieces of work, longest task ${longestMs.toFixed(1)} ms`,
  };
}

/**
 * Seconds that Chromium's processes have worked so far, by their kind.
 * @param {import('playwright-core').Browser} browser
 */
async function processorTimes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  /** @type {Record<string, number>} */
  const times = { all: 0 };
  for (const { type, cpuTime } of processInfo) {
    times[type] = (times[type] ?? 0) + cpuTime;
    times['all'] = (times['all'] ?? 0) + cpuTime;
  }
  return times;
}
