/** What the panel costs while people do nothing but have it open: frames and processor time, of Chromium's tracing. */
import { ensureTools } from '../install-tools.mjs';

const WATCHED_MS = 5_000;
const CHANGES = 250;
/** More than these are a crowd, in which only those move who wait for the person. */
const FEW = 9;

/** @type {import('./frame.mjs').Bench} */
export const panel = {
  name: 'panel',
  about: 'frames, work and processor time of the panel: hidden, idle, with 9, 12 and 200 agents',
  async run({ log, signal, runs = 1 }) {
    const { unavailable } = await ensureTools({ need: ['chromium'], log, signal });
    if (unavailable[0]) return [{ what: 'panel', value: 'not measured', note: unavailable[0].reason }];
    // What draws the panel for tests; needs the development's packages, so not before they are there.
    const { startHarness } = await import('../../test/webview/harness.ts');
    const harness = await startHarness(['panel']);
    try {
      const { cases } = await import('./panelCases.mjs');
      const rows = [];
      for (const one of cases({ few: FEW, changes: CHANGES, watchedMs: WATCHED_MS })) {
        for (let run = 0; run < runs; run++) {
          signal.throwIfAborted();
          rows.push(await one(harness));
        }
      }
      return rows;
    } finally {
      await harness.close();
    }
  },
};
