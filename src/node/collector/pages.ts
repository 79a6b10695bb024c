import type { Page, PageRequest } from '../../app/ports.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { decodeCursor, encodeCursor } from '../store/cursor.ts';
import { createBreather } from './breathe.ts';

/** What is read at once. */
const SLICE = 50;

/** A search for what is nowhere gives the turn back with an empty page and a cursor after this many. */
const LOOKED_AT_MAX = 100_000;

export interface Gathering<T, U> {
  readonly read: (page: PageRequest) => Page<T>;
  /** Undefined: not for this list. */
  readonly pick: (item: T) => U | undefined;
  /** In bytes, as it is answered. */
  readonly sizeOf: (picked: U) => number;
  /** Most are not picked: worth reading more than what the page has room for. */
  readonly sparse?: boolean;
  readonly signal: AbortSignal;
}

/** A page of what was picked, read in slices with a breath after each. Rejects with the signal's reason. */
export async function gather<T, U>(
  { read, pick, sizeOf, sparse, signal }: Gathering<T, U>,
  { limit, cursor }: PageRequest,
): Promise<Page<U>> {
  const breathe = createBreather();
  const items: U[] = [];
  let from = cursor;
  let size = 0;
  let lookedAt = 0;
  for (;;) {
    const part = read({ limit: sparse ? SLICE : Math.min(SLICE, limit - items.length), cursor: from });
    let used = 0;
    while (used < part.items.length && items.length < limit && size < PAGE_MAX_BYTES) {
      const picked = pick(part.items[used++] as T);
      if (picked === undefined) continue;
      items.push(picked);
      size += sizeOf(picked);
    }
    // Only the end of a page has a cursor: the same page, cut where this one ends, gives it.
    if (used < part.items.length) return { items, next: read({ limit: used, cursor: from }).next };
    lookedAt += used;
    const full = items.length >= limit || size >= PAGE_MAX_BYTES || lookedAt >= LOOKED_AT_MAX;
    if (part.next === null || full) return { items, next: part.next };
    from = part.next;
    await breathe();
    signal.throwIfAborted();
  }
}

/** As it is answered: most letters of the world take two or three bytes each. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** For the few that are in memory anyway. */
export function pageOf<T>(
  list: string,
  all: readonly T[],
  nameOf: (item: T) => string,
  { limit, cursor }: PageRequest,
): Page<T> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, list, ['string'])[0];
  const sorted = all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter((item) => nameOf(item) > after);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? encodeCursor({ list, key: [nameOf(last)] }) : null };
}
