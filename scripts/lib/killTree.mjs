/** Ending a child with everything that it started. Children are spawned as leaders of their own process group. */
import { spawnSync } from 'node:child_process';

/**
 * @param {number | undefined} pid  leader of the group
 * @param {NodeJS.Signals} signal
 */
export function killTree(pid, signal) {
  if (!pid) return;
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    else process.kill(-pid, signal);
  } catch {
    // Already gone.
  }
}
