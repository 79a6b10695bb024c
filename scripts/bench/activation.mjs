/** Measures our activation beside the built-in Git extension's, as the editor's page of running extensions shows both. */
import { ensureTools } from '../install-tools.mjs';
import { vsixFile } from '../lib/buildVsix.mjs';
import { median } from './frame.mjs';

const DEFAULT_RUNS = 10;

/** @type {import('./frame.mjs').Bench} */
export const activation = {
  name: 'activation',
  about: 'loading the script and calling `activate`, as *Show Running Extensions* says, each in a new window',
  async run({ root, log, signal, runs = DEFAULT_RUNS }) {
    const { unavailable } = await ensureTools({ need: ['code-server', 'chromium'], log, signal });
    if (unavailable[0]) return [{ what: 'activation', value: 'not measured', note: unavailable[0].reason }];
    const { launchBrowser, startServer } = await import('../../test/e2e-kit/workbench.mjs');
    const { activationInWindow } = await import('../../test/e2e-kit/runningExtensions.mjs');
    const server = await startServer({ vsix: vsixFile(root) });
    try {
      const browser = await launchBrowser();
      try {
        /** @type {{ ours: number, git: number }[]} */
        const windows = [];
        for (let round = 0; round <= runs; round++) {
          signal.throwIfAborted();
          const times = await activationInWindow(browser, server, `window-${round}`);
          // The first window also fills caches of files.
          if (round > 0) windows.push(times);
        }
        const [ours, git] = [windows.map((each) => each.ours), windows.map((each) => each.git)];
        const ratios = windows.map((each) => each.ours / each.git);
        return [
          { what: 'Agent Mascot', value: `${median(ours)} ms`, note: `${spread(ours, ' ms')}; limit 100 ms` },
          {
            what: 'Git, in the same windows',
            value: `${median(git)} ms`,
            ratio: `${median(ratios).toFixed(2)}`,
            note: `${spread(git, ' ms')}; ours by Git's is ${spread(ratios.map((ratio) => ratio.toFixed(2)))}, limit 0.5`,
          },
        ];
      } finally {
        await browser.close();
      }
    } finally {
      await server.stop();
    }
  },
};

/** @param {readonly (number | string)[]} values @param {string} [unit] */
function spread(values, unit = '') {
  const sorted = values.toSorted((a, b) => Number(a) - Number(b));
  return `${sorted[0]} to ${sorted.at(-1)}${unit} in ${values.length} windows`;
}
