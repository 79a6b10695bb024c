import path from 'node:path';
import type * as z from 'zod/mini';
import type { Log } from '../../app/ports.ts';
import { atomicWrite, renameOver } from '../files/atomicWrite.ts';
import { errorCode, nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';

const PRIVATE = 0o600;
/** The editor's windows and `mascot` write a few times a day: twice in a row is already a rare meeting. */
const TRIES = 5;
const BROKEN_ENDING = '.broken';

/** A small list of ours that several programs keep. */
export interface JsonFile<T> {
  /** What is broken counts as `empty`; it stays where it is until something is written. */
  read(): Promise<T>;
  /** Nothing is written when `change` gives back what it got. */
  update(change: (present: T) => T): Promise<void>;
}

class ChangedError extends Error {}

/** Where a file of ours that could not be understood is kept. */
export function brokenName(file: string): string {
  return `${file}${BROKEN_ENDING}`;
}

export function createJsonFile<T>(
  file: string,
  schema: z.ZodMiniType<T>,
  empty: T,
  log: Pick<Log, 'warn'>,
  fs: FileSystem = nodeFileSystem,
): JsonFile<T> {
  let last: Promise<unknown> = Promise.resolve();
  const told = new Set<string>();

  function understood(text: string | undefined): { readonly value: T; readonly broken: boolean } {
    if (text === undefined) return { value: empty, broken: false };
    const parsed = schema.safeParse(json(text));
    return parsed.success ? { value: parsed.data, broken: false } : { value: empty, broken: true };
  }

  /** Some ask every few seconds. */
  function tellOnce(sentence: string): void {
    if (!told.has(sentence)) log.warn(sentence);
    told.add(sentence);
  }

  async function updateOnce(change: (present: T) => T): Promise<void> {
    const text = await textOf(fs, file);
    const { value, broken } = understood(text);
    const next = change(value);
    if (next === value) return;
    if (broken) {
      tellOnce(`${file} could not be understood; it begins anew, and what it was is kept as ${brokenName(file)}.`);
      await renameOver(fs, file, brokenName(file));
    }
    await fs.mkdir(path.dirname(file), 0o700);
    const expected = broken ? undefined : text;
    await atomicWrite(file, `${JSON.stringify(next, null, 2)}\n`, {
      mode: PRIVATE,
      fs,
      async beforeReplace() {
        if ((await textOf(fs, file)) !== expected) throw new ChangedError();
      },
    });
  }

  async function update(change: (present: T) => T): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await updateOnce(change);
      } catch (error) {
        if (!(error instanceof ChangedError) || tries === TRIES) throw error;
      }
    }
  }

  return {
    async read() {
      // What can't be read now is not broken: it may be readable to the next who asks.
      const text = await textOf(fs, file).catch((error: unknown) => {
        tellOnce(`${file} can't be read: ${errorCode(error) ?? String(error)}`);
        return undefined;
      });
      return understood(text).value;
    },
    update(change) {
      const mine = last.catch(() => undefined).then(() => update(change));
      last = mine;
      return mine;
    },
  };
}

async function textOf(fs: FileSystem, file: string): Promise<string | undefined> {
  try {
    return Buffer.from(await fs.readFile(file)).toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
