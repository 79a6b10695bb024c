/**
 * A real VS Code for tests: code-server on 127.0.0.1 and headless Chromium, both from scripts/install-tools.mjs.
 * Each server has a throw-away profile, extensions folder and HOME, so nothing of the developer's is read or written.
 * What differs from a desktop VS Code is listed in README.md beside this file.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { presentTools } from '../../scripts/install-tools.mjs';
import { installExtension, layoutOf, prepareProfile, startCodeServer } from '../../scripts/lib/codeServer.mjs';

/** Quiet, offline, the same everywhere. Tests may override any of them. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  // Also keeps the server from starting its agent host process.
  'chat.disableAIFeatures': true,
  // Else the workbench offers to open every port that an extension listens on.
  'remote.autoForwardPorts': false,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};

/** The four built-in themes that the interface has to look right in (setting `workbench.colorTheme`). */
const THEMES = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  hcDark: 'Default High Contrast',
  hcLight: 'Default High Contrast Light',
};

/**
 * @typedef {object} ServerOptions
 * @property {string | readonly string[]} [vsix]  packages that are installed before the server starts
 * @property {Record<string, unknown>} [settings]  over the quiet defaults
 * @property {keyof typeof THEMES} [theme]
 * @property {Record<string, string>} [env]  added to the otherwise minimal environment of the extension host
 * @property {boolean} [tests]  the workbench obeys ?payload= (tests in the extension host); it then shows no notifications
 * @property {string} [home]  HOME of the extension host; default: `home` below the server's folder
 * @property {string} [mascotHome]  AGENT_MASCOT_HOME; default: unset, so that ~/.agent-mascot in the throw-away HOME is used
 * @property {string} [root]  the server's folder, kept at the end; default: a new one, removed at the end
 * @property {boolean} [restricted]  folders are not trusted until somebody says so
 * @property {number} [graceSeconds]  how long the extension host of a vanished window lives on (default 1)
 *
 * @typedef {Awaited<ReturnType<typeof startServer>>} Server
 */

