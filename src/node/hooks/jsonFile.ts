import path from 'node:path';
import type * as z from 'zod/mini';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode, nodeFileSystem, removeIfThere, type FileSystem } from '../files/fileSystem.ts';

const PRIVATE = 0o600;
/** The editor's windows and `mascot` write a few times a day: twice in a row is already a rare meeting. */
const TRIES = 5;
const BROKEN_ENDING = '.broken';

export type Reading<T> =
  | { readonly kind: 'known'; readonly value: T }
  | { readonly kind: 'missing' }
  /** Broken, or not to be read now. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A small list of ours that several programs keep. */
export interface JsonFile<T> {
  /** For who must not take a broken file for an empty one. */
  look(): Promise<Reading<T>>;
  /** What is broken counts as `empty`; it stays where it is until something is written. */
  read(): Promise<T>;
  /**
   * Nothing is written when `change` gives back what it got. What is broken counts as `empty`, or as what `instead` gives,
   * and is then mended whatever `change` does.
   */
  update(change: (present: T) => T, instead?: () => T): Promise<void>;
}

class ChangedError extends Error {}

/** Where a file of ours that could not be understood is kept. */
export function brokenName(file: string): string {
  return `${file}${BROKEN_ENDING}`;
}

export function readingOf<T>(schema: z.ZodMiniType<T>, text: string): Reading<T> {
  const parsed = schema.safeParse(json(text));
  return parsed.success
    ? { kind: 'known', value: parsed.data }
    : { kind: 'unknown', why: 'it could not be understood' };
}

/** Of what reading it threw. */
export function readingWithout(error: unknown): Reading<never> {
  const code = errorCode(error);
  return code === 'ENOENT'
    ? { kind: 'missing' }
    : { kind: 'unknown', why: `it can't be read: ${code ?? String(error)}` };
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

  /** Some ask every few seconds. */
  function tellOnce(sentence: string): void {
    if (!told.has(sentence)) log.warn(sentence);
    told.add(sentence);
  }

  async function updateOnce(change: (present: T) => T, instead: (() => T) | undefined): Promise<void> {
    const text = await textOf(fs, file);
    const reading = text === undefined ? undefined : readingOf(schema, text);
    const broken = reading?.kind === 'unknown';
    const value = reading?.kind === 'known' ? reading.value : broken && instead ? instead() : empty;
    const next = change(value);
    if (next === value && !(broken && instead)) return;
    if (broken) {
      tellOnce(`${file} could not be understood; it is written anew, and what it was is kept as ${brokenName(file)}.`);
      // A copy: where the file is missing, even for a moment, a reader would take the list for empty.
      await removeIfThere(fs, brokenName(file));
      await fs.copyFile(file, brokenName(file));
    }
    await fs.mkdir(path.dirname(file), 0o700);
    await atomicWrite(file, `${JSON.stringify(next, null, 2)}\n`, {
      mode: PRIVATE,
      fs,
      async beforeReplace() {
        if ((await textOf(fs, file)) !== text) throw new ChangedError();
      },
    });
  }

  async function update(change: (present: T) => T, instead: (() => T) | undefined): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await updateOnce(change, instead);
      } catch (error) {
        if (!(error instanceof ChangedError) || tries === TRIES) throw error;
      }
    }
  }

  async function look(): Promise<Reading<T>> {
    try {
      const text = await textOf(fs, file);
      return text === undefined ? { kind: 'missing' } : readingOf(schema, text);
    } catch (error) {
      return readingWithout(error);
    }
  }

  return {
    look,
    async read() {
      // What can't be read now is not broken: it may be readable to the next who asks.
      const text = await textOf(fs, file).catch((error: unknown) => {
        tellOnce(`${file} can't be read: ${errorCode(error) ?? String(error)}`);
        return undefined;
      });
      const reading = text === undefined ? undefined : readingOf(schema, text);
      return reading?.kind === 'known' ? reading.value : empty;
    },
    update(change, instead) {
      const mine = last.catch(() => undefined).then(() => update(change, instead));
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
