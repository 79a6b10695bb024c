import { createHash, randomUUID } from 'node:crypto';
import { type FSWatcher, unlinkSync, watch } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Log } from '../../app/ports.ts';
import type { WindowInfo, WindowRequest, Windows } from '../../app/windowPorts.ts';
import { isSameTable, ownTable } from '../cluster/processTable.ts';
import { errorCode } from '../files/fileSystem.ts';
import { readOwnFile } from './ownFile.ts';
import { isProvenDead, ownProcess } from './processes.ts';
import { askFile, isWindowFile, windowFile } from './windowFiles.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077n;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** More than anybody has open: a folder that somebody filled must not be read whole. */
const FILES_MAX = 500;

/** Focus goes to and fro while the person looks for a window. */
const SETTLE_MS = 150;
/** The home is made by whoever takes part first, a moment after this begins. */
const HOME_RETRY_MS = 1_000;
const HOME_TRIES = 10;

const ANSWER_MS = 1_000;
const LOOK_MS = 20;

const infoSchema = z.object({
  id: z.uuid(),
  pid: z.int().check(z.positive()),
  startedAt: z.string(),
  kernelStart: z.optional(z.string()),
  host: z.optional(z.string()),
  pidNamespace: z.optional(z.string()),
  bootSession: z.optional(z.string()),
  app: z.string(),
  name: z.string(),
  opens: z.optional(z.string()),
  folders: z.array(z.string()),
  terminals: z.array(z.int()),
  focused: z.boolean(),
});
const requestSchema = z.object({ what: z.literal('showTerminal'), terminal: z.int() });

export interface WindowsParts {
  /** `windows` of the home; a folder that only this account may read or write. */
  readonly folder: string;
  readonly app: string;
  readonly log: Pick<Log, 'debug'>;
  readonly answerMs?: number;
}

/**
 * Through files, and not through the owner: a notice must not depend on which window collects, nor on the two being of one
 * version. Nothing here is worth an error to the person: whoever can't be reached is told of by who asked.
 */
