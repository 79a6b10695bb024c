import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Kept, Shelf } from '../shelfPorts.ts';

/** What is known here of the database that was copied to last. */
export interface Known {
  readonly id: string;
  /** How many pushes of this machine it has seen, at least. */
  readonly pushes: number;
  /** It had nothing of this machine when the copying began, and has no more since than was told. */
  readonly isFresh: boolean;
  readonly erased?: ErasedTo | undefined;
}

/** CNV-4: which erasures have been carried out there. */
export interface ErasedTo {
  /** Of single sessions, those up to this moment. */
  readonly upTo: string;
  /** The last one of everything. */
  readonly all?: string | undefined;
}

export interface KnownDatabase {
  now(): Known | undefined;
  /** To be put on the shelf: all that is known, with these changes; nothing is where everything was erased. */
  with(changes: Pick<Known, 'id'> & Partial<Known>): Kept;
}

const KEY = 'database';

export function knownDatabase(shelf: Pick<Shelf, 'get'>): KnownDatabase {
  function now(): Known | undefined {
    const value = shelf.get(KEY)?.value;
    return isJsonObject(value) && typeof value['id'] === 'string' ? knownIn(value['id'], value) : undefined;
  }
  return {
    now,
    with: (changes) => ({ key: KEY, value: jsonOf({ pushes: 0, isFresh: false, ...now(), ...changes }) }),
  };
}

function knownIn(id: string, { pushes, isFresh, erased }: JsonObject): Known {
  return {
    id,
    pushes: Number(pushes ?? 0),
    isFresh: isFresh === true,
    erased: isJsonObject(erased) ? { upTo: textOr(erased['upTo']) ?? '', all: textOr(erased['all']) } : undefined,
  };
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function jsonOf({ id, pushes, isFresh, erased }: Known): JsonObject {
  const all = erased?.all === undefined ? {} : { all: erased.all };
  return { id, pushes, isFresh, ...(erased ? { erased: { upTo: erased.upTo, ...all } } : {}) };
}
