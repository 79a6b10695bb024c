/**
 * A segment is named by its first sequence number and by the generation of the owner that began it. So two owners never write to
 * one file, even if the older one wakes up after it was deposed.
 */
export interface SegmentId {
  readonly firstSeq: number;
  readonly generation: number;
}

const segmentName = /^(\d{12})-g(\d{1,15})\.(seg|sealed)$/;

export function nameOfPlain({ firstSeq, generation }: SegmentId): string {
  return `${String(firstSeq).padStart(12, '0')}-g${generation}.seg`;
}

export function nameOfSealed(id: SegmentId): string {
  return nameOfPlain(id).replace(/seg$/, 'sealed');
}

/** Undefined for every other file's name. */
export function parseSegmentName(name: string): (SegmentId & { readonly isSealed: boolean }) | undefined {
  const match = segmentName.exec(name);
  if (!match) return undefined;
  return { firstSeq: Number(match[1]), generation: Number(match[2]), isSealed: match[3] === 'sealed' };
}

export function compareSegments(a: SegmentId, b: SegmentId): number {
  return a.firstSeq - b.firstSeq || a.generation - b.generation;
}
