import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import type { Log, Pipeline } from '../../app/ports.ts';
import type { HookTimes } from './hookTimes.ts';
import { completedText } from './handOver.ts';
import type { Complete } from './handOverThread.ts';
import { createAside } from './spoolAside.ts';
import { nodeSpoolDisk, type SpoolDisk } from './spoolDisk.ts';
import { type Bounds, countDropped, type DropLedger, dropOldest, spoolBounds } from './spoolDropped.ts';
import { EVENT_MAX_BYTES, isSpooled, type Listed, listSpool, oldestFirst, readSpooled } from './spoolFiles.ts';
import { ForeignSpoolError, ownSpool } from './spoolFolder.ts';
import { type ErasedFiles, takeAll, type Taking } from './spoolTake.ts';
import { createSpoolTold } from './spoolTold.ts';

export interface Pace {
  readonly sweepMs: number;
  readonly pendingMs: number;
  readonly fullRestMs: number;
  readonly firstRestMs: number;
  readonly longestRestMs: number;
  readonly firstAsideMs: number;
}

const usualPace: Pace = {
  /**
   * Watching tells within a millisecond; the sweep is for the file systems and the moments where it does not. While a
   * collector lives, what nobody has masked yet lies on the disk for 2 s at most (FWD-11).
   */
  sweepMs: 1_500,
  /** That a writer was killed is no change of any file. */
  pendingMs: 500,
  /** Live hooks go first; their queue is a matter of milliseconds. */
  fullRestMs: 250,
  /** A store that refuses (a full disk) is asked again at once, and then ever more seldom: each try writes a line in the log. */
  firstRestMs: 500,
  longestRestMs: 15_000,
  /** As long as a virus scanner looks at a file. */
  firstAsideMs: 2_000,
};

/** A writer needs milliseconds; what is still a draft after this long was left by one that was killed. */
const DRAFT_LIFE_MS = 60_000;

export interface SpoolOptions {
  readonly times?: Pick<HookTimes, 'note'>;
  readonly dropped?: DropLedger;
  /** Whether the folder is still ours to hold to its bounds; an owner that was deposed is refused by its store and drops nothing. */
  readonly holds?: () => Promise<boolean>;
  /** Where large hand-overs are completed; without it on the same thread as all else. */
  readonly complete?: Complete;
  readonly erased?: ErasedFiles;
  readonly disk?: SpoolDisk;
  readonly bounds?: Bounds;
  readonly pace?: Partial<Pace>;
}

/** Files get the kernel's coarse time, which moves a hundred times a second at the slowest. */
const FILE_CLOCK_LAG_MS = 10;

const nothingErased: ErasedFiles = { count: () => 0, isWaiting: () => false };

export interface SpoolWatch {
  close(): Promise<void>;
}

