/** Runs a test entry point inside the extension host of a window of code-server. */
import { createServer } from 'node:net';
import path from 'node:path';

const runner = path.join(import.meta.dirname, '..', 'exthost', 'runner.cjs');

/**
 * The workbench takes the paths from its address, and only when its server was started with `tests: true`. It
 * reports the end by a function that the page has to offer.
 * @param {object} options
 * @param {import('./workbench.mjs').Server} options.server
 * @param {import('playwright-core').Browser} options.browser
 * @param {readonly string[]} options.developmentPaths
 * @param {string} options.testsPath
 * @param {string | undefined} [options.folder]
 * @param {Record<string, string>} [options.env]
 * @param {(chunk: Buffer) => void} options.print
 * @param {number} options.limitMs
 * @returns {Promise<number>} the exit code
 */
export async function runInExtensionHost({
  server,
  browser,
  developmentPaths,
  testsPath,
  folder,
  env = {},
  print,
  limitMs,
}) {
  // A socket: what the tests print would otherwise end in the workbench's own log.
  const socket = path.join(server.dir, `out-${Math.random().toString(36).slice(2, 8)}.sock`);
  /** @type {Promise<unknown>[]} */
  const outputs = [];
  const output = createServer((connection) => {
    connection.on('data', print);
    outputs.push(new Promise((resolve) => connection.once('close', resolve)));
  });
  await new Promise((resolve, reject) => output.once('error', reject).listen(socket, () => resolve(undefined)));
  const context = await browser.newContext();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const page = await context.newPage();
    const finished = new Promise((resolve, reject) => {
      const limit = `the tests in the extension host gave no result within ${limitMs / 1000} s (VSCODE_TEST_TIMEOUT_MS moves the limit); server log: ${server.logFile}`;
      timer = setTimeout(() => reject(new Error(limit)), limitMs);
      page.exposeFunction('codeAutomationExit', resolve).catch(reject);
      page.once('close', () => reject(new Error('the window was closed before the tests ended')));
      page.once('crash', () => reject(new Error('the page of the workbench crashed')));
    });
    await page.goto(
      server.url(folder, [
        ...developmentPaths.map(
          (where) => /** @type {const} */ (['extensionDevelopmentPath', server.remoteUri(where)]),
        ),
        ['extensionTestsPath', server.remoteUri(runner)],
        [
          'extensionEnvironment',
          JSON.stringify({ ...env, VSCODE_TEST_OUTPUT: socket, VSCODE_TEST_ENTRY: path.resolve(testsPath) }),
        ],
      ]),
    );
    const code = Number(await finished);
    await Promise.all(outputs);
    return code;
  } finally {
    clearTimeout(timer);
    await context.close();
    output.close();
  }
}
