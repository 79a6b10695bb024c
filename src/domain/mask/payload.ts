import { isJsonObject } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { headerSecret } from './headers.ts';
import { judge } from './judge.ts';
import type { NameClass } from './names.ts';
import { listedSecrets } from './patches.ts';
import { placesIn, placesInList } from './places.ts';
import type { Place } from './places.ts';
import { readingOf } from './reading.ts';
import { shellContents } from './shellContents.ts';
import { maskOf, replaceSpans } from './span.ts';
import { maskInRounds, maskString } from './text.ts';
import { tokenKind } from './tokens.ts';

const fileContent = maskOf('file-content');
function isMaskAlone(text: string): boolean {
  return /^«masked:[a-z-]{1,40}»$/.test(text);
}

/** What of a text is still to be searched, and what it ends with whatever is found there. */
interface Leaf {
  readonly search: string;
  readonly end: string;
}

/** Only the first line of a failure says what went wrong; the rest quotes the file. */
function sealedError(text: string): Leaf {
  const end = text.indexOf('\n');
  return end === -1 ? { search: text, end: '' } : { search: text.slice(0, end), end: `\n${fileContent}` };
}

function namedSecret(text: string, nameClass: NameClass, upper: boolean): string | undefined {
  if (nameClass === 'authorization' || nameClass === 'cookie') {
    const span = headerSecret(readingOf(text), nameClass, 0, text.length, '"');
    return span === undefined ? undefined : replaceSpans(text, [span]);
  }
  const kind = judge(nameClass, text, upper && !/\s/.test(text) ? 'variable' : 'literal');
  return kind === undefined ? undefined : maskOf(tokenKind(text, 0, text.length) ?? kind);
}

function leafOf(text: string, place: Place): Leaf {
  // A mask alone holds nothing any more: which kind it names was found out when more was known.
  if (text === '' || isMaskAlone(text)) return { search: '', end: text };
  if (place.regard === 'sealed') return { search: '', end: fileContent };
  return place.regard === 'sealed-error' ? sealedError(text) : { search: text, end: '' };
}

/** Masks what only the place of a text in its payload reveals. */
function maskByPlace(text: string, place: Place): string {
  const named = place.nameClass === undefined ? undefined : namedSecret(text, place.nameClass, place.upper);
  if (named !== undefined) return named;
  if (place.regard === 'command') return replaceSpans(text, shellContents(text));
  return place.regard === 'result' ? replaceSpans(text, listedSecrets(text)) : text;
}

function maskedNumber(value: Json, place: Place): Json {
  const isPin = typeof value === 'number' && place.nameClass === 'password' && Number.isInteger(value) && value >= 1000;
  return isPin ? maskOf('password') : value;
}

/** One object or array on the way through the tree. An own stack, since a payload may be nested deeper than the machine's. */
interface Frame {
  readonly source: Json;
  readonly length: number;
  readonly keyAt: (index: number) => string;
  readonly itemAt: (index: number) => Json;
  readonly placeOf: (key: string, index: number) => Place;
  readonly nameOf: (key: string) => string;
  readonly names: string[];
  readonly masked: Json[];
  /** Told with each entry: to compare hundreds of thousands at the end is a step too long. */
  changed: boolean;
}

function frameOf(source: Json, place: Place): Frame | undefined {
  if (Array.isArray(source)) return frameOfList(source, place);
  return isJsonObject(source) ? frameOfObject(source, place) : undefined;
}

function frameOfList(source: readonly Json[], place: Place): Frame {
  return {
    source,
    length: source.length,
    keyAt: () => '',
    itemAt: (index) => source[index] ?? null,
    placeOf: placesInList(source, place),
    nameOf: sameName,
    names: [],
    masked: [],
    changed: false,
  };
}

function frameOfObject(source: JsonObject, place: Place): Frame {
  const keys = Object.keys(source);
  return {
    source,
    length: keys.length,
    keyAt: (index) => keys[index] ?? '',
    // One by one: all values at once are a step too long where there are hundreds of thousands.
    itemAt: (index) => source[keys[index] ?? ''] ?? null,
    placeOf: placesIn(source, place.regard),
    nameOf: namesIn(keys),
    names: [],
    masked: [],
    changed: false,
  };
}

