import { build } from 'esbuild';
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { tightStyles } from '../../scripts/lib/tightStyles.mjs';
import type { Snapshot } from '../../src/protocol/state.ts';
import type { HostMessage, PanelMessage, ViewConfig } from '../../src/protocol/view.ts';
import { panelHtml } from '../../src/vscode/panel/panelHtml.ts';
import { themes, type ThemeName } from './themes.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** The pages of the harness: the panel as the editor shows it, and the contact sheet of the mascots. */
export const pages = { panel: 'webview/main.ts', sheet: 'test/webview/sheet.ts' } as const;
export type PageName = keyof typeof pages;

export interface Harness {
  open(page: PageName, options?: OpenOptions): Promise<Page>;
  /** Sends a message as the host does, and waits until the panel has drawn it. */
  send(page: Page, ...messages: readonly HostMessage[]): Promise<void>;
  /** Configuration and state, as the host answers `ready`. */
  show(page: Page, config: ViewConfig, state: Snapshot): Promise<void>;
  posted(page: Page): Promise<readonly PanelMessage[]>;
  /** Breaches of the page's content security policy. */
  violations(page: Page): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  readonly query?: string;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly bodyClass?: string;
  readonly scale?: number;
  /** Run in the page before any of its scripts. */
  readonly before?: () => void;
}

/** A browser with the built panel in a page that has the editor's content security policy, theme and message channel. */
export async function startHarness(wanted: readonly PageName[] = ['panel', 'sheet']): Promise<Harness> {
  const scripts = await bundleScripts(wanted);
  const server = await serve(scripts);
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await closeServer(server);
    throw error;
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async open(page, options = {}) {
      const contextOptions: BrowserContextOptions = {
        viewport: { width: options.width ?? 300, height: options.height ?? 800 },
        reducedMotion: options.reducedMotion ?? 'reduce',
        deviceScaleFactor: options.scale ?? 1,
      };
      const context = await browser.newContext(contextOptions);
      const opened = await context.newPage();
      if (options.before) await opened.addInitScript(options.before);
      const query = new URLSearchParams(options.query ?? '');
      query.set('theme', options.theme ?? 'dark');
      if (options.bodyClass) query.set('class', options.bodyClass);
      await opened.goto(`${origin}/${page}?${query.toString()}`);
      return opened;
    },
    send,
    async show(page, config, state) {
      await send(page, { type: 'config', config }, { type: 'snapshot', state, source: 'live' });
    },
    posted: (page) => page.evaluate('harness.posted') as Promise<readonly PanelMessage[]>,
    violations: (page) => page.evaluate('harness.violations') as Promise<readonly string[]>,
    async close() {
      await browser.close();
      await closeServer(server);
    },
  };
}

async function send(page: Page, ...messages: readonly HostMessage[]): Promise<void> {
  await page.evaluate(async (list) => {
    for (const message of list) window.postMessage(message, '*');
    // The messages are tasks of their own; the drawing is asked for in the frame after them.
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, messages as HostMessage[]);
}

/** The system's Chromium; a missing one is a failure that says what to do, never a test that passes by not running. */
export function findChromium(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const wished = environment['CHROMIUM_PATH'];
  if (wished) {
    if (isExecutable(wished)) return wished;
    throw new Error(`CHROMIUM_PATH names ${wished}, which is not an executable file. Correct or unset it.`);
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  for (const folder of (environment['PATH'] ?? '').split(path.delimiter)) {
    const found = names.map((name) => path.join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  throw new Error(
    `No Chromium on the PATH (looked for ${names.join(', ')}). Install one, or set CHROMIUM_PATH to its executable.`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

async function bundleScripts(wanted: readonly PageName[]): Promise<ReadonlyMap<string, string>> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(wanted.map((name) => [name, pages[name]])),
    outdir: 'harness',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    plugins: [tightStyles],
  });
  return new Map(result.outputFiles.map((file) => [path.basename(file.path, '.js'), file.text]));
}

async function serve(scripts: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const name = url.pathname.slice(1);
    const script = name.endsWith('.js') ? scripts.get(name.slice(0, -3)) : undefined;
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script);
    } else if (name in pages) {
      const theme = (url.searchParams.get('theme') ?? 'dark') as ThemeName;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(pageHtml(name, theme, url.searchParams.get('class') ?? ''));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** The page that the extension makes, with what the editor adds to it: theme, body class, and the message channel. */
function pageHtml(name: string, themeName: ThemeName, extraClass: string): string {
  const nonce = randomBytes(16).toString('base64url');
  const { bodyClass, variables } = themes[themeName];
  const classes = `${bodyClass} ${extraClass.replace(/[^a-z -]/g, '')}`;
  const page = panelHtml({ nonce, script: `/${name}.js`, language: 'en', title: name });
  const editor = `<script nonce="${nonce}">(${actAsEditor.toString()})(${JSON.stringify(variables)})</script>`;
  return page.replace('<head>', `<head>${editor}`).replace('<body>', `<body class="${classes}">`);
}

/** Runs in the page, before its own script. */
function actAsEditor(variables: Readonly<Record<string, string>>): void {
  const harness = { posted: [] as unknown[], violations: [] as string[] };
  for (const [name, value] of Object.entries(variables))
    document.documentElement.style.setProperty(`--vscode-${name}`, value);
  document.documentElement.style.setProperty('background', 'var(--vscode-sideBar-background)');
  addEventListener('securitypolicyviolation', (event) => {
    harness.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
  });
  Object.assign(window, {
    harness,
    acquireVsCodeApi: () => {
      Object.assign(window, { acquireVsCodeApi: undefined });
      // Like the editor's: it outlives the page.
      return {
        postMessage: (message: unknown) => void harness.posted.push(message),
        getState: () => JSON.parse(sessionStorage.getItem('kept') ?? 'null') ?? undefined,
        setState: (state: unknown) => sessionStorage.setItem('kept', JSON.stringify(state ?? null)),
      };
    },
  });
}
