import path from 'node:path';
import type { ErasedMarks } from '../../app/erasurePorts.ts';
import { type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { errorCode } from '../files/fileSystem.ts';
import { createBreather } from './breathe.ts';
import type { Aside } from './spoolAside.ts';
import { takeBack, unbegun } from './spoolBegun.ts';
import { type Content, type Opening, openSpooled } from './spoolContent.ts';
import { isRemoved } from './spoolDisk.ts';
import { LARGE_BYTES, type SpoolFile } from './spoolFiles.ts';
import type { SpoolTold } from './spoolTold.ts';

/** Files of one round: enough to share an fsync, few enough to stay below the pipeline's limit beside live hooks. */
const ROUND = 100;
/** And so little that parsing and cutting all of it, should it come down to one turn, takes a quarter of a second at the worst. */
const ROUND_BYTES = 2 * 1024 * 1024;

/** After a failure this many are tried alone: where one of them goes, the others were at fault and not the store. */
const PROBES = 3;

/** CNV-5: a file that was in the spool at its erasure is removed without being stored, also if it is being read. */
export type ErasedFiles = Pick<ErasedMarks, 'count' | 'isWaiting'>;

export interface Taking extends Opening {
  readonly pipeline: Pick<Pipeline, 'ingest'>;
  readonly erased: ErasedFiles;
  readonly told: SpoolTold;
  readonly aside: Aside;
  readonly note: (at: number) => void;
  /** Told where forwarders count what they drop. */
  readonly countLost: () => Promise<void>;
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
    if (taking.stopping.aborted) return 'stopped';
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
  while (refused.length < PROBES && !taking.stopping.aborted) {
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
    // A large one alone: what happens to it is its own doing.
    const size = file.size > LARGE_BYTES ? ROUND_BYTES : file.size;
    if (round.length === ROUND || (round.length > 0 && bytes + size > ROUND_BYTES)) {
      yield round;
      [round, bytes] = [[], 0];
    }
    round.push(file);
    bytes += size;
  }
  if (round.length > 0) yield round;
}

/** Read side by side, handed over in order, and nobody else waits for long meanwhile. */
async function takeRound(files: readonly SpoolFile[], taking: Taking): Promise<readonly Taken[]> {
  const asOf = taking.erased.count();
  const opened = await Promise.all(files.map((file) => open(file, taking)));
  const breathe = createBreather();
  const results: Promise<Taken>[] = [];
  for (const { file, content } of opened) {
    results.push(takeIn(file, content, { ...taking, asOf }));
    await breathe();
  }
  return Promise.all(results);
}

async function open(file: SpoolFile, taking: Taking): Promise<{ file: SpoolFile; content: Content | 'taken' }> {
  const isOver = taking.aside.turn(file) === 'remove' || taking.erased.isWaiting(unbegun(file.name));
  return isOver ? { file, content: 'taken' } : openSpooled(file, taking);
}

async function takeIn(
  file: SpoolFile,
  content: Content | 'taken',
  taking: Taking & { readonly asOf: number },
): Promise<Taken> {
  const { disk, pipeline, told, aside, note } = taking;
  if (content === 'pending') return 'pending';
  if (content === 'given up') return 'done';
  if (content === 'taken') return remove(file, taking);
  if (content === 'lost') return drop(file, taking);
  if (content === 'unreadable') {
    // Away: a forwarder has delivered it, or another collector has taken it in.
    if (await disk.look(file.path).catch(() => undefined)) {
      told.tellOf('unreadable', file.name, (name) => `In the spool, ${name} can't be read and waits.`);
      aside.put(file, 'refused');
    }
    return 'done';
  }
  if (!content.ok) {
    // It can never be taken in, and it may hold what must not stay on the disk.
    const sentence = (name: string) => `A spooled event could not be understood and was removed: ${name}`;
    told.tellOf('not understood', file.name, sentence);
    return remove(file, taking);
  }
  try {
    const { id, duplicate } = await pipeline.ingest(content.hook, false, taking.asOf);
    if (file.kind === 'hand-over' && id !== '' && !duplicate) note(file.at);
  } catch (error) {
    await takeBack(disk, file);
    if (error instanceof PipelineFullError) return 'full';
    told.of('storing').warn(`Spooled events wait: ${String(error)}`);
    return 'refused';
  }
  return remove(file, taking);
}

/** Once it is gone: what stays is counted when it goes. */
async function drop(file: SpoolFile, taking: Taking): Promise<Taken> {
  const sentence = (name: string) =>
    `An event was dropped: ${name} is too large to be read, and its beginning does not say whose event it was.`;
  taking.told.tellOf('lost', file.name, sentence);
  try {
    await taking.disk.unlink(file.path);
    await taking.countLost();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') taking.aside.put(file, 'refused');
  }
  return 'done';
}

/** Its event is durable, or none: a file that stays all the same is not taken in again, and keeps nobody waiting. */
async function remove(file: SpoolFile, { disk, told, aside }: Taking): Promise<Taken> {
  const removed = await isRemoved(disk, file.path);
  if (removed !== true) {
    aside.put(file, 'taken');
    const folder = path.dirname(file.path);
    told.of('removing').warn(`Files of the spool that were taken in can't be removed (${removed}): ${folder}`);
  }
  return 'done';
}
