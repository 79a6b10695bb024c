#!/usr/bin/env node
/**
 * Takes the place of the VS Code program for @vscode/test-electron (`vscodeExecutablePath`) where no desktop can run:
 *
 *   vscode-stand-in.mjs --extensionDevelopmentPath=DIR --extensionTestsPath=FILE [FOLDER] [--install-extension=VSIX]
 *
 * The tests run in the extension host of a window of code-server in headless Chromium; their output appears here, and
 * their exit code is this program's. Needs what scripts/install-tools.mjs installs.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { runInExtensionHost } from '../test/e2e-kit/extensionHost.mjs';
import { launchBrowser, startServer } from '../test/e2e-kit/workbench.mjs';
import { interruptSignal } from './lib/interrupt.mjs';

const DEFAULT_LIMIT_MS = 180_000;
/** What a test's launcher hands over by environment; nothing else of it reaches the extension host. */
const PASSED_ON = /^(VSCODE_TEST_|MOCHA_|AGENT_MASCOT_|NODE_V8_COVERAGE$|CI$)/;

/** @param {readonly string[]} args */
function parse(args) {
  /** @type {{ developmentPaths: string[], vsix: string[], testsPath?: string, folder?: string }} */
  const parsed = { developmentPaths: [], vsix: [] };
  for (const arg of args) {
    const [, name, value = ''] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
    if (name === 'extensionDevelopmentPath') parsed.developmentPaths.push(value);
    else if (name === 'install-extension') parsed.vsix.push(value);
    else if (name === 'extensionTestsPath') parsed.testsPath = value;
    else if (!arg.startsWith('-') && statSync(arg, { throwIfNoEntry: false })?.isDirectory())
      parsed.folder = path.resolve(arg);
  }
  return parsed;
}

async function main() {
  const { developmentPaths, vsix, testsPath, folder } = parse(process.argv.slice(2));
  if (testsPath === undefined) {
    console.error('--extensionTestsPath=FILE is missing: this program only runs tests. "npm start" opens VS Code.');
    return 2;
  }
  const signal = interruptSignal();
  const server = await startServer({ vsix, tests: true });
  let code = 1;
  try {
    signal.throwIfAborted();
    const browser = await launchBrowser();
    signal.addEventListener('abort', () => void browser.close(), { once: true });
    try {
      signal.throwIfAborted();
      const env = Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) =>
          value !== undefined && PASSED_ON.test(name) ? [[name, value]] : [],
        ),
      );
      const limitMs = Number(process.env.VSCODE_TEST_TIMEOUT_MS ?? DEFAULT_LIMIT_MS);
      code = await runInExtensionHost({
        server,
        browser,
        developmentPaths,
        testsPath,
        folder,
        env,
        limitMs,
        print: (chunk) => process.stdout.write(chunk),
      });
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
  return code;
}

process.exitCode = await main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
