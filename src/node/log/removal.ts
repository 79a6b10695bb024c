import type { LogRecord, RecordDraft, RecordKind } from './segmentFormat.ts';

/** Which records go, of those with a smaller sequence number than `before`; a record goes if it fits one of the rest. */
export interface Removal {
  readonly before: number;
  /** Records of these sessions, or of every session. */
  readonly sessions?: readonly string[] | 'all';
  /** Records of these kinds, whatever session they belong to. */
  readonly kinds?: readonly RecordKind[];
  /** Single records. */
  readonly seqs?: readonly number[];
}

export type RemovalRequest = Omit<Removal, 'before'>;

export function isRemoved({ seq, kind, session }: LogRecord, removals: readonly Removal[]): boolean {
  return removals.some(
    ({ before, sessions = [], kinds = [], seqs = [] }) =>
      seq < before &&
      (kinds.includes(kind) ||
        seqs.includes(seq) ||
        (session !== undefined && (sessions === 'all' || sessions.includes(session)))),
  );
}

/** May a segment with these sequence numbers hold something of it? */
export function concerns({ before, sessions, kinds, seqs = [] }: Removal, firstSeq: number, lastSeq: number): boolean {
  if (firstSeq >= before) return false;
  if (sessions !== undefined || kinds !== undefined) return true;
  return seqs.some((seq) => seq >= firstSeq && seq <= lastSeq);
}

/**
 * A record that asks for a removal: from the moment at which it is on disk nothing gives what it names. `kind` is `erase` where a
 * person asked for it, `trim` where retention did.
 */
export function removalDraft(kind: 'erase' | 'trim', request: RemovalRequest, at: number): RecordDraft {
  return { kind, at, body: Buffer.from(JSON.stringify({ removal: request }), 'utf8') };
}

/** The removal that a record asks for; undefined for every other record. */
export function removalIn({ seq, kind, body }: LogRecord): Removal | undefined {
  if (kind !== 'erase' && kind !== 'trim') return undefined;
  const { removal } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly removal?: RemovalRequest };
  return removal && { ...removal, before: seq };
}
