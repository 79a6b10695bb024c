import { constants, type FSWatcher, watch } from 'node:fs';
import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type Log, type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { readHook } from '../../domain/readHook.ts';

/** Watching tells within a millisecond; the sweep is for the file systems and the moments where it does not. */
const SWEEP_MS = 5_000;

/** Files of one round: enough to share an fsync, few enough to stay below the pipeline's limit beside live hooks. */
const ROUND = 100;

const LARGEST_BYTES = 64 * 1024 * 1024;

export interface SpoolWatch {
  close(): Promise<void>;
}

/** FWD-6: takes in what forwarders left in the folder, oldest first, and removes each file once its event is durable. */
export function watchSpool(folder: string, pipeline: Pick<Pipeline, 'ingest'>, log: Log): SpoolWatch {
  let stopped = false;
  let again = false;
  let working: Promise<void> | undefined;
  const told = once(log);

  async function work(): Promise<void> {
    do {
      again = false;
      const entries = await readdir(folder);
      await sweepDrafts(folder, entries);
      const names = entries.filter(isComplete).sort();
      for (let i = 0; i < names.length && !stopped; i += ROUND) {
        const files = names.slice(i, i + ROUND).map((name) => path.join(folder, name));
        // Read side by side, handed over in order.
        const texts = await Promise.all(files.map(readWhole));
        const round = files.map((file, index) => takeIn(file, texts[index], pipeline, told));
        if ((await Promise.all(round)).includes('later')) {
          again = false;
          return;
        }
      }
    } while (again && !stopped);
  }

  function poke(): void {
    again = true;
    working ??= work()
      .catch((error: unknown) => log.warn(`The spool could not be read: ${String(error)}`))
      .finally(() => {
        working = undefined;
        if (again && !stopped) poke();
      });
  }

  const watcher = watchFolder(folder, poke, log);
  const sweep = setInterval(poke, SWEEP_MS).unref();
  poke();
  return {
    async close() {
      stopped = true;
      watcher?.close();
      clearInterval(sweep);
      await working;
    },
  };
}

/** A writer renames its file into place when it is whole; whatever begins with a dot is still being written. */
function isComplete(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

async function takeIn(
  file: string,
  text: string | undefined,
  pipeline: Pick<Pipeline, 'ingest'>,
  log: Pick<Log, 'warn'>,
): Promise<'done' | 'later'> {
  if (text === undefined) {
    // Another account's file, a folder, a pipe: none of ours, and no reason to keep the rest waiting.
    log.warn(`In the spool, ${path.basename(file)} can't be read and is left alone.`);
    return 'done';
  }
  const read = readHook(parsed(text));
  if (!read.ok) {
    // It can never be taken in, and it may hold what must not stay on the disk.
    log.warn(`A spooled event could not be understood and was removed: ${path.basename(file)}`);
    await unlink(file).catch(() => undefined);
    return 'done';
  }
  try {
    await pipeline.ingest(read.hook);
    await unlink(file);
    return 'done';
  } catch (error) {
    if (!(error instanceof PipelineFullError)) log.warn(`Spooled events wait: ${String(error)}`);
    return 'later';
  }
}

/** Undefined when it can't be read, or is no file: opening a pipe would wait for a writer, following a link would leave the folder. */
async function readWhole(file: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle
      .stat()
      .then((stats) => (stats.isFile() ? stats : Promise.reject(new Error('no file'))));
    return size > LARGEST_BYTES ? '' : await handle.readFile('utf8');
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** A writer needs milliseconds; what is still a draft after this long was left by one that was killed. */
const DRAFT_LIFE_MS = 60_000;

/** A killed writer's draft is unmasked: whole ones are taken in, torn ones may not stay. */
async function sweepDrafts(folder: string, entries: readonly string[]): Promise<void> {
  for (const name of entries.filter((entry) => entry.startsWith('.') && entry.endsWith('.tmp'))) {
    const draft = path.join(folder, name);
    const age =
      Date.now() -
      (await stat(draft).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      ));
    if (age < DRAFT_LIFE_MS) continue;
    const whole = (await readWhole(draft))?.endsWith('\n') ?? false;
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

function watchFolder(folder: string, poke: () => void, log: Log): FSWatcher | undefined {
  try {
    return watch(folder, (_event, name) => {
      if (name === null || isComplete(name)) poke();
    }).on('error', (error) => log.warn(`The spool can't be watched and is swept instead: ${error.message}`));
  } catch (error) {
    log.warn(`The spool can't be watched and is swept instead: ${String(error)}`);
    return undefined;
  }
}
