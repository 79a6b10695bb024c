import { BODY_MAX_BYTES, STRING_MAX_BYTES } from '../src/protocol/limits.ts';
import { isObject } from './payload.ts';
import type { Payload } from './payload.ts';

/** Nobody's tool input is nested this deep; what is would overflow the stack of whoever walks it. */
export const DEPTH_MAX = 100;

/** Object keys are names: one above this is a value in the wrong place. */
export const KEY_MAX_BYTES = 4 * 1024;

/** How far a word or a line that the cut goes through is looked for its end; no common token is longer. */
const EDGE_MAX = 4 * 1024;

interface Limits {
  readonly stringBytes: number;
  readonly entries: number;
}

const generous: Limits = { stringBytes: STRING_MAX_BYTES, entries: Number.POSITIVE_INFINITY };
const smallestString = 1024;

const BRACKETS = 2;
const QUOTES = 2;
const COMMA = 1;
/** The last one still has room for all essential fields. */
const entrySteps = [4096, 512, 64] as const;

/** Where an object says that it had more entries. */
export const LOST_KEY = '(cut)';

/** What a payload is worth nothing without; never left out, however little room there is. */
export const essentialKeys: readonly string[] = (
  'hook_event_name hook_type session_id sessionId agent_id agent_type turn_id prompt_id cwd transcript_path tool_name ' +
  'tool_use_id permission_mode source reason notification_type message prompt error last_assistant_message _meta ' +
  'agentId parentAgentId parent_agent_id timestamp cursor_version'
).split(' ');

/**
 * The payload as JSON of at most BODY_MAX_BYTES. Long strings lose their middle, the longest first; only when it is not
 * the strings that take the room, long lists and objects lose their end (FWD-9).
 */
export function fitPayload(payload: Payload, maxBytes: number = BODY_MAX_BYTES): string {
  const whole = fitting(payload, generous, maxBytes);
  if (whole !== undefined) return whole;
  const shortest = fitting(payload, { ...generous, stringBytes: smallestString }, maxBytes);
  if (shortest !== undefined) {
    // Halving from above finds the mildest cut that fits, and every try is cheaper than the one before.
    for (let stringBytes = STRING_MAX_BYTES / 2; stringBytes > smallestString; stringBytes /= 2) {
      const json = fitting(payload, { ...generous, stringBytes }, maxBytes);
      if (json !== undefined) return json;
    }
    return shortest;
  }
  const essence = Object.fromEntries(essentialKeys.filter((key) => key in payload).map((key) => [key, payload[key]]));
  // The essential fields first, wherever the agent wrote them: what is cut is the end.
  const ordered = { ...essence, ...payload };
  for (const entries of entrySteps) {
    const json = fitting(ordered, { stringBytes: smallestString, entries }, maxBytes);
    if (json !== undefined) return json;
  }
  // Said, since the tool's input is gone and an error is kept: who masks must know that it may quote any file.
  const told = { ...essence, [LOST_KEY]: note('all else') };
  return JSON.stringify(
    cutValue(told, { stringBytes: smallestString, entries: 64 }, DEPTH_MAX - 2, { left: Infinity }),
  );
}

/** What is left of the bytes that the JSON may have, by a count that never takes too much. */
interface Room {
  left: number;
}

/** Undefined: it does not fit, which is known as soon as what was seen of it takes more. */
function fitting(payload: Payload, limits: Limits, maxBytes: number): string | undefined {
  const room = { left: maxBytes };
  const cut = cutValue(payload, limits, 0, room);
  if (room.left < 0) return undefined;
  const json = JSON.stringify(cut);
  return Buffer.byteLength(json) <= maxBytes ? json : undefined;
}

/** Nothing that it gives back is of any use once the room is used up; all that counts then is that it ends. */
function cutValue(value: unknown, limits: Limits, depth: number, room: Room): unknown {
  if (typeof value === 'string') return taking(cutText(value, limits.stringBytes), room);
  if (typeof value !== 'object' || value === null) {
    // JSON leaves out what is undefined, and anything else takes a digit at least.
    if (value !== undefined) room.left -= 1;
    return value;
  }
  room.left -= BRACKETS;
  if (depth >= DEPTH_MAX) return note('what is nested deeper');
  if (Array.isArray(value)) return cutList(value as readonly unknown[], limits, depth, room);
  return isObject(value) ? cutObject(value, limits, depth, room) : value;
}

/** A UTF-16 unit takes a byte at least. */
function taking(text: string, room: Room): string {
  room.left -= text.length + QUOTES;
  return text;
}

