#!/usr/bin/env node
/** Takes the README's picture anew: media/readme/workbench.png, the packaged extension in a real VS Code with a few sessions. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { vsixFile } from './lib/buildVsix.mjs';
import { freePort } from './lib/freePort.mjs';
import { smallPng } from './lib/smallPng.mjs';
import { launchBrowser, openContainer, openWindow, startServer, webview } from '../test/e2e-kit/workbench.mjs';

const root = path.join(import.meta.dirname, '..');
const forwarder = path.join(root, 'dist/forwarder/forward-to-mascot.mjs');
const theme = process.argv[2] === 'light' ? 'light' : 'dark';
const picture = path.join(root, 'media/readme/workbench.png');

const shop = { session_id: 'shop-1', cwd: '/home/dev/shop' };
const docs = { session_id: 'docs-7', cwd: '/home/dev/handbook' };
const game = { session_id: 'game-3', cwd: '/home/dev/tiny-game' };

/** @type {readonly Record<string, unknown>[]} */
const hooks = [
  { ...docs, hook_event_name: 'UserPromptSubmit', prompt: 'Correct the links in chapter two' },
  { ...docs, hook_event_name: 'Stop', last_assistant_message: 'All 14 links lead somewhere again.' },
  { ...shop, hook_event_name: 'UserPromptSubmit', prompt: 'Make the checkout tests pass' },
  { ...shop, hook_event_name: 'SubagentStart', agent_id: 'a1', agent_type: 'Explore' },
  {
    ...shop,
    hook_event_name: 'PreToolUse',
    agent_id: 'a1',
    tool_name: 'Grep',
    tool_input: { pattern: 'applyCoupon' },
    tool_use_id: 't1',
  },
  {
    ...shop,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: '/home/dev/shop/src/checkout/total.ts' },
    tool_use_id: 't2',
  },
  { ...game, hook_event_name: 'UserPromptSubmit', prompt: 'Add a high score table' },
  {
    ...game,
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'npm run build && npm test' },
    tool_use_id: 't3',
  },
];

const server = await startServer({
  vsix: vsixFile(root),
  theme,
  settings: { 'agentMascot.collector.port': await freePort(), 'window.commandCenter': false },
});
const browser = await launchBrowser();
try {
  const folder = path.join(server.dir, 'shop');
  await mkdir(path.join(folder, 'src'), { recursive: true });
  const file = path.join(folder, 'src', 'total.ts');
  await writeFile(
    file,
    'export function total(prices: readonly number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n',
  );
  const page = await openWindow(browser, server.url(folder, [['openFile', server.remoteUri(file)]]));
  await page.setViewportSize({ width: 1100, height: 700 });
  await openContainer(page, 'Agent Mascot');
  const panel = webview(page, 'agent-mascot.agent-mascot');
  await panel.getByTestId('empty-state').waitFor();
  for (const hook of hooks) {
    const child = spawn(process.execPath, [forwarder], {
      env: { PATH: process.env.PATH ?? '', HOME: server.home, AGENT_MASCOT_HOME: server.mascotHome },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.stdin.end(JSON.stringify(hook));
    await new Promise((resolve) => child.once('close', resolve));
  }
  await panel.locator('[data-mood="waiting"]').waitFor();
  // Away from everything that shows a tooltip.
  await page.mouse.move(700, 400);
  await panel.locator('[data-mood="resting"]').first().waitFor();
  await mkdir(path.dirname(picture), { recursive: true });
  await writeFile(picture, smallPng(await page.screenshot()));
  console.log(path.relative(root, picture));
} finally {
  await browser.close();
  await server.stop();
}