function sameName(key: string): string {
  return key;
}

/** To be asked for all keys of one object, in order: two that come out the same are told apart. */
function namesIn(keys: readonly string[]): (key: string) => string {
  let taken: Set<string> | undefined;
  /** The number to try next for each masked text: thousands of keys may come out the same. */
  let next: Map<string, number> | undefined;
  return (key) => {
    const masked = maskString(key);
    if (masked === key) return key;
    taken ??= new Set(keys);
    next ??= new Map();
    const name = taken.has(masked) ? numbered(masked, taken, next) : masked;
    taken.add(name);
    return name;
  };
}

function numbered(masked: string, taken: ReadonlySet<string>, next: Map<string, number>): string {
  let count = next.get(masked) ?? 2;
  while (taken.has(`${masked} (${String(count)})`)) count += 1;
  next.set(masked, count + 1);
  return `${masked} (${String(count)})`;
}

function add(frame: Frame, masked: Json): void {
  frame.changed ||= masked !== frame.itemAt(frame.masked.length);
  frame.masked.push(masked);
}

/** The source itself when nothing in it changed. */
function rebuilt({ source, names, masked, changed }: Frame): Json {
  if (!changed) return source;
  if (Array.isArray(source)) return masked;
  // fromEntries defines: a key named __proto__ stays a key.
  return Object.fromEntries(names.map((name, index) => [name, masked[index] ?? null]));
}

/** Characters and entries between two breaths: less than ten milliseconds' worth of the slowest text that is known. */
const TURN_WORK = 16 * 1024;

/** How much was done since the last breath. */
interface Pace {
  work: number;
}

function isTimeToBreathe(pace: Pace, work: number): boolean {
  pace.work += work;
  if (pace.work < TURN_WORK) return false;
  pace.work = 0;
  return true;
}

/** A mask can change how a command is split into words, so that its place reveals more. Two passes are usual. */
const mostPasses = 6;

function* maskLeaf({ search, end }: Leaf, place: Place, pace: Pace): Generator<undefined, string> {
  let masked = search;
  for (let pass = 0; pass < mostPasses && masked !== '' && !isMaskAlone(masked); pass += 1) {
    const before = masked;
    const rounds = maskInRounds(maskByPlace(before, place));
    for (;;) {
      const round = rounds.next();
      if (round.done) {
        masked = round.value;
        break;
      }
      if (isTimeToBreathe(pace, search.length)) yield;
    }
    if (masked === before) break;
  }
  return masked + end;
}

/** Whoever takes one step after the other may do other things between them. */
export function* maskTree(payload: JsonObject): Generator<undefined, Json> {
  const top: Place = { regard: 'plain', nameClass: undefined, upper: false };
  const root = frameOf(payload, top);
  if (root === undefined) return payload;
  const frames: Frame[] = [root];
  const pace: Pace = { work: 0 };
  for (;;) {
    const frame = frames.at(-1);
    if (frame === undefined) return payload;
    const index = frame.masked.length;
    if (index === frame.length) {
      const result = rebuilt(frame);
      frames.pop();
      const parent = frames.at(-1);
      if (parent === undefined) return result;
      add(parent, result);
      continue;
    }
    const key = frame.keyAt(index);
    const item = frame.itemAt(index);
    if (isTimeToBreathe(pace, 1 + key.length + (typeof item === 'string' ? item.length : 0))) yield;
    const name = frame.nameOf(key);
    frame.names.push(name);
    frame.changed ||= name !== key;
    const place = frame.placeOf(key, index);
    const inner = frameOf(item, place);
    if (inner !== undefined) frames.push(inner);
    else if (typeof item === 'string') add(frame, yield* maskLeaf(leafOf(item, place), place, pace));
    else add(frame, maskedNumber(item, place));
  }
}
