/** Runs a program to its end, with an error that shows what it printed and says what to do. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { killTree } from './killTree.mjs';

const GRACE_MS = 5000;
const KEPT_CHARACTERS = 200_000;
/** Some programs say first what is wrong, some last. */
const SHOWN_FIRST_LINES = 15;
const SHOWN_LAST_LINES = 30;

/**
 * @typedef {object} RunOptions
 * @property {string} [label]  how messages call it; default: the command line
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [stream]  its output goes straight to the terminal and is not kept
 * @property {string | undefined} [logFile]  its output is appended there as well
 * @property {AbortSignal | undefined} [signal]  ends it and everything that it started
 * @property {boolean} [check]  reject when it fails (default true)
 * @property {string} [advice]  what to do when it fails
 *
 * @typedef {{ code: number, stdout: string, output: string }} RunResult  `output` is both streams as they came
 */

export class RunError extends Error {
  /** @override */
  name = 'RunError';
  /** @type {number} */
  code;
  /** @type {string} */
  output;

  /**
   * @param {string} message
   * @param {number} code
   * @param {string} output
   */
  constructor(message, code, output) {
    super(message);
    this.code = code;
    this.output = output;
  }
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<RunResult>}
 */
export async function run(command, args, options = {}) {
  const { cwd, env = process.env, stream = false, logFile, signal, check = true, advice } = options;
  const label = options.label ?? [path.basename(command), ...args].join(' ');
  signal?.throwIfAborted();

  // Windows starts .cmd files through its shell only, which then needs the quotes.
  const batch = process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
  const child = spawn(batch ? `"${command}"` : command, batch ? args.map((arg) => `"${arg}"`) : args, {
    cwd,
    env,
    shell: batch,
    detached: process.platform !== 'win32',
    stdio: stream ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
  let stdout = '';
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
    output = (output + chunk).slice(-KEPT_CHARACTERS);
    log?.write(chunk);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    output = (output + chunk).slice(-KEPT_CHARACTERS);
    log?.write(chunk);
  });

  const killAtExit = () => killTree(child.pid, 'SIGKILL');
  /** @type {NodeJS.Timeout | undefined} */
  let grace;
  const stop = () => {
    killTree(child.pid, 'SIGTERM');
    grace = setTimeout(killTree, GRACE_MS, child.pid, 'SIGKILL');
  };
  process.once('exit', killAtExit);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, killedBy) => resolve(exitCode ?? (killedBy ? 128 : 1)));
    });
    signal?.throwIfAborted();
    if (check && code !== 0) throw new RunError(failure(`ended with exit code ${code}`), code, output);
    return { code, stdout, output };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new RunError(failure(error.message), 127, output);
    throw error;
  } finally {
    clearTimeout(grace);
    process.off('exit', killAtExit);
    signal?.removeEventListener('abort', stop);
    log?.end();
  }

  /** @param {string} reason */
  function failure(reason) {
    return [
      `${label}: ${reason}`,
      ...(stream || output.trim() === '' ? [] : [shortened(output.trimEnd())]),
      ...(logFile ? [`Full log: ${logFile}`] : []),
      ...(advice ? [advice] : []),
    ].join('\n');
  }
}

/** @param {string} text */
function shortened(text) {
  const lines = text.split('\n');
  const left = lines.length - SHOWN_FIRST_LINES - SHOWN_LAST_LINES;
  if (left <= 1) return text;
  return [...lines.slice(0, SHOWN_FIRST_LINES), `… ${left} lines …`, ...lines.slice(-SHOWN_LAST_LINES)].join('\n');
}
