/**
 * A segment is named by its first sequence number and by the generation of the owner that began it. So two owners never write to
 * one file, even if the older one wakes up after it was deposed.
 */
export interface SegmentId {
  readonly firstSeq: number;
  readonly generation: number;
}

/** The file of a segment. A sealed one that is written anew gets the next revision: the file before can be read until it goes. */
export interface SegmentFile extends SegmentId {
  readonly isSealed: boolean;
  readonly revision: number;
}

/** The log's folder in that of the store. */
export const LOG_FOLDER = 'log';
/** Says up to which record all removals are carried out. Without it they are carried out once more, which changes nothing. */
export const CARRIED_OUT_FILE = 'carried-out.json';

const segmentName = /^(\d{12})-g(\d{1,15})(?:\.seg|(?:-r(\d{1,9}))?\.(sealed))$/;

export function nameOfPlain({ firstSeq, generation }: SegmentId): string {
  return `${String(firstSeq).padStart(12, '0')}-g${generation}.seg`;
}

export function nameOfSealed({ firstSeq, generation, revision }: SegmentId & { readonly revision: number }): string {
  const suffix = revision === 0 ? '' : `-r${revision}`;
  return `${String(firstSeq).padStart(12, '0')}-g${generation}${suffix}.sealed`;
}

/** Undefined for every other file's name. */
export function parseSegmentName(name: string): SegmentFile | undefined {
  const match = segmentName.exec(name);
  if (!match) return undefined;
  const [, firstSeq, generation, revision = '0', sealed] = match;
  return {
    firstSeq: Number(firstSeq),
    generation: Number(generation),
    isSealed: sealed !== undefined,
    revision: Number(revision),
  };
}

/** Segments in the order of the log; of the files of one segment the one that counts comes first. */
export function compareSegments(a: SegmentFile, b: SegmentFile): number {
  const order = a.firstSeq - b.firstSeq || a.generation - b.generation;
  return order || Number(b.isSealed) - Number(a.isSealed) || b.revision - a.revision;
}