/** FWD-6: takes in what hooks left in the folder, oldest first, and removes each file once its event is durable. */
export function watchSpool(
  folder: string,
  pipeline: Pick<Pipeline, 'ingest'>,
  log: Log,
  options: SpoolOptions = {},
): SpoolWatch {
  const { times, dropped, disk = nodeSpoolDisk, bounds = spoolBounds } = options;
  const pace = { ...usualPace, ...options.pace };
  const since = Date.now() - FILE_CLOCK_LAG_MS;
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let again = false;
  let working: Promise<void> | undefined;
  let pending: NodeJS.Timeout | undefined;
  let resting: NodeJS.Timeout | undefined;
  let restMs = pace.firstRestMs;
  /** The store refused the last time it was asked. */
  let probing = false;
  let watcher: Watched | undefined;
  const told = createSpoolTold(log);
  const taking: Taking = {
    disk,
    pipeline,
    erased: options.erased ?? nothingErased,
    complete: options.complete ?? ((handOver, made) => completedText(handOver, made)),
    told,
    tellOf: told.tellOf,
    aside: createAside(Date.now, pace.firstAsideMs),
    stopping: stopping.signal,
    // How long it waited for a collector to start is no time of the hook's.
    note: (at) => (at >= since ? times?.note(Math.max(0, Date.now() - at)) : undefined),
    countLost: () => countDropped(disk, folder, 1),
  };

  async function work(): Promise<void> {
    do {
      again = false;
      watcher = watchAnew(watcher, await ownSpool(disk, folder, told.of('folder')));
      const listed = await listSpool(disk, folder);
      for (const each of listed.strange) {
        told.tellOf('strange', each, (name) => `In the spool, ${name} is no file of ours and is left alone.`);
      }
      taking.aside.keepOnly(oldestFirst(listed.runs));
      if (listed.hasDropped) await dropped?.collect().catch(cannotCount);
      await sweepDrafts(disk, folder, listed.drafts);
      await take(listed);
      told.tellCounts();
    } while (again && !isStopped());
  }

  async function take(listed: Listed): Promise<void> {
    const pass = await takeAll(oldestFirst(listed.runs), probing, taking);
    if (pass === 'full') return rest(pace.fullRestMs);
    if (pass === 'refused') {
      probing = true;
      rest(restMs);
      restMs = Math.min(2 * restMs, pace.longestRestMs);
      if (!isStopped() && (await options.holds?.()) !== false) await dropOldest(disk, folder, listed, bounds);
      return;
    }
    probing = false;
    restMs = pace.firstRestMs;
    clearTimeout(pending);
    if (pass === 'pending' && !isStopped()) pending = setTimeout(poke, pace.pendingMs).unref();
  }

  /** Whatever comes meanwhile waits with the rest. */
  function rest(ms: number): void {
    again = false;
    if (isStopped()) return;
    resting = setTimeout(() => {
      resting = undefined;
      poke();
    }, ms).unref();
  }

  function cannotCount(error: unknown): void {
    told.of('counting').warn(`What was dropped from the spool could not be counted: ${String(error)}`);
  }

  function poke(): void {
    if (resting || isStopped()) return;
    again = true;
    working ??= work()
      .catch((error: NodeJS.ErrnoException) => {
        again = false;
        // Somebody cleaned up; the next hook makes it again.
        if (error.code === 'ENOENT') return;
        const sentence =
          error instanceof ForeignSpoolError ? error.message : `The spool could not be read: ${String(error)}`;
        told.of('folder').warn(sentence);
      })
      .finally(() => {
        told.tellCounts();
        working = undefined;
        if (again && !isStopped()) poke();
      });
  }

  /** A folder that was removed and made again is another one, and nobody watches it. */
  function watchAnew(before: Watched | undefined, ino: number): Watched | undefined {
    if ((before?.ino === ino && !before.isLost()) || isStopped()) return before;
    before?.watcher.close();
    return watchFolder(folder, ino, poke, told.of('watching'));
  }

  const sweep = setInterval(poke, pace.sweepMs).unref();
  poke();
  return {
    async close() {
      stopping.abort();
      clearInterval(sweep);
      await working;
      clearTimeout(pending);
      clearTimeout(resting);
      watcher?.watcher.close();
    },
  };
}

interface Watched {
  readonly ino: number;
  readonly watcher: FSWatcher;
  /** Told by the folder itself: the next one may be given the same inode. */
  isLost(): boolean;
}

/** A killed writer's draft is unmasked: whole ones are taken in, torn ones may not stay. */
async function sweepDrafts(disk: SpoolDisk, folder: string, drafts: readonly string[]): Promise<void> {
  for (const name of drafts) {
    const draft = path.join(folder, name);
    const stats = await disk.look(draft).catch(() => undefined);
    if (stats?.kind !== 'file' || Date.now() - stats.mtimeMs < DRAFT_LIFE_MS) continue;
    const text = await readSpooled(disk, draft, EVENT_MAX_BYTES);
    if (text === undefined) continue;
    const final = path.join(folder, `${name.slice(1, -'.tmp'.length).replace(/\.json$/, '')}.json`);
    await (text.endsWith('\n') ? disk.rename(draft, final) : disk.unlink(draft)).catch(() => undefined);
  }
}

function watchFolder(folder: string, ino: number, poke: () => void, log: Pick<Log, 'warn'>): Watched | undefined {
  let lost = false;
  try {
    const watcher = watch(folder, (_event, name) => {
      lost ||= name === path.basename(folder);
      if (name === null || isSpooled(name)) poke();
    }).on('error', (error) => log.warn(`The spool can't be watched and is swept instead: ${error.message}`));
    return { ino, watcher, isLost: () => lost };
  } catch (error) {
    log.warn(`The spool can't be watched and is swept instead: ${String(error)}`);
    return undefined;
  }
}
