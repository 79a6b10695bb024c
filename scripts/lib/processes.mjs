/** What the process table says about a pid. */
import { readFileSync } from 'node:fs';

/**
 * When the process started, in the kernel's ticks: undefined when no such process runs, null where the start
 * can't be read (only Linux has it for free).
 * @param {number} pid
 * @returns {string | null | undefined}
 */
export function processStart(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH') return undefined;
  }
  try {
    // The name in parentheses may hold spaces; the fields after it don't. Field 22 is the start, field 3 the state.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? undefined : (fields[19] ?? null);
  } catch {
    return null;
  }
}
