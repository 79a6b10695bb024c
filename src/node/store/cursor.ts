import type { Json } from '../../protocol/json.ts';
import { jsonObjectSchema } from '../../protocol/jsonSchema.ts';

/** Where the next page begins: after this key of this list. */
export interface Cursor {
  /** Which list, so that a cursor of another one is refused rather than misread. */
  readonly list: string;
  readonly key: readonly (string | number)[];
}

export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';

  constructor() {
    super('The cursor is not one of this list. Use the "next" of the page before, unchanged, or leave it out.');
  }
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify({ list: cursor.list, key: cursor.key }), 'utf8').toString('base64url');
}

/** The key in `cursor`, whose parts have the types of `shape`. */
export function decodeCursor<const Shape extends readonly ('string' | 'number')[]>(
  cursor: string,
  list: string,
  shape: Shape,
): { -readonly [Index in keyof Shape]: Shape[Index] extends 'string' ? string : number } {
  const parsed = jsonObjectSchema.safeParse(parse(cursor));
  if (!parsed.success || parsed.data['list'] !== list) throw new BadCursorError();
  const key = parsed.data['key'];
  if (!Array.isArray(key) || key.length !== shape.length) throw new BadCursorError();
  if (!shape.every((type, index) => typeof key[index] === type)) throw new BadCursorError();
  return key as { -readonly [Index in keyof Shape]: Shape[Index] extends 'string' ? string : number };
}

function parse(cursor: string): Json {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Json;
  } catch {
    return null;
  }
}

export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`limit must be a whole number from 1, not ${limit}`);
}
