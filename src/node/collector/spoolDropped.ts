import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DROPPED_FILE_NAME, DROPPED_TOTAL_NAME, droppedIn } from '../../protocol/handOver.ts';
import { SPOOL_MAX_BYTES, SPOOL_MAX_FILES } from '../../protocol/limits.ts';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { createBreather } from './breathe.ts';
import { nodeSpoolDisk, type SpoolDisk } from './spoolDisk.ts';
import { isTakenCount, type Listed, listSpool, oldestFirst, type SpoolFile } from './spoolFiles.ts';

/** A spool that overflows for days is one trouble, told again now and then. */
const TELL_AGAIN_MS = 60 * 60_000;

const COUNT_MAX_BYTES = 1024 * 1024;
const PRIVATE = 0o600;

export interface Bounds {
  readonly bytes: number;
  readonly files: number;
}
export const spoolBounds: Bounds = { bytes: SPOOL_MAX_BYTES, files: SPOOL_MAX_FILES };

/** FWD-6: what was dropped becomes a number that the person is told. */
export interface DropLedger {
  /** Adds what forwarders counted since the last time. */
  collect(): Promise<void>;
}

export interface DropParts {
  readonly spool: string;
  readonly totalFile: string;
  readonly log: Pick<Log, 'warn'>;
  readonly disk?: SpoolDisk;
  readonly now?: () => number;
  /** Told once, and again after an hour if there are more. */
  readonly tell?: ((count: number) => void) | undefined;
}

interface Total {
  readonly version: 1;
  readonly total: number;
  readonly lastAt: string;
  /** The last count that is in the total: one that was added but not removed, by a crash, is not added again. */
  readonly counted?: string | undefined;
}

