import type { HandOver } from '../../protocol/handOver.ts';
import { readHook, type ReadHook } from '../../domain/readHook.ts';
import { ThreadLimitError } from '../machine/thread.ts';
import { othersTurn } from './breathe.ts';
import { completed, completedStart, type Made } from './handOver.ts';
import { type Look, lookInto } from './handOverFile.ts';
import type { Complete } from './handOverThread.ts';
import { eventAtStart } from './payloadStart.ts';
import { begin, isGivenUp, takeBack, unbegun } from './spoolBegun.ts';
import type { SpoolDisk } from './spoolDisk.ts';
import { EVENT_MAX_BYTES, LARGE_BYTES, readSpooled, type SpoolFile, START_BYTES } from './spoolFiles.ts';
import type { TellOfFile } from './spoolTold.ts';

/** `lost`: of no use, and too large to know what it was. `given up`: for this time, because the owner stops. */
export type Content = ReadHook | 'unreadable' | 'pending' | 'lost' | 'given up';

/** With the name that the file has now. */
export interface Opened {
  readonly file: SpoolFile;
  readonly content: Content;
}

export interface Opening {
  readonly disk: SpoolDisk;
  /** For large ones, away from this thread. */
  readonly complete: Complete;
  readonly stopping: AbortSignal;
  readonly tellOf: TellOfFile;
}

/**
 * What is in a file. A large one is told on the disk to be begun; one that is too large, or that its owners did not survive, is
 * known by its beginning alone.
 */
export async function openSpooled(file: SpoolFile, opening: Opening): Promise<Opened> {
  return file.kind === 'event' ? openEvent(file, opening) : openHandOver(file, opening);
}

async function openEvent(file: SpoolFile, opening: Opening): Promise<Opened> {
  const { disk } = opening;
  if (file.size > EVENT_MAX_BYTES || isGivenUp(file.name)) {
    const start = await disk.readStart(file.path, START_BYTES).catch(() => undefined);
    if (start === undefined) return { file, content: 'unreadable' };
    if (!start.trimStart().startsWith('{')) return { file, content: readHook(undefined) };
    const event = eventAtStart(start, file.size);
    // The name that a forwarder gives: the moment and the delivery's id.
    const id = /^\d{1,15}-(.+)\.json$/.exec(unbegun(file.name))?.[1];
    return { file, content: cutContent(event && { ...event, _meta: { delivery_id: id } }, file, opening) };
  }
  const text = await readSpooled(disk, file.path, EVENT_MAX_BYTES);
  if (text === undefined) return { file, content: 'unreadable' };
  const begun = await begunIfLarge(file, opening);
  return begun ? { file: begun, content: readHook(parsed(text)) } : { file, content: 'unreadable' };
}

async function openHandOver(file: SpoolFile, opening: Opening): Promise<Opened> {
  const isStart = isGivenUp(file.name);
  const look = await lookInto(opening.disk, file, Date.now(), isStart);
  if (look.kind === 'broken') return { file, content: readHook(undefined) };
  if (look.kind === 'pending' || look.kind === 'unreadable') return { file, content: look.kind };
  const made: Made = { name: file.name, made: file.at };
  if (look.kind === 'start') return { file, content: await startContent(look, file, made, opening) };
  if (file.size <= LARGE_BYTES) return { file, content: readHook(await completed(look.handOver, made)) };
  const begun = await begunIfLarge(file, opening);
  if (!begun) return { file, content: 'unreadable' };
  const content = await largeContent(look.handOver, begun, made, opening);
  if (content === 'given up') await takeBack(opening.disk, begun);
  return { file: begun, content };
}

async function largeContent(handOver: HandOver, begun: SpoolFile, made: Made, opening: Opening): Promise<Content> {
  try {
    const json = await opening.complete(handOver, made, opening.stopping);
    await othersTurn();
    return readHook(json === undefined ? undefined : parsed(json));
  } catch (error) {
    if (opening.stopping.aborted) return 'given up';
    // No thread to be had just now costs an event nothing but time.
    if (!(error instanceof ThreadLimitError) && !isGivenUp(begun.name)) return 'unreadable';
    const start = { ...handOver, payload: handOver.payload.slice(0, START_BYTES) };
    return startContent({ handOver: start }, begun, made, opening);
  }
}

async function startContent(
  { handOver }: Pick<Extract<Look, { kind: 'start' }>, 'handOver'>,
  file: SpoolFile,
  made: Made,
  opening: Opening,
): Promise<Content> {
  return cutContent(await completedStart(handOver, file.size, made), file, opening);
}

function cutContent(body: unknown, file: SpoolFile, { tellOf }: Opening): Content {
  const read = body === undefined ? undefined : readHook(body);
  if (read?.ok !== true) return 'lost';
  const megabytes = (file.size / 1024 / 1024).toFixed(1);
  tellOf(
    'cut',
    file.name,
    (name) => `The event in ${name} (${megabytes} MB) was too much to read whole; only its beginning is kept.`,
  );
  return read;
}

async function begunIfLarge(file: SpoolFile, { disk }: Opening): Promise<SpoolFile | undefined> {
  return file.size > LARGE_BYTES ? begin(disk, file) : file;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