/** @param {ServerOptions} [options] */
export async function startServer(options = {}) {
  const { vsix = [], settings = {}, theme, env = {}, tests = false, mascotHome, root, graceSeconds = 1 } = options;
  const { restricted = false } = options;
  const { codeServer, unavailable } = presentTools(['code-server']);
  if (codeServer === undefined)
    throw new Error(unavailable[0]?.reason ?? 'code-server is not installed: run "node scripts/install-tools.mjs".');
  const dir = root ?? (await mkdtemp(path.join(tmpdir(), 'am-')));
  const home = options.home ?? path.join(dir, 'home');
  await mkdir(home, { recursive: true });
  const layout = layoutOf(dir);
  await prepareProfile(layout, {
    settings: { ...SETTINGS, ...(theme ? { 'workbench.colorTheme': THEMES[theme] } : {}), ...settings },
  });
  // Not the caller's environment: variables of VS Code, npm or a test runner change what the server does.
  const serverEnv = {
    PATH: `${path.dirname(codeServer.node)}${path.delimiter}${process.env.PATH ?? ''}`,
    LANG: 'C.UTF-8',
    TMPDIR: tmpdir(),
    HOME: home,
    EXTENSIONS_GALLERY: '{}',
    CODE_SERVER_RECONNECTION_GRACE_TIME: String(graceSeconds),
    ...(mascotHome === undefined ? {} : { AGENT_MASCOT_HOME: mascotHome }),
    ...env,
  };
  const remove = async () => {
    if (root === undefined) await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    for (const file of [vsix].flat())
      await cp(await unpackedExtension(codeServer, file, serverEnv), layout.extensions, { recursive: true });
    const server = await startCodeServer(codeServer, layout, {
      env: serverEnv,
      args: [
        ...(restricted ? [] : ['--disable-workspace-trust']),
        ...(tests ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
      ],
    });
    return {
      origin: server.origin,
      port: server.port,
      pid: server.pid,
      dir,
      home,
      mascotHome: mascotHome ?? path.join(home, '.agent-mascot'),
      logFile: layout.logFile,
      /**
       * The address of a window.
       * @param {string} [folder]
       * @param {readonly (readonly [string, string])[]} [payload]  the workbench's own list of keys and values
       */
      url(folder, payload = []) {
        const query = new URLSearchParams(folder ? { folder } : { ew: 'true' });
        if (payload.length > 0) query.set('payload', JSON.stringify(payload));
        return `${server.origin}/?${query}`;
      },
      /**
       * A file of this machine as the workbench writes it.
       * @param {string} file
       */
      remoteUri: (file) => `vscode-remote://127.0.0.1:${server.port}${path.resolve(file)}`,
      /** @param {{ keep?: boolean }} [how]  keep: leave the folder for a look at its logs */
      async stop({ keep = Boolean(process.env.AGENT_MASCOT_KEEP_E2E) } = {}) {
        await server.stop();
        if (!keep) await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const unpacked = path.join(import.meta.dirname, '..', '..', 'test-results', 'extensions');

/**
 * An extensions folder that holds only this package. The editor installs each package once; every later server gets a copy.
 * @param {import('../../scripts/lib/codeServer.mjs').CodeServerProgram} codeServer
 * @param {string} vsix
 * @param {NodeJS.ProcessEnv} env
 */
async function unpackedExtension(codeServer, vsix, env) {
  const folder = path.join(
    unpacked,
    createHash('sha256')
      .update(await readFile(vsix))
      .digest('hex')
      .slice(0, 16),
  );
  if (existsSync(folder)) return folder;
  await mkdir(unpacked, { recursive: true });
  const work = await mkdtemp(path.join(tmpdir(), 'am-install-'));
  try {
    const layout = layoutOf(work);
    await prepareProfile(layout, { settings: {} });
    await installExtension(codeServer, layout, { vsix, env });
    const ready = `${folder}.${process.pid}`;
    await cp(layout.extensions, ready, { recursive: true });
    // Another worker may have been quicker; both hold the same.
    await rename(ready, folder).catch(() => rm(ready, { recursive: true }));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** @param {{ headless?: boolean }} [options] */
export async function launchBrowser({ headless = true } = {}) {
  const { chromium: executablePath } = presentTools(['chromium']);
  if (executablePath === undefined) throw new Error('Chromium is not installed: run "node scripts/install-tools.mjs".');
  return chromium.launch({
    executablePath,
    headless,
    args: [
      // Chromium's sandbox can't be had as root nor in many containers; only pages of our own server are opened.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

/**
 * One workbench window, as soon as its parts are there. Given a browser, the window has storage of its own (global
 * state, secrets, layout); given a context, it shares that with the context's other windows, as on the desktop.
 * @param {import('playwright-core').Browser | import('playwright-core').BrowserContext} where
 * @param {string} url
 */
export async function openWindow(where, url) {
  const page = await where.newPage();
  // Else the server compresses the workbench's twenty megabytes for each window, within one machine.
  await page.setExtraHTTPHeaders({ 'accept-encoding': 'identity' });
  await page.goto(url);
  await page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });
  return page;
}

/**
 * Shows a view container by its title in the activity bar.
 * @param {import('playwright-core').Page} page
 * @param {string} title
 */
export async function openContainer(page, title) {
  const tab = page.locator('.activitybar').getByRole('tab', { name: title });
  await tab.waitFor();
  if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
}

/**
 * What is inside an extension's webview.
 * @param {import('playwright-core').Page} page
 * @param {string} extensionId
 */
export function webview(page, extensionId) {
  return page.frameLocator(`iframe.webview[src*="extensionId=${extensionId}"]`).frameLocator('iframe#active-frame');
}

/**
 * A status bar item, by the id that it was created with.
 * @param {import('playwright-core').Page} page
 * @param {string} extensionId
 * @param {string} itemId
 */
export function statusItem(page, extensionId, itemId) {
  return page.locator(`.statusbar-item[id="${extensionId}.${itemId}"]`);
}

/** As long as a palette may take to list what it has. */
const LISTED_MS = 2_000;

/**
 * Runs a command through the palette, by its title or the beginning of it. A window that has just opened may not have the
 * command yet, and a palette lists only what was there when it opened: then it is opened again, as it is where it was closed.
 * @param {import('playwright-core').Page} page
 * @param {string} title
 */
export async function runCommand(page, title) {
  const palette = page.locator('.quick-input-widget');
  const input = palette.locator('input[type=text]');
  for (;;) {
    // One that is just closing takes the key, and then closes all the same.
    await palette.waitFor({ state: 'hidden' });
    await page.keyboard.press('F1');
    let place = (await isTyped(page, input, `>${title}`)) ? await placeOf(page, title) : undefined;
    // Not by a click: the list is filtered twice, and its rows are used again for other commands under the pointer.
    while (place === 'listed') {
      await page.keyboard.press('ArrowDown');
      place = await placeOf(page, title);
    }
    if (place === 'active') return page.keyboard.press('Enter');
    if (await palette.isVisible()) await page.keyboard.press('Escape');
  }
}

/**
 * Whether this stands in the palette now. A view that takes the focus while it loads closes a palette that has just opened.
 * @param {import('playwright-core').Page} page
 * @param {import('playwright-core').Locator} input
 * @param {string} text
 */
async function isTyped(page, input, text) {
  try {
    // Its own sign stands there once it is ready; what is typed before that is taken away again.
    await page.waitForFunction(
      (field) => field instanceof HTMLInputElement && field.value === '>' && field.checkVisibility(),
      await input.elementHandle(),
      { timeout: LISTED_MS },
    );
    await input.fill(text, { timeout: LISTED_MS });
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether Enter would take the entry of this title (`active`), or the list shows it elsewhere (`listed`), or not at all.
 * @param {import('playwright-core').Page} page
 * @param {string} title
 * @returns {Promise<'active' | 'listed' | undefined>}
 */
async function placeOf(page, title) {
  try {
    const found = await page.waitForFunction(
      (wanted) => {
        const rows = [...document.querySelectorAll('.quick-input-widget .quick-input-list .monaco-list-row')];
        const labels = rows.map((each) => each.querySelector('.label-name')?.textContent ?? '');
        const row = rows[labels.indexOf(wanted)] ?? rows.find((_, index) => labels[index]?.startsWith(wanted));
        return row && (row.classList.contains('focused') ? 'active' : 'listed');
      },
      title,
      { timeout: LISTED_MS },
    );
    return await found.jsonValue();
  } catch {
    return undefined;
  }
}

/** What the theme picker calls them. */
const THEME_LABELS = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  hcDark: 'Dark High Contrast',
  hcLight: 'Light High Contrast',
};

/**
 * Changes the theme of a window that is open: another window takes ten seconds and more.
 * @param {import('playwright-core').Page} page
 * @param {keyof typeof THEMES} theme
 */
export async function chooseTheme(page, theme) {
  await runCommand(page, 'Preferences: Color Theme');
  await page.locator('.quick-input-widget input[placeholder*="Color Theme"]').fill(THEME_LABELS[theme]);
  await page.locator('.quick-input-widget .monaco-list-row', { hasText: THEME_LABELS[theme] }).first().click();
}
