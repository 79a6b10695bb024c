import { closeSync, openSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** FWD-7: an editor that has just been started needs some seconds, and one that does not start is not worth more tries. */
export const LAUNCH_EVERY_MS = 60_000;

const ours = /^launch-\d{1,15}$/;

/**
 * The right to start an editor, for one process in a minute. Each minute has a file that one can create, so there is no
 * old file to take over, which two could do at once; whatever lies there blocks one minute at most.
 */
export function takeLaunchRight(home: string, now: number): boolean {
  const minute = Math.floor(now / LAUNCH_EVERY_MS);
  const file = (at: number) => join(home, `launch-${at}`);
  // The clocks of two processes may read two sides of a minute's end: the right of the one must be seen by the other.
  const isTakenNearby = () => isFresh(file(minute - 1), now) || isFresh(file(minute + 1), now);
  try {
    if (isTakenNearby()) return false;
    closeSync(openSync(file(minute), 'wx', 0o600));
    sweep(home, minute);
    return !isTakenNearby();
  } catch {
    // Taken, or a home that can't be written: then nobody could tell how often it is tried.
    return false;
  }
}

/** For who would start a process only to learn it. */
export function isLaunchRightTaken(home: string, now: number): boolean {
  const minute = Math.floor(now / LAUNCH_EVERY_MS);
  return [minute, minute - 1].some((at) => isFresh(join(home, `launch-${at}`), now));
}

/** Of the last minute. A time far off, from before the clock was set, tells nothing. */
function isFresh(file: string, now: number): boolean {
  const taken = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return taken !== undefined && Math.abs(now - taken) < LAUNCH_EVERY_MS;
}

function sweep(home: string, minute: number): void {
  for (const name of readdirSync(home)) {
    if (!ours.test(name) || Math.abs(minuteOf(name) - minute) <= 1) continue;
    try {
      unlinkSync(join(home, name));
    } catch {
      // Gone, or no file of ours.
    }
  }
}

function minuteOf(name: string): number {
  return Number(name.slice(name.indexOf('-') + 1));
}
