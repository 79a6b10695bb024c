/** The shell that an agent starts for a hook: our entry beside doing nothing, and beside what a person would write. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { WebSocket } from 'ws';
import { findProgram } from '../lib/findProgram.mjs';
import { median, quantile, ratio, takeTurns } from './frame.mjs';
import { toolCall } from './load.mjs';
import { startCollector } from './servers.mjs';

const DEFAULT_RUNS = 100;
/** The kernel counts the processor's time of children in hundredths of a second. */
const TICK_MS = 10;
const SIZES = { '2 kB': 2_000, '1 MB': 1_000_000 };

/** @type {import('./frame.mjs').Bench} */
export const hooks = {
  name: 'hooks',
  about: 'one hook, from the start of its shell to its end, and until it is on the screen; a collector runs',
  async run(context) {
    const { root, node, scratch, log, signal, runs = DEFAULT_RUNS } = context;
    const home = await homeOf(root, path.join(scratch, 'mascot'));
    const alone = await homeOf(root, path.join(scratch, 'alone'));
    const server = await startCollector(context, home);
    const out = path.join(scratch, 'out');
    /** @type {Record<string, string>} */
    const commands = {
      true: 'true',
      'ours, telling': entry(home),
      'ours, telling, no collector': entry(alone),
      'ours, guard that is off': entry(home, ' guard'),
      'exec cat': `exec cat >"${out}"`,
      'cat && mv': `cat >"${out}.tmp" && mv "${out}.tmp" "${out}"`,
      'our forwarder in Node': `exec "${node}" "${home}/bin/forward-to-mascot.mjs" --installed`,
    };
    if (findProgram('curl') === undefined) log('curl: left out, not on the PATH');
    else
      commands['curl'] =
        `exec curl -sS --max-time 5 -H 'content-type: application/json' -H 'authorization: Bearer ${server.token}' --data-binary @- "${server.url}/ingest" >/dev/null`;
    const env = { PATH: process.env.PATH, HOME: scratch, AGENT_MASCOT_HOME: home };
    try {
      const rows = [];
      let calls = 0;
      for (const [size, bytes] of Object.entries(SIZES)) {
        const input = () => JSON.stringify({ ...toolCall(calls++), extra: 'y'.repeat(Math.max(0, bytes - 1_000)) });
        const times = await takeTurns(Object.keys(commands), {
          runs: bytes > 100_000 ? Math.ceil(runs / 4) : runs,
          signal,
          measure: (name) => timeOf(String(commands[name]), env, input()),
        });
        const base = median(times['true'] ?? []);
        for (const [what, values] of Object.entries(times)) {
          const cpu =
            bytes > 100_000 ? undefined : await cpuOf(runs, () => timeOf(String(commands[what]), env, input()));
          rows.push({
            what: `${what}, ${size}`,
            value: `${median(values).toFixed(2)} ms`,
            ratio: ratio(median(values), base),
            note: `p95 ${quantile(values, 0.95).toFixed(2)} ms${cpu === undefined ? '' : `, CPU ${cpu.toFixed(2)} ms`}`,
          });
        }
      }
      return [...rows, ...(await pickUp(server, entry(home), env, runs, signal))];
    } finally {
      await server.stop();
    }
  },
};

/** @param {string} root @param {string} home */
export async function homeOf(root, home) {
  await mkdir(path.join(home, 'bin'), { recursive: true, mode: 0o700 });
  for (const name of ['hook', 'forward-to-mascot.mjs']) {
    const built = path.join(root, 'dist', 'forwarder', name);
    if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first.`);
    await copyFile(built, path.join(home, 'bin', name));
  }
  return home;
}

/** As src/domain/hooks/command.ts writes it. @param {string} home */
export function entry(home, guard = '') {
  return `exec 2>/dev/null;m="${home}";set -- claude PreToolUse${guard};trap "exit 0" 0;[ -r "$m/bin/hook" ]&&. "$m/bin/hook";exit 0 #agent-mascot`;
}

/**
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env
 * @param {string} input
 * @param {string} [cwd]
 * @returns {Promise<number>} milliseconds
 */
export function timeOf(command, env, input, cwd) {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const child = spawn('sh', ['-c', command], { env, cwd, stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => (complaint += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 && complaint === '') resolve(performance.now() - since);
      else reject(new Error(`${command} ended with ${code}: ${complaint}`));
    });
    // `true` never reads it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * The processor's time of a hook and all that it waits for; undefined where the system does not tell.
 * @param {number} runs
 * @param {() => Promise<unknown>} once
 */
async function cpuOf(runs, once) {
  const before = childrenCpu();
  for (let i = 0; i < runs; i++) await once();
  const after = childrenCpu();
  return before === undefined || after === undefined ? undefined : (after - before) / runs;
}

function childrenCpu() {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return undefined;
  }
}

/**
 * @param {import('./servers.mjs').BenchServer} server
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env
 * @param {number} runs
 * @param {AbortSignal} signal
 */
async function pickUp(server, command, env, runs, signal) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  try {
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    /** @type {{ fromStart: number, fromEnd: number }[]} */
    const times = [];
    for (let n = 0; n < runs; n++) {
      signal.throwIfAborted();
      const session_id = `bench-${n}`;
      const shown = new Promise((resolve) => {
        const look = (/** @type {Buffer} */ frame) => {
          if (!frame.toString().includes(`"${session_id}"`)) return;
          socket.off('message', look);
          resolve(performance.now());
        };
        socket.on('message', look);
      });
      const since = performance.now();
      await timeOf(command, env, JSON.stringify({ ...toolCall(n), hook_event_name: 'PreToolUse', session_id }));
      const ended = performance.now();
      const at = await shown;
      times.push({ fromStart: at - since, fromEnd: Math.max(0, at - ended) });
    }
    return /** @type {const} */ ([
      ['from the hook’s start to /ws', 'fromStart'],
      ['from the hook’s end to /ws', 'fromEnd'],
    ]).map(([what, key]) => {
      const values = times.map((each) => each[key]);
      return { what, value: `${median(values).toFixed(1)} ms`, note: `p95 ${quantile(values, 0.95).toFixed(1)} ms` };
    });
  } finally {
    socket.terminate();
  }
}
