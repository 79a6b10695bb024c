/** How long `activate` holds the editor up, in a real extension host. */
import path from 'node:path';
import { ensureTools } from '../install-tools.mjs';
import { median } from './frame.mjs';

const DEFAULT_RUNS = 10;
const LIMIT_MS = 60_000;

/** @type {import('./frame.mjs').Bench} */
export const activation = {
  name: 'activation',
  about: 'from the call of `activate` to its return, as the extension measures it, each in a new extension host',
  async run({ root, log, signal, runs = DEFAULT_RUNS }) {
    const { unavailable } = await ensureTools({ need: ['code-server', 'chromium'], log, signal });
    if (unavailable[0]) return [{ what: 'activation', value: 'not measured', note: unavailable[0].reason }];
    const { launchBrowser, startServer } = await import('../../test/e2e-kit/workbench.mjs');
    const { runInExtensionHost } = await import('../../test/e2e-kit/extensionHost.mjs');
    const server = await startServer({ tests: true });
    try {
      const browser = await launchBrowser();
      try {
        /** @type {number[]} */
        const times = [];
        for (let round = 0; round <= runs; round++) {
          signal.throwIfAborted();
          let printed = '';
          const code = await runInExtensionHost({
            ...{ server, browser, developmentPaths: [root], limitMs: LIMIT_MS },
            testsPath: path.join(import.meta.dirname, 'activationProbe.cjs'),
            print: (chunk) => (printed += chunk),
          });
          const { activationMs } = code === 0 ? JSON.parse(/^\{.*\}$/m.exec(printed)?.[0] ?? '{}') : {};
          if (typeof activationMs !== 'number') {
            throw new Error(`the extension does not export a number as activationMs (exit code ${code}):\n${printed}`);
          }
          // The first host also fills caches of files.
          if (round > 0) times.push(activationMs);
        }
        const spread = `${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} ms in ${times.length} runs`;
        return [{ what: 'activate()', value: `${median(times).toFixed(1)} ms`, note: `${spread}; limit 100 ms` }];
      } finally {
        await browser.close();
      }
    } finally {
      await server.stop();
    }
  },
};
