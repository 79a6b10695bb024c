/** How long it takes until a person sees it: from the start of the forwarder to the mascot changed in a real workbench. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ensureTools } from '../install-tools.mjs';
import { vsixFile } from '../lib/buildVsix.mjs';
import { freePort } from '../lib/freePort.mjs';
import { median, quantile } from './frame.mjs';

const DEFAULT_RUNS = 20;
const EXTENSION = 'agent-mascot.agent-mascot';

/** One tool call after another: each event puts the one mascot into another mood. */
const STEPS = [
  { hook: 'PreToolUse', tool: 'Bash', mood: 'running' },
  { hook: 'PreToolUse', tool: 'Read', mood: 'reading' },
  { hook: 'PreToolUse', tool: 'Edit', mood: 'writing' },
  { hook: 'PreToolUse', tool: 'Grep', mood: 'searching' },
];

/** @type {import('./frame.mjs').Bench} */
export const panel = {
  name: 'panel',
  about: 'from the start of the forwarder to the mascot changed in the panel of a real VS Code',
  async run({ root, node, log, signal, runs = DEFAULT_RUNS }) {
    const { unavailable } = await ensureTools({ need: ['code-server', 'chromium'], log, signal });
    if (unavailable[0]) return [{ what: 'panel', value: 'not measured', note: unavailable[0].reason }];
    const { launchBrowser, openContainer, openWindow, startServer, webview } =
      await import('../../test/e2e-kit/workbench.mjs');
    const server = await startServer({
      vsix: vsixFile(root),
      settings: { 'agentMascot.collector.port': await freePort() },
    });
    const browser = await launchBrowser();
    const forwarder = path.join(root, 'dist', 'forwarder', 'forward-to-mascot.mjs');
    const env = { PATH: process.env.PATH ?? '', HOME: server.home, AGENT_MASCOT_HOME: server.mascotHome };

    /** @param {Record<string, unknown>} payload */
    const fire = (payload) => {
      const child = spawn(node, [forwarder], { env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(JSON.stringify({ session_id: 'bench', cwd: root, ...payload }));
      return new Promise((resolve) => child.once('close', resolve));
    };

    try {
      const folder = path.join(server.dir, 'bench');
      await mkdir(folder);
      const page = await openWindow(browser, server.url(folder));
      await openContainer(page, 'Agent Mascot');
      const view = webview(page, EXTENSION);
      await view.getByTestId('empty-state').waitFor();
      await fire({ hook_event_name: 'UserPromptSubmit', prompt: 'bench' });
      const mascot = view.locator('[data-testid="mascot"]');
      await mascot.waitFor();

      /** @type {number[]} */
      const times = [];
      for (let round = 0; round <= runs; round++) {
        signal.throwIfAborted();
        const step = STEPS[round % STEPS.length];
        if (!step) continue;
        // The browser's clock is this machine's, so both ends can be read from Date.now().
        const seen = mascot.evaluate(
          (element, mood) =>
            new Promise((resolve) => {
              new MutationObserver((_changes, observer) => {
                if (element.getAttribute('data-mood') !== mood) return;
                observer.disconnect();
                resolve(Date.now());
              }).observe(element, { attributes: true, attributeFilter: ['data-mood'] });
            }),
          step.mood,
        );
        const began = Date.now();
        await fire({ hook_event_name: step.hook, tool_name: step.tool, tool_input: {}, tool_use_id: `t${round}` });
        const took = Number(await seen) - began;
        if (round > 0) times.push(took);
      }
      const bare = await bareNode(node, runs);
      return [
        {
          what: 'hook fired to mascot changed, median',
          value: `${median(times).toFixed(0)} ms`,
          ratio: `${(median(times) / bare).toFixed(2)}×`,
          note: `of \`node -e 0\`, ${bare.toFixed(0)} ms on this machine`,
        },
        {
          what: 'hook fired to mascot changed, p95',
          value: `${quantile(times, 0.95).toFixed(0)} ms`,
          note: `${times.length} runs`,
        },
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

/**
 * @param {string} node
 * @param {number} runs
 */
async function bareNode(node, runs) {
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round < runs; round++) {
    const began = performance.now();
    await new Promise((resolve) => spawn(node, ['-e', '0'], { stdio: 'ignore' }).once('close', resolve));
    times.push(performance.now() - began);
  }
  return median(times);
}
