/** Figures of another process: from /proc, which only Linux has, and from `loopProbe.cjs` in it. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** /proc counts processor time in hundredths of a second. */
const TICK_MS = 10;
const KIBIBYTE = 1_024;

export const PROBE = path.join(import.meta.dirname, 'loopProbe.cjs');

/**
 * What held up the main thread of a process since the last time, in milliseconds. Windows has no signal to ask with.
 * @param {number} pid
 * @param {string} file  its LOOP_PROBE_FILE
 * @returns {Promise<{ maxMs: number, workMs?: number }>}
 */
export async function holdUpOf(pid, file) {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text);
    await pause(5);
    process.kill(pid, 0);
  }
}

/**
 * User and system time of all threads so far, in milliseconds.
 * @param {number} pid
 */
export async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * The share of one processor that the process uses meanwhile.
 * @param {number} pid
 * @param {() => Promise<unknown>} during
 */
export async function shareOf(pid, during) {
  const [cpu, wall] = [await cpuMs(pid), performance.now()];
  await during();
  return ((await cpuMs(pid)) - cpu) / (performance.now() - wall);
}

/**
 * Resolves once the process has used less than `share` of a processor in each of so many seconds in a row; to false if it has not
 * within the limit.
 * @param {number} pid
 * @param {{ signal: AbortSignal, share: number, seconds: number, limitSeconds?: number }} how
 */
export async function untilQuiet(pid, { signal, share, seconds, limitSeconds = Infinity }) {
  const since = performance.now();
  for (let quiet = 0; quiet < seconds;) {
    signal.throwIfAborted();
    if (performance.now() - since > limitSeconds * 1_000) return false;
    quiet = (await shareOf(pid, () => pause(1_000))) < share ? quiet + 1 : 0;
  }
  return true;
}

/**
 * Bytes in memory, now and at the peak.
 * @param {number} pid
 */
export async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { now: numberIn(status, 'VmRSS') * KIBIBYTE, peak: numberIn(status, 'VmHWM') * KIBIBYTE };
}

/**
 * Bytes written so far. `toDisk` counts whole pages as the kernel hands them to the file system, and is 0 on file systems in memory;
 * `byCalls` counts what was given to `write`, to sockets too.
 * @param {number} pid
 */
export async function writtenBy(pid) {
  const io = await readFile(`/proc/${pid}/io`, 'utf8');
  return { toDisk: numberIn(io, 'write_bytes'), byCalls: numberIn(io, 'wchar') };
}

/**
 * @param {string} text
 * @param {string} name
 */
function numberIn(text, name) {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