export function createDropLedger(parts: DropParts): DropLedger {
  const { spool, totalFile, log, disk = nodeSpoolDisk, now = Date.now } = parts;
  /** Those that can't be removed: the file of the total knows the last one only. */
  const added = new Set<string>();
  let untold = 0;
  let toldAt = -Infinity;

  /** One that is no count, or can't be read, keeps no other from being counted. */
  async function collect(): Promise<void> {
    const troubles: unknown[] = [];
    const noting = (work: Promise<void>) => work.catch((error: unknown) => void troubles.push(error));
    for (const name of (await disk.names(spool)).filter(isTakenCount)) await noting(add(name));
    await noting(takeAndAdd());
    tellOf();
    if (troubles.length > 0) throw troubles[0] as Error;
  }

  /** Renamed first: from then on nobody writes there. Each step may be the last before a crash. */
  async function takeAndAdd(): Promise<void> {
    const name = `dropped.${randomUUID()}.taken`;
    const isThere = await disk.rename(path.join(spool, DROPPED_FILE_NAME), path.join(spool, name)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    if (isThere) await add(name);
  }

  async function add(name: string): Promise<void> {
    const file = path.join(spool, name);
    const before = await readTotal(totalFile);
    if (before?.counted !== name && !added.has(name)) {
      const count = droppedIn(await disk.read(file, COUNT_MAX_BYTES).catch(tooLarge));
      const total: Total = {
        version: 1,
        total: Math.max(0, (before?.total ?? 0) + count),
        lastAt: new Date(now()).toISOString(),
        counted: name,
      };
      await atomicWrite(totalFile, `${JSON.stringify(total)}\n`, { mode: PRIVATE });
      untold += count;
    }
    added.add(name);
    await disk.unlink(file);
    added.delete(name);
  }

  function tellOf(): void {
    if (untold <= 0 || now() - toldAt < TELL_AGAIN_MS) return;
    log.warn(
      `${untold} event(s) were lost: more than ${SPOOL_MAX_BYTES / 1024 / 1024} MB, or ${SPOOL_MAX_FILES} files, waited, or there was no room to keep them.`,
    );
    parts.tell?.(untold);
    untold = 0;
    toldAt = now();
  }

  return { collect };
}

/** Nobody writes so many lines; it is no count of ours. */
function tooLarge(error: NodeJS.ErrnoException): string {
  if (error.code !== 'EFBIG') throw error;
  return '';
}

async function readTotal(file: string): Promise<Total | undefined> {
  try {
    const value = JSON.parse(await readFile(file, 'utf8')) as Partial<Total> | null;
    const { version, total, lastAt = '', counted } = value ?? {};
    if (version !== 1 || !Number.isSafeInteger(total) || total === undefined || total < 0) return undefined;
    return { version, total, lastAt: String(lastAt), counted: typeof counted === 'string' ? counted : undefined };
  } catch {
    return undefined;
  }
}

export interface SpoolStanding {
  readonly waiting: number;
  readonly bytes: number;
  /** Since this home began. */
  readonly dropped: number;
}

/** As it lies on the disk now, whoever owns it. */
export async function spoolStanding(home: { readonly folder: string; readonly spool: string }): Promise<SpoolStanding> {
  const listed = await listSpool(nodeSpoolDisk, home.spool).catch(() => undefined);
  return { waiting: listed?.count ?? 0, bytes: listed?.bytes ?? 0, dropped: (await droppedSoFar(home)).count };
}

/** `lastAt`: absent where some are counted by hooks only, who note no moment: since the collector was last there. */
export async function droppedSoFar(home: {
  readonly folder: string;
  readonly spool: string;
}): Promise<{ readonly count: number; readonly lastAt?: number }> {
  const told = await readTotal(path.join(home.folder, DROPPED_TOTAL_NAME));
  const names = (await nodeSpoolDisk.names(home.spool).catch((): string[] => [])).filter(
    (name) => name === DROPPED_FILE_NAME || (isTakenCount(name) && name !== told?.counted),
  );
  const texts = await Promise.all(
    names.map((name) => nodeSpoolDisk.read(path.join(home.spool, name), COUNT_MAX_BYTES).catch(() => '')),
  );
  const untold = texts.reduce((sum, text) => sum + droppedIn(text), 0);
  const count = Math.max(0, untold + (told?.total ?? 0));
  const lastAt = Date.parse(told?.lastAt ?? '');
  return untold > 0 || Number.isNaN(lastAt) ? { count } : { count, lastAt };
}

/**
 * FWD-6, for a collector that lives and can't store: nobody else holds the spool to its bounds then. Counts as forwarders do.
 * `before` is what lay there before the store refused; some of it may have been taken in since.
 */
export async function dropOldest(
  disk: SpoolDisk,
  folder: string,
  before: Pick<Listed, 'count' | 'bytes'>,
  bounds: Bounds = spoolBounds,
): Promise<void> {
  if (before.count <= bounds.files && before.bytes <= bounds.bytes) return;
  const going = await beyond(await listSpool(disk, folder), bounds);
  if (going.length === 0) return;
  const note = (count: number) =>
    countDropped(disk, folder, count).then(
      () => true,
      () => false,
    );
  const announced = await note(going.length);
  let dropped = 0;
  for (const file of going) if (await removedByUs(disk, file.path)) dropped++;
  const missing = announced ? dropped - going.length : dropped;
  if (missing !== 0) await note(missing);
}

/** As forwarders do; the ledger adds it up. */
export function countDropped(disk: SpoolDisk, folder: string, count: number): Promise<void> {
  return disk.append(path.join(folder, DROPPED_FILE_NAME), `${count}\n`);
}

/** What was away already was taken in, or dropped and counted by a hook. */
function removedByUs(disk: SpoolDisk, file: string): Promise<boolean> {
  return disk.unlink(file).then(
    () => true,
    () => false,
  );
}

async function beyond(listed: Pick<Listed, 'runs' | 'count' | 'bytes'>, bounds: Bounds): Promise<readonly SpoolFile[]> {
  const breathe = createBreather();
  const going: SpoolFile[] = [];
  let { count, bytes } = listed;
  for (const file of oldestFirst(listed.runs)) {
    if (count <= bounds.files && bytes <= bounds.bytes) break;
    going.push(file);
    count--;
    bytes -= file.size;
    await breathe();
  }
  return going;
}
