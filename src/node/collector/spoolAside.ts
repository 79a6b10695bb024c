import { SPOOL_MAX_FILES } from '../../protocol/limits.ts';
import type { SpoolFile } from './spoolFiles.ts';

/** As often as a look at a whole folder of such files costs nothing. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** `taken`: its event is stored, or can never be; only the file is still there. `refused`: it alone could not be stored or read. */
export type AsideReason = 'taken' | 'refused';

/** Files that keep nobody else waiting. Each is tried again, ever more seldom. */
export interface Aside {
  /** What to do with this file now. */
  turn(file: SpoolFile): 'take' | 'remove' | 'wait';
  put(file: SpoolFile, reason: AsideReason): void;
  /** Forgets what is no longer there. */
  keepOnly(files: Iterable<SpoolFile>): void;
}

interface Entry {
  readonly mark: string;
  readonly reason: AsideReason;
  readonly until: number;
  readonly waitMs: number;
}

export function createAside(now: () => number, firstWaitMs: number): Aside {
  const entries = new Map<string, Entry>();
  return {
    turn(file) {
      const entry = entries.get(file.name);
      if (entry?.mark !== markOf(file)) return 'take';
      if (now() < entry.until) return 'wait';
      return entry.reason === 'taken' ? 'remove' : 'take';
    },
    put(file, reason) {
      const before = entries.get(file.name);
      const mark = markOf(file);
      const waitMs = before?.mark === mark ? Math.min(2 * before.waitMs, LONGEST_WAIT_MS) : firstWaitMs;
      entries.set(file.name, { mark, reason, until: now() + waitMs, waitMs });
      const [oldest] = entries.keys();
      // A forgotten one is taken in again, which its delivery_id makes harmless.
      if (entries.size > SPOOL_MAX_FILES && oldest !== undefined) entries.delete(oldest);
    },
    keepOnly(files) {
      if (entries.size === 0) return;
      const there = new Set<string>();
      for (const { name } of files) there.add(name);
      for (const name of entries.keys()) if (!there.has(name)) entries.delete(name);
    },
  };
}

/** A name may be used again for something else. */
function markOf({ ino, size, changed }: SpoolFile): string {
  return `${ino} ${size} ${changed}`;
}
