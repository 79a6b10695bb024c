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
  /** A person erased it or took it back: it must also leave what was set aside, or lies beside the log. */
  readonly isErasure?: boolean;
}

export type RemovalRequest = Omit<Removal, 'before'>;

/** What is known of a record without its body. */
export type RecordPlace = Pick<LogRecord, 'seq' | 'kind' | 'session'>;

/** Removals that files may still hold something of; each question is answered without a walk through all of them. */
export class Removals {
  readonly list: readonly Removal[];
  /** Up to which sequence number the records of a session go. */
  readonly #sessions = new Map<string, number>();
  readonly #kinds = new Map<RecordKind, number>();
  readonly #seqs = new Set<number>();
  #allBefore = 0;

  constructor(list: readonly Removal[]) {
    this.list = [];
    for (const removal of list) this.add(removal);
  }

  add(removal: Removal): void {
    const { before, sessions = [], kinds = [], seqs = [] } = removal;
    (this.list as Removal[]).push(removal);
    if (sessions === 'all') this.#allBefore = Math.max(this.#allBefore, before);
    else for (const id of sessions) this.#sessions.set(id, Math.max(this.#sessions.get(id) ?? 0, before));
    for (const kind of kinds) this.#kinds.set(kind, Math.max(this.#kinds.get(kind) ?? 0, before));
    for (const seq of seqs) if (seq < before) this.#seqs.add(seq);
  }

  takes({ seq, kind, session }: RecordPlace): boolean {
    if (this.list.length === 0) return false;
    if (seq < (this.#kinds.get(kind) ?? 0) || this.#seqs.has(seq)) return true;
    return session !== undefined && seq < this.sessionBefore(session);
  }

  /** Every record of the session with a smaller sequence number goes. */
  sessionBefore(session: string): number {
    return Math.max(this.#allBefore, this.#sessions.get(session) ?? 0);
  }
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

/** The removal that a record asks for; undefined for every other record, and for one that names nothing. */
export function removalIn({ seq, kind, body }: LogRecord): Removal | undefined {
  if (kind !== 'erase' && kind !== 'trim') return undefined;
  const { removal } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly removal?: RemovalRequest };
  if (removal === undefined) return undefined;
  const { sessions = [], kinds = [], seqs = [] } = removal;
  return sessions.length + kinds.length + seqs.length > 0 ? { ...removal, before: seq } : undefined;
}
