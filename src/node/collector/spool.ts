import { type FSWatcher, watch } from 'node:fs';
import { rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type Log, type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { readHook, type ReadHook } from '../../domain/readHook.ts';
import { completed } from './handOver.ts';
import { lookInto } from './handOverFile.ts';
import type { HookTimes } from './hookTimes.ts';
import { isSpooled, listSpool, readSpooled, type SpoolFile } from './spoolFiles.ts';

/**
 * Watching tells within a millisecond; the sweep is for the file systems and the moments where it does not. While a collector
 * lives, what nobody has masked yet lies on the disk for 2 s at most (FWD-11).
 */
const SWEEP_MS = 1_500;

/** That a writer was killed is no change of any file. */
const PENDING_MS = 500;

/** Files of one round: enough to share an fsync, few enough to stay below the pipeline's limit beside live hooks. */
const ROUND = 100;
/** And few enough to be in memory together. */
const ROUND_BYTES = 32 * 1024 * 1024;

export interface SpoolWatch {
  close(): Promise<void>;
}

/** FWD-6: takes in what hooks left in the folder, oldest first, and removes each file once its event is durable. */
export function watchSpool(
  folder: string,
  pipeline: Pick<Pipeline, 'ingest'>,
  log: Log,
  times?: Pick<HookTimes, 'note'>,
): SpoolWatch {
  const since = Date.now();
  let stopped = false;
  let again = false;
  let working: Promise<void> | undefined;
  let pending: NodeJS.Timeout | undefined;
  let watcher: Watched | undefined;
  const told = once(log);
  const taking: Taking = {
    pipeline,
    log: told,
    // How long it waited for a collector to start is no time of the hook's.
    note: (at) => (at >= since ? times?.note(Math.max(0, Date.now() - at)) : undefined),
  };

  async function work(): Promise<void> {
    do {
      again = false;
      watcher = await watchAnew(watcher);
      const { files, drafts } = await listSpool(folder);
      await sweepDrafts(folder, drafts);
      let waits = false;
      for (const round of rounds(files)) {
        if (stopped) return;
        const results = await takeRound(round, taking);
        waits ||= results.includes('pending');
        if (results.includes('later')) {
          again = false;
          return;
        }
      }
      clearTimeout(pending);
      if (waits && !stopped) pending = setTimeout(poke, PENDING_MS).unref();
    } while (again && !stopped);
  }

  function poke(): void {
    again = true;
    working ??= work()
      .catch((error: NodeJS.ErrnoException) => {
        // Somebody cleaned up; the next hook makes it again.
        if (error.code !== 'ENOENT') told.warn(`The spool could not be read: ${String(error)}`);
      })
      .finally(() => {
        working = undefined;
        if (again && !stopped) poke();
      });
  }

  /** A folder that was removed and made again is another one, and nobody watches it. */
  async function watchAnew(before: Watched | undefined): Promise<Watched | undefined> {
    const { ino } = await stat(folder);
    if ((before?.ino === ino && !before.isLost()) || stopped) return before;
    before?.watcher.close();
    return watchFolder(folder, ino, poke, told);
  }

  const sweep = setInterval(poke, SWEEP_MS).unref();
  poke();
  return {
    async close() {
      stopped = true;
      clearInterval(sweep);
      await working;
      clearTimeout(pending);
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

function* rounds(files: readonly SpoolFile[]): Generator<readonly SpoolFile[]> {
  let round: SpoolFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (round.length === ROUND || (round.length > 0 && bytes + file.size > ROUND_BYTES)) {
      yield round;
      [round, bytes] = [[], 0];
    }
    round.push(file);
    bytes += file.size;
  }
  if (round.length > 0) yield round;
}

interface Taking {
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly log: Pick<Log, 'warn'>;
  readonly note: (at: number) => void;
}

type Taken = 'done' | 'later' | 'pending';

/** Read side by side, handed over in order. */
async function takeRound(files: readonly SpoolFile[], taking: Taking): Promise<readonly Taken[]> {
  const contents = await Promise.all(files.map(read));
  return Promise.all(files.map((file, index) => takeIn(file, contents[index] ?? 'unreadable', taking)));
}

type Content = ReadHook | 'unreadable' | 'pending';

async function read(file: SpoolFile): Promise<Content> {
  if (file.kind === 'event') {
    const text = await readSpooled(file.path);
    return text === undefined ? 'unreadable' : readHook(parsed(text));
  }
  const look = await lookInto(file, Date.now());
  if (look.kind === 'broken') return readHook(undefined);
  if (look.kind !== 'hand-over') return look.kind;
  return readHook(await completed(look.handOver, { name: file.name, made: file.at }));
}

async function takeIn(file: SpoolFile, content: Content, { pipeline, log, note }: Taking): Promise<Taken> {
  if (content === 'pending') return 'pending';
  if (content === 'unreadable') {
    // Another account's file, a folder, a pipe: none of ours, and no reason to keep the rest waiting.
    log.warn(`In the spool, ${file.name} can't be read and is left alone.`);
    return 'done';
  }
  if (!content.ok) {
    // It can never be taken in, and it may hold what must not stay on the disk.
    log.warn(`A spooled event could not be understood and was removed: ${file.name}`);
    await unlink(file.path).catch(() => undefined);
    return 'done';
  }
  try {
    const { id, duplicate } = await pipeline.ingest(content.hook);
    if (file.kind === 'hand-over' && id !== '' && !duplicate) note(file.at);
    await unlink(file.path).catch(unlessGone);
    return 'done';
  } catch (error) {
    if (!(error instanceof PipelineFullError)) log.warn(`Spooled events wait: ${String(error)}`);
    return 'later';
  }
}

/** A forwarder that delivered the same event has removed it itself. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** A writer needs milliseconds; what is still a draft after this long was left by one that was killed. */
const DRAFT_LIFE_MS = 60_000;

/** A killed writer's draft is unmasked: whole ones are taken in, torn ones may not stay. */
async function sweepDrafts(folder: string, drafts: readonly string[]): Promise<void> {
  for (const name of drafts) {
    const draft = path.join(folder, name);
    const changed = await stat(draft).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - changed < DRAFT_LIFE_MS) continue;
    const whole = (await readSpooled(draft))?.endsWith('\n') ?? false;
    const final = path.join(folder, `${name.slice(1, -'.tmp'.length).replace(/\.json$/, '')}.json`);
    await (whole ? rename(draft, final) : unlink(draft)).catch(() => undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each sentence once: the folder is looked through every few seconds. */
function once(log: Log): Pick<Log, 'warn'> {
  const said = new Set<string>();
  return {
    warn(sentence) {
      if (!said.has(sentence)) log.warn(sentence);
      said.add(sentence);
    },
  };
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
