import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Kept, Shelf } from '../shelfPorts.ts';

/** What is known here of the database that was copied to last. */
export interface Known {
  readonly id: string;
  /** How many pushes of this machine it has seen, at least. */
  readonly pushes: number;
  /** It had nothing of this machine when the copying began, and has no more since than was told. */
  readonly isFresh: boolean;
  /** CNV-4: number of the last erasure that was carried out in the database. */
  readonly erasedTo: number;
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
    with: (changes) => ({ key: KEY, value: jsonOf({ pushes: 0, isFresh: false, erasedTo: 0, ...now(), ...changes }) }),
  };
}

/** Earlier versions noted times, not numbers: then all erasures are carried out again. */
function knownIn(id: string, { pushes, isFresh, erasedTo }: JsonObject): Known {
  return { id, pushes: Number(pushes ?? 0), isFresh: isFresh === true, erasedTo: Number(erasedTo ?? 0) };
}

function jsonOf({ id, pushes, isFresh, erasedTo }: Known): JsonObject {
  return { id, pushes, isFresh, erasedTo };
}