function cutList(list: readonly unknown[], limits: Limits, depth: number, room: Room): readonly unknown[] {
  const kept: unknown[] = [];
  for (const entry of list) {
    if (kept.length === limits.entries || room.left < 0) break;
    if (kept.length > 0) room.left -= COMMA;
    kept.push(cutValue(entry, limits, depth + 1, room));
  }
  if (list.length > kept.length) kept.push(note(`${list.length - kept.length} more entries`));
  return kept;
}

function cutObject(object: Payload, limits: Limits, depth: number, room: Room): Payload {
  const keys = Object.keys(object);
  const kept: (readonly [string, unknown])[] = [];
  let isWhole = true;
  for (const name of keys) {
    if (kept.length === limits.entries || room.left < 0) break;
    const before = object[name];
    const key = cutText(name, KEY_MAX_BYTES);
    const value = cutValue(before, limits, depth + 1, room);
    if (value !== undefined) taking(key, room);
    isWhole &&= key === name && Object.is(before, value);
    kept.push([key, value]);
  }
  if (keys.length > kept.length) kept.push([LOST_KEY, note(`${keys.length - kept.length} more entries`)]);
  else if (isWhole) return object;
  // fromEntries defines properties: a key named __proto__ stays a key.
  return Object.fromEntries(kept);
}

/** Head and tail of a text of at most `maxBytes` in UTF-8, with the number of bytes that are missing between them. */
export function cutText(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts need not be measured.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const room = maxBytes - Buffer.byteLength(`\n${note(`${bytes} bytes`)}\n`);
  // Outputs end with what went wrong, so the tail gets a fair part.
  const headBytes = Math.floor((room * 3) / 4);
  const encoded = Buffer.from(text);
  const headEnd = characterStart(encoded, headBytes);
  const tailStart = nextCharacterStart(encoded, bytes - (room - headBytes));
  const head = withoutBrokenEnd(encoded.toString('utf8', 0, headEnd));
  const tail = withoutBrokenBeginning(encoded.toString('utf8', tailStart));
  const gone = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n${note(`${gone} bytes`)}\n${tail}`;
}

/**
 * The collector masks what is left after the cut, and half a token is no token to it any more. So a broken line goes
 * whole, or, where lines are long, a broken word, or what a word could be at most; and beyond that, where a text has no
 * white space at all (JSON in one line), what is left of an entry.
 */
function withoutBrokenEnd(head: string): string {
  const rest = head.slice(0, -EDGE_MAX).replace(/[\ud800-\udbff]$/, '');
  return (
    upToLast(head, /\n[^\n]*$/, lineReach(head)) ??
    upToLast(head, /\s\S*$/) ??
    upToLast(rest, /[\s,;&][^\s,;&]*$/) ??
    rest
  );
}

function withoutBrokenBeginning(tail: string): string {
  const rest = tail.slice(EDGE_MAX).replace(/^[\udc00-\udfff]/, '');
  return (
    afterFirst(tail, /\n/, lineReach(tail)) ??
    // A value must not lose the name that tells what it is, so one more word goes, and what follows a name.
    afterFirst(tail, /\s(?<=\s\S*[^\s=:]\s)(?<!(bearer|basic)\s)(?!\s*[=:])/i) ??
    afterFirst(rest, /[\s,;&]/) ??
    rest
  );
}

function upToLast(text: string, pattern: RegExp, reach = EDGE_MAX): string | undefined {
  const edge = Math.max(0, text.length - reach);
  const at = text.slice(edge).search(pattern);
  return at < 0 ? undefined : text.slice(0, edge + at);
}

function afterFirst(text: string, pattern: RegExp, reach = EDGE_MAX): string | undefined {
  const at = text.slice(0, reach).search(pattern);
  return at < 0 ? undefined : text.slice(at + 1);
}

/** A short part must not lose most of itself for the sake of one long line. */
function lineReach(part: string): number {
  return Math.min(EDGE_MAX, part.length >> 1);
}

/** The form of it is known to whoever masks what was cut (src/domain/mask/cuts.ts). */
export function note(what: string): string {
  return `[agent-mascot: ${what} cut]`;
}

/** Bytes of the form 10xxxxxx continue a character. */
function characterStart(encoded: Buffer, index: number): number {
  let at = index;
  while (at > 0 && ((encoded[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

function nextCharacterStart(encoded: Buffer, index: number): number {
  let at = index;
  while (at < encoded.length && ((encoded[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
