import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { PortFile } from '../../src/protocol/discovery.ts';
import { extensionId, statusBarId } from '../../src/vscode/ids.ts';
import { portFileAt } from '../portFileAt.testkit.ts';
import { launchBrowser, openContainer, openWindow, startServer, statusItem, webview } from '../e2e-kit/workbench.mjs';

const root = path.join(import.meta.dirname, '../..');
const forwarder = path.join(root, 'dist/forwarder/forward-to-mascot.mjs');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** The packaged extension in a real VS Code with a folder of its own, and the built forwarder that agents' hooks would call. */
export async function startWorkbench(
  options: {
    settings?: Record<string, unknown>;
    theme?: 'dark' | 'light' | 'hcDark' | 'hcLight';
    restricted?: boolean;
    viewport?: { width: number; height: number };
    deviceScaleFactor?: number;
  } = {},
) {
  const vsix = path.join(root, 'agent-mascot.vsix');
  if (!existsSync(vsix)) throw new Error('agent-mascot.vsix is missing: run "npm test -- ui", which builds it.');
  const server = await startServer({
    vsix,
    settings: {
      'agentMascot.collector.port': await freePort(),
      // Git looks for repositories with a dozen processes a window.
      'git.enabled': false,
      // Else each window that shows such a file starts two language servers.
      'files.associations': { '*.ts': 'plaintext' },
      ...options.settings,
    },
    ...(options.theme === undefined ? {} : { theme: options.theme }),
    restricted: options.restricted ?? false,
  });
  const browser: Browser = await launchBrowser();
  const context: BrowserContext = await browser.newContext({
    viewport: options.viewport ?? { width: 1280, height: 720 },
    deviceScaleFactor: options.deviceScaleFactor ?? 1,
    // Drawing what moves keeps a processor busy; `panelCost.test.ts` looks at motion.
    reducedMotion: 'reduce',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
  const portFilePath = path.join(server.mascotHome, 'collector.json');

  /** Runs one hook through the built forwarder, as an agent would. */
  function hook(payload: Record<string, unknown>, provider = 'claude', event?: string): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(
        process.execPath,
        [forwarder, '--provider', provider, ...(event === undefined ? [] : ['--event', event])],
        {
          env: { PATH: process.env['PATH'] ?? '', HOME: server.home, AGENT_MASCOT_HOME: server.mascotHome },
        },
      );
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
      child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
      child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(`${JSON.stringify(payload)}\n`);
    });
  }

  /** Asks the collector, as any program of this machine with its token may; what is sent goes as JSON. */
  function ask(route: string, body?: unknown): Promise<Response> {
    const owner = portFileAt(portFilePath);
    if (owner === undefined) throw new Error('No collector runs yet: wait for a window first.');
    return fetch(new URL(route, owner.url), {
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  }

  return {
    server,
    context,
    hook,
    ask,
    portFilePath,
    portFile: (): PortFile | undefined => portFileAt(portFilePath),
    async window(name: string): Promise<Page> {
      const folder = path.join(server.dir, name);
      mkdirSync(folder, { recursive: true });
      const page = await openWindow(context, server.url(folder));
      await openContainer(page, 'Agent Mascot');
      return page;
    },
    panel: (page: Page) => webview(page, extensionId),
    /** What the editor's own Markdown extension draws. */
    preview: (page: Page) => webview(page, 'vscode.markdown-language-features'),
    status: (page: Page) => statusItem(page, extensionId, statusBarId),
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}
