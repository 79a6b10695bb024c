/** How long it takes until a person sees it: from the start of an installed hook to the mascot changed in a real workbench. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { hookCommand } from '../../src/domain/hooks/command.ts';
import { ensureTools } from '../install-tools.mjs';
import { vsixFile } from '../lib/buildVsix.mjs';
import { freePort } from '../lib/freePort.mjs';
import { median, quantile, ratio } from './frame.mjs';

const DEFAULT_RUNS = 100;
const EXTENSION = 'agent-mascot.agent-mascot';

/** One tool call after another: each event puts the one mascot into another mood. */
const STEPS = [
  { hook: 'PreToolUse', tool: 'Bash', mood: 'running' },
  { hook: 'PreToolUse', tool: 'Read', mood: 'reading' },
  { hook: 'PreToolUse', tool: 'Edit', mood: 'writing' },
  { hook: 'PreToolUse', tool: 'Grep', mood: 'searching' },
];

/** @type {import('./frame.mjs').Bench} */
export const panelLatency = {
  name: 'panel-latency',
  about: 'from the start of an installed hook to the mascot changed in the panel of a real VS Code',
  async run({ root, node, log, signal, runs = DEFAULT_RUNS }) {
    const { unavailable } = await ensureTools({ need: ['code-server', 'chromium'], log, signal });
    if (unavailable[0]) return [{ what: 'panel-latency', value: 'not measured', note: unavailable[0].reason }];
    const { launchBrowser, openContainer, openWindow, startServer, webview } =
      await import('../../test/e2e-kit/workbench.mjs');
    const server = await startServer({
      vsix: vsixFile(root),
      settings: { 'agentMascot.collector.port': await freePort() },
    });
    const browser = await launchBrowser();
    const home = server.mascotHome;
    const env = { PATH: process.env.PATH ?? '', HOME: server.home, AGENT_MASCOT_HOME: home };

    /** As an agent does: by its own shell. @param {{ hook_event_name: string } & Record<string, unknown>} payload */
    const fire = (payload) => {
      const command = hookCommand({ system: 'posix', home }, 'claude', payload.hook_event_name);
      const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'ignore', 'ignore'] });
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
      // Where installing puts it.
      await mkdir(path.join(home, 'bin'), { recursive: true });
      await copyFile(path.join(root, 'dist', 'forwarder', 'hook'), path.join(home, 'bin', 'hook'));
      await fire({ hook_event_name: 'UserPromptSubmit', prompt: 'bench' });
      const mascot = view.locator('[data-testid="mascot"]');
      await mascot.waitFor();

      /** @type {number[]} */
      const times = [];
      /** @type {number[]} */
      const bare = [];
      for (let round = 0; round <= runs; round++) {
        signal.throwIfAborted();
        const step = STEPS[round % STEPS.length];
        if (!step) continue;
        // It looks before the hook is fired, which may be faster than a message to the page.
        await mascot.evaluate((element, mood) => {
          const seen = new Promise((resolve) => {
            new MutationObserver((_changes, observer) => {
              if (element.getAttribute('data-mood') !== mood) return;
              observer.disconnect();
              resolve(Date.now());
            }).observe(element, { attributes: true, attributeFilter: ['data-mood'] });
          });
          Object.assign(window, { seen });
        }, step.mood);
        // The browser's clock is this machine's, so both ends can be read from Date.now().
        const began = Date.now();
        await fire({ hook_event_name: step.hook, tool_name: step.tool, tool_input: {}, tool_use_id: `t${round}` });
        const took = Number(await mascot.evaluate(() => /** @type {{ seen?: unknown }} */ (window).seen)) - began;
        const yardstick = await startOf(node);
        if (round === 0) continue;
        times.push(took);
        bare.push(yardstick);
      }
      return [
        {
          what: 'hook fired to mascot changed, p50',
          value: `${median(times).toFixed(0)} ms`,
          ratio: ratio(median(times), median(bare)),
          note: `${times.length} rounds; \`node -e 0\` in turn with it: p50 ${median(bare).toFixed(0)} ms`,
        },
        {
          what: 'hook fired to mascot changed, p95',
          value: `${quantile(times, 0.95).toFixed(0)} ms`,
          ratio: ratio(quantile(times, 0.95), quantile(bare, 0.95)),
          note: `\`node -e 0\`: p95 ${quantile(bare, 0.95).toFixed(0)} ms`,
        },
      ];
    } finally {
      await browser.close();
      await server.stop();
    }
  },
};

/** @param {string} node */
async function startOf(node) {
  const began = performance.now();
  await new Promise((resolve) => spawn(node, ['-e', '0'], { stdio: 'ignore' }).once('close', resolve));
  return performance.now() - began;
}
