import path from 'node:path';
import { type Log, type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { readHook, type ReadHook } from '../../domain/readHook.ts';
import { createBreather } from './breathe.ts';
import { completed } from './handOver.ts';
import { lookInto } from './handOverFile.ts';
import type { Aside } from './spoolAside.ts';
import { isRemoved, type SpoolDisk } from './spoolDisk.ts';
import { readSpooled, type SpoolFile } from './spoolFiles.ts';

/** Files of one round: enough to share an fsync, few enough to stay below the pipeline's limit beside live hooks. */
const ROUND = 100;
/** And few enough to be in memory together. */
const ROUND_BYTES = 32 * 1024 * 1024;

/** After a failure this many are tried alone: where one of them goes, the others were at fault and not the store. */
const PROBES = 3;

export interface Taking {
  readonly disk: SpoolDisk;
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly log: Pick<Log, 'warn'>;
  readonly aside: Aside;
  readonly isStopped: () => boolean;
  readonly note: (at: number) => void;
}

/** `pending`: one at least is still being written. `full`, `refused`: it makes no sense to go on now. */
export type Pass = 'done' | 'pending' | 'full' | 'refused' | 'stopped';

type Taken = 'done' | 'pending' | 'full' | 'refused';

/** All that waits, in the order given. `probing`: the last pass ended with a refusal. */
export async function takeAll(files: Generator<SpoolFile>, probing: boolean, taking: Taking): Promise<Pass> {
  let pending = false;
  if (probing) {
    const probed = await probe(files, taking);
    if (probed === 'full' || probed === 'refused') return probed;
    pending = probed === 'pending';
  }
  for (const round of rounds(files, taking.aside)) {
    if (taking.isStopped()) return 'stopped';
    const results = await takeRound(round, taking);
    pending ||= results.includes('pending');
    if (results.includes('refused')) return 'refused';
    if (results.includes('full')) return 'full';
  }
  return pending ? 'pending' : 'done';
}

async function probe(files: Generator<SpoolFile>, taking: Taking): Promise<Taken> {
  const refused: SpoolFile[] = [];
  let pending = false;
  while (refused.length < PROBES && !taking.isStopped()) {
    const { value: file, done } = files.next();
    if (done === true) break;
    if (taking.aside.turn(file) === 'wait') continue;
    const [result = 'done'] = await takeRound([file], taking);
    if (result === 'full') return 'full';
    if (result === 'refused') refused.push(file);
    pending ||= result === 'pending';
    if (result !== 'done') continue;
    for (const each of refused) taking.aside.put(each, 'refused');
    return pending ? 'pending' : 'done';
  }
  if (refused.length > 0) return 'refused';
  return pending ? 'pending' : 'done';
}

function* rounds(files: Generator<SpoolFile>, aside: Aside): Generator<readonly SpoolFile[]> {
  let round: SpoolFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (aside.turn(file) === 'wait') continue;
    if (round.length === ROUND || (round.length > 0 && bytes + file.size > ROUND_BYTES)) {
      yield round;
      [round, bytes] = [[], 0];
    }
    round.push(file);
    bytes += file.size;
  }
  if (round.length > 0) yield round;
}

/** Read side by side, handed over in order, and nobody else waits for long meanwhile. */
async function takeRound(files: readonly SpoolFile[], taking: Taking): Promise<readonly Taken[]> {
  const contents = await Promise.all(files.map((file) => read(file, taking)));
  const breathe = createBreather();
  const results: Promise<Taken>[] = [];
  for (const [index, file] of files.entries()) {
    results.push(takeIn(file, contents[index] ?? 'unreadable', taking));
    await breathe();
  }
  return Promise.all(results);
}

type Content = ReadHook | 'unreadable' | 'pending' | 'taken';

async function read(file: SpoolFile, { disk, aside }: Taking): Promise<Content> {
  if (aside.turn(file) === 'remove') return 'taken';
  if (file.kind === 'event') {
    const text = await readSpooled(disk, file.path);
    return text === undefined ? 'unreadable' : readHook(parsed(text));
  }
  const look = await lookInto(disk, file, Date.now());
  if (look.kind === 'broken') return readHook(undefined);
  if (look.kind !== 'hand-over') return look.kind;
  return readHook(await completed(look.handOver, { name: file.name, made: file.at }));
}

async function takeIn(file: SpoolFile, content: Content, taking: Taking): Promise<Taken> {
  const { disk, pipeline, log, aside, note } = taking;
  if (content === 'pending') return 'pending';
  if (content === 'taken') return remove(file, taking);
  if (content === 'unreadable') {
    // Away: a forwarder has delivered it, or another collector has taken it in.
    if (await disk.look(file.path).catch(() => undefined)) {
      log.warn(`In the spool, ${file.name} can't be read and waits.`);
      aside.put(file, 'refused');
    }
    return 'done';
  }
  if (!content.ok) {
    // It can never be taken in, and it may hold what must not stay on the disk.
    log.warn(`A spooled event could not be understood and was removed: ${file.name}`);
    return remove(file, taking);
  }
  try {
    const { id, duplicate } = await pipeline.ingest(content.hook);
    if (file.kind === 'hand-over' && id !== '' && !duplicate) note(file.at);
  } catch (error) {
    if (error instanceof PipelineFullError) return 'full';
    log.warn(`Spooled events wait: ${String(error)}`);
    return 'refused';
  }
  return remove(file, taking);
}

/** Its event is durable, or none: a file that stays all the same is not taken in again, and keeps nobody waiting. */
async function remove(file: SpoolFile, { disk, log, aside }: Taking): Promise<Taken> {
  const removed = await isRemoved(disk, file.path);
  if (removed !== true) {
    aside.put(file, 'taken');
    log.warn(`Files of the spool that were taken in can't be removed (${removed}): ${path.dirname(file.path)}`);
  }
  return 'done';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
