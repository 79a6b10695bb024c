/** The servers that benches load: our collector without an editor, and one that does nothing but answer. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { killTree } from '../lib/killTree.mjs';

const START_LIMIT_MS = 20_000;

/**
 * @typedef {{ url: string, token: string, pid: number, stop: (signal?: NodeJS.Signals) => Promise<void> }} BenchServer
 *
 * @typedef {object} CollectorStart
 * @property {Record<string, string>} [env]
 * @property {readonly string[]} [nodeArgs]
 * @property {readonly string[]} [options]  the collector's own
 * @property {(text: string) => void} [onStderr]
 * @property {number} [startLimitMs]
 */

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @param {string} home  its AGENT_MASCOT_HOME, and its storage below
 * @param {CollectorStart} [how]
 * @returns {Promise<BenchServer>}  once it owns the home
 */
export async function startCollector({ root, node }, home, how = {}) {
  const { env = {}, nodeArgs = [], options = [], onStderr, startLimitMs } = how;
  const program = path.join(root, 'dist', 'headless.js');
  if (!existsSync(program)) throw new Error('dist/headless.js is missing: run "npm run build" first.');
  const places = ['--storage', path.join(home, 'storage'), '--port', '0', '--home', home];
  const args = [...nodeArgs, program, ...places, ...options];
  // The sessions of whoever runs the bench are none of its business.
  const clean = { ...process.env, ...env, HOME: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  const server = await startServer(node, args, { env: clean, onStderr, startLimitMs });
  const { url, portFile } = server.ready;
  const { token } = JSON.parse(await readFile(String(portFile), 'utf8'));
  return { ...server, url: String(url), token };
}

/** Reads the body and answers: what any HTTP server in Node costs. */
const BARE_SERVER = `
const server = require('node:http').createServer((request, response) => {
  let size = 0;
  request.on('data', (chunk) => { size += chunk.length; });
  request.on('end', () => { response.setHeader('content-type', 'application/json'); response.end('{"ok":true}'); });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ ready: true, url: 'http://127.0.0.1:' + server.address().port })));
`;

/**
 * @param {import('./frame.mjs').BenchContext} context
 * @returns {Promise<BenchServer>}
 */
export async function startBareServer({ node }) {
  const server = await startServer(node, ['-e', BARE_SERVER]);
  return { ...server, url: String(server.ready.url), token: 'none' };
}

/**
 * @param {string} node
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, onStderr?: CollectorStart['onStderr'], startLimitMs?: number | undefined }} [how]
 */
async function startServer(node, args, { env = process.env, onStderr, startLimitMs = START_LIMIT_MS } = {}) {
  const child = spawn(node, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  const killAtExit = () => killTree(child.pid, 'SIGKILL');
  process.once('exit', killAtExit);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2000);
    onStderr?.(complaint);
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const ready = await new Promise((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the server did not start within ${startLimitMs / 1000} s: ${complaint}`)),
        startLimitMs,
      );
      void closed.then(() => reject(new Error(`the server ended at its start: ${complaint}`)));
      child.once('error', reject);
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.startsWith('{')) resolve(JSON.parse(line));
      });
    });
    return {
      /** @type {Record<string, unknown>} */
      ready,
      pid: child.pid ?? 0,
      async stop(/** @type {NodeJS.Signals} */ signal = 'SIGTERM') {
        killTree(child.pid, signal);
        await closed;
        process.off('exit', killAtExit);
      },
    };
  } catch (error) {
    killTree(child.pid, 'SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
