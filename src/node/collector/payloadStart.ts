import { cutText, essentialKeys, LOST_KEY, note } from '../../../forwarder/cut.ts';
import { type Payload, textOf } from '../../../forwarder/payload.ts';

/** An event is told of in a few lines; what is longer is the content that was too large. */
const VALUE_MAX_BYTES = 4 * 1024;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPENS, CLOSES] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * What the beginning of a payload tells of its event, without making anything of the rest: one look at each character, whatever
 * they are. Undefined: it does not say whose event it is. `bytes`: of the whole payload.
 */
export function eventAtStart(text: string, bytes: number): Payload | undefined {
  const wanted = new Set<string>(essentialKeys);
  const found = new Map<string, string>();
  let at = text.indexOf('{') + 1;
  if (at === 0 || text.slice(0, at).trim() !== '{') return undefined;
  for (;;) {
    at = afterBlanks(text, at);
    const keyEnd = stringEnd(text, at);
    if (keyEnd === undefined) break;
    const colon = afterBlanks(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) break;
    const valueStart = afterBlanks(text, colon + 1);
    const valueEnd = stringEnd(text, valueStart);
    const key = decoded(text.slice(at, keyEnd));
    if (valueEnd !== undefined && key !== undefined && wanted.has(key)) {
      const value = decoded(text.slice(valueStart, valueEnd));
      if (value !== undefined) found.set(key, cutText(value, VALUE_MAX_BYTES));
    }
    const comma = afterValue(text, valueEnd ?? valueStart);
    if (comma === undefined) break;
    at = comma + 1;
  }
  const payload = { ...Object.fromEntries(found), [LOST_KEY]: note(`all else of ${bytes} bytes`) };
  return (textOf(payload, 'session_id') ?? textOf(payload, 'sessionId')) ? payload : undefined;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (BLANK.has(text.charCodeAt(at))) at++;
  return at;
}

/** Undefined: no string begins there, or it does not end. */
function stringEnd(text: string, from: number): number | undefined {
  if (text.charCodeAt(from) !== QUOTE) return undefined;
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at + 1;
  }
  return undefined;
}

/** Where the comma after a member is. Undefined: there is none, or the text ends before. */
function afterValue(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = stringEnd(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (OPENS.has(unit)) depth++;
    else if (CLOSES.has(unit)) depth--;
    else if (unit === COMMA && depth === 0) return at;
    if (depth < 0) return undefined;
  }
  return undefined;
}

function decoded(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