export function createWindows({ folder, app, log, answerMs = ANSWER_MS }: WindowsParts): Windows {
  const id = randomUUID();
  const listeners = new Set<(request: WindowRequest) => void>();
  const self = Promise.all([ownProcess(), ownTable()]);
  let info: WindowInfo | undefined;
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  /** Which folder it watches: one that was removed and made anew is another. */
  let watched: string | undefined;
  let sweptAt = -Infinity;
  let tries = 0;
  let disposed = false;
  const file = path.join(folder, `${id}.window`);

  async function write(): Promise<void> {
    if (info === undefined || disposed) return;
    try {
      // Not with the folders above it: where the home was removed it must not come back.
      await mkdir(folder, { mode: PRIVATE_FOLDER }).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      });
      const stats = await stat(folder, { bigint: true });
      // Made by hand, or by an unpacked backup: nothing in it would be believed by anybody.
      if ((stats.mode & OTHERS) !== 0n) await chmod(folder, PRIVATE_FOLDER);
      const [process, table] = await self;
      await put(file, { ...process, ...table, ...info }, () => !disposed);
      listen(`${stats.dev}/${stats.ino}/${stats.birthtimeNs}`);
    } catch (error) {
      log.debug(`What this window shows could not be told to the others: ${String(error)}`);
      if (errorCode(error) === 'ENOENT' && tries++ < HOME_TRIES) later(HOME_RETRY_MS);
    }
  }

  function later(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => (writing = writing.then(write)), ms).unref();
  }

  function listen(which: string): void {
    if (watched === which || disposed) return;
    watcher?.close();
    watched = which;
    try {
      watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || askFile.exec(name)?.[1] === id) void takeAsks();
      });
      watcher.on('error', () => watcher?.close());
      void takeAsks();
      void sweepNowAndThen();
    } catch (error) {
      watched = undefined;
      log.debug(`Other windows can’t ask this one: ${String(error)}`);
    }
  }

  async function takeAsks(): Promise<void> {
    for (const name of await namesIn(folder, (each) => askFile.exec(each)?.[1] === id)) {
      const asked = await read(path.join(folder, name), requestSchema);
      // What is not understood stays, so that nobody takes its going for an answer.
      if (!asked) continue;
      // Taken once, by whoever removes it: that it is gone is the answer.
      const isMine = await unlink(path.join(folder, name)).then(
        () => true,
        () => false,
      );
      if (isMine && !disposed) for (const listener of listeners) listener(asked);
    }
  }

  /** What windows that were killed left, and the claims of yesterday's notices. */
  async function sweepNowAndThen(): Promise<void> {
    if (performance.now() - sweptAt < HOUR_MS) return;
    sweptAt = performance.now();
    const living = new Set((await others()).map((other) => other.id));
    for (const name of await namesIn(folder, isWindowFile)) {
      const of = windowFile.exec(name)?.[1] ?? askFile.exec(name)?.[1];
      const at = path.join(folder, name);
      const isOld = await stat(at).then(
        ({ mtimeMs }) => Date.now() - mtimeMs > DAY_MS,
        () => false,
      );
      if (isOld && (of === undefined || !living.has(of)) && of !== id)
        await rm(at, { force: true }).catch(() => undefined);
    }
  }

  async function others(): Promise<readonly WindowInfo[]> {
    const [own, table] = await self;
    const found: WindowInfo[] = [];
    for (const name of await namesIn(folder, (each) => windowFile.test(each))) {
      const of = windowFile.exec(name)?.[1];
      if (of === id) continue;
      const told = await read(path.join(folder, name), infoSchema);
      if (
        told === undefined ||
        told.id !== of ||
        !isSameTable(told, { ...own, ...table }) ||
        (await isProvenDead(told))
      )
        continue;
      found.push(told);
    }
    return found;
  }

  return {
    id,
    tell(given) {
      info = { ...given, id, app };
      later(SETTLE_MS);
    },
    all: async () => [...(info === undefined ? [] : [info]), ...(await others())],
    async ask(windowId, request) {
      if (windowId === id) {
        for (const listener of listeners) listener(request);
        return listeners.size > 0;
      }
      const asking = path.join(folder, `${windowId}.ask-${randomUUID()}`);
      try {
        await put(asking, request);
        for (let waited = 0; waited < answerMs; waited += LOOK_MS) {
          if (!(await exists(asking))) return true;
          await wait(LOOK_MS);
        }
        // Removing it and taking it are the same act: only one of the two succeeds.
        return await unlink(asking).then(
          () => false,
          () => true,
        );
      } catch {
        return false;
      }
    },
    onAsked(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    async claim(key) {
      void sweepNowAndThen();
      const name = `claim-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
      try {
        await (await open(path.join(folder, name), 'wx', PRIVATE_FILE)).close();
        return true;
      } catch (error) {
        // A notice too many is better than none.
        return errorCode(error) !== 'EEXIST';
      }
    },
    dispose() {
      disposed = true;
      clearTimeout(timer);
      watcher?.close();
      try {
        unlinkSync(file);
      } catch {
        // Never written, or swept with the home.
      }
    },
  };
}

/** Whole or not at all: others read it the moment it is there. */
async function put(file: string, content: unknown, isWanted = () => true): Promise<void> {
  await writeFile(`${file}.tmp`, JSON.stringify(content), { mode: PRIVATE_FILE });
  if (isWanted()) await rename(`${file}.tmp`, file);
  if (!isWanted()) for (const left of [`${file}.tmp`, file]) await rm(left, { force: true });
}

async function read<T>(file: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  const found = await readOwnFile(file);
  if (found.kind !== 'text') return undefined;
  try {
    return schema.safeParse(JSON.parse(found.text)).data;
  } catch {
    return undefined;
  }
}

/** Those that are meant, before so many are too many: claims of notices lie beside them. */
async function namesIn(folder: string, isMeant: (name: string) => boolean): Promise<readonly string[]> {
  return (await readdir(folder).catch((): string[] => [])).filter(isMeant).slice(0, FILES_MAX);
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
