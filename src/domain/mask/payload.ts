import { isJsonObject } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { isFlagValue } from './flags.ts';
import { headerSecret } from './headers.ts';
import { judge } from './judge.ts';
import { classifyName } from './names.ts';
import type { NameClass } from './names.ts';
import { listedSecrets } from './patches.ts';
import { readingOf } from './reading.ts';
import { readShell } from './shell.ts';
import { holdsMask, maskOf, replaceSpans } from './span.ts';
import { maskString } from './text.ts';
import { tokenKind } from './tokens.ts';
import { isCommandKey, isContentKey, isPlainKey, namesCredentialFile, resultIsSecret } from './toolCalls.ts';

/** How the strings below a place are to be taken. `sealed`: the contents of a credential file. */
type Regard = 'plain' | 'command' | 'result' | 'sealed' | 'sealed-error';

interface Place {
  readonly regard: Regard;
  /** What the nearest key calls the value. */
  readonly nameClass: NameClass | undefined;
  readonly upper: boolean;
}

const fileContent = maskOf('file-content');
function isMaskAlone(text: string): boolean {
  return /^«masked:[a-z-]{1,40}»$/.test(text);
}

const upperName = /^[A-Z][A-Z0-9_]*$/;

/** Only the first line of a failure says what went wrong; the rest quotes the file. */
function sealedError(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? maskString(text) : `${maskString(text.slice(0, end))}\n${fileContent}`;
}

function namedSecret(text: string, nameClass: NameClass, upper: boolean): string | undefined {
  if (nameClass === 'authorization' || nameClass === 'cookie') {
    const span = headerSecret(readingOf(text), nameClass, 0, text.length, '"');
    return span === undefined ? undefined : replaceSpans(text, [span]);
  }
  const kind = judge(nameClass, text, upper && !/\s/.test(text) ? 'variable' : 'literal');
  return kind === undefined ? undefined : maskOf(tokenKind(text, 0, text.length) ?? kind);
}

function maskLeaf(text: string, place: Place): string {
  // A mask alone holds nothing any more: which kind it names was found out when more was known.
  if (text === '' || isMaskAlone(text)) return text;
  if (place.regard === 'sealed') return fileContent;
  if (place.regard === 'sealed-error') return sealedError(text);
  if (place.nameClass !== undefined) {
    const named = namedSecret(text, place.nameClass, place.upper);
    if (named !== undefined) return maskString(named);
  }
  if (place.regard === 'command') return maskString(replaceSpans(text, readShell(text).contents));
  return maskString(place.regard === 'result' ? replaceSpans(text, listedSecrets(text)) : text);
}

function maskScalar(value: Json, place: Place): Json {
  if (typeof value === 'string') return maskLeaf(value, place);
  const isPin = typeof value === 'number' && place.nameClass === 'password' && Number.isInteger(value) && value >= 1000;
  return isPin ? maskOf('password') : value;
}

function regardOfChild(
  object: JsonObject,
  regard: Regard,
  secretResult: boolean,
  sealing: boolean,
  key: string,
): Regard {
  if (regard === 'sealed') return isPlainKey(key) ? 'plain' : 'sealed';
  if (key === 'tool_response' || key === 'result' || key === 'tool_output') return secretResult ? 'sealed' : 'result';
  if (key === 'error' && secretResult) return 'sealed-error';
  if (sealing && isContentKey(key)) return 'sealed';
  if (isCommandKey(key)) return 'command';
  return regard === 'result' ? 'result' : 'plain';
}

/** `{name: 'API_TOKEN', value: …}`: the variable's name is its neighbour's value. */
function nameClassOf(object: JsonObject, key: string): NameClass | undefined {
  // What a mask is called is no name that the payload gave.
  if (holdsMask(key)) return undefined;
  if (key !== 'value' && key !== 'Value') return classifyName(key);
  const name = object['name'] ?? object['key'] ?? object['Name'] ?? object['Key'];
  return typeof name === 'string' && !holdsMask(name) ? classifyName(name) : undefined;
}

function placesIn(object: JsonObject, regard: Regard): (key: string) => Place {
  const secretResult = Object.hasOwn(object, 'tool_input') && resultIsSecret(object['tool_input']);
  const sealing = regard !== 'sealed' && namesCredentialFile(object);
  return (key) => ({
    regard: regardOfChild(object, regard, secretResult, sealing, key),
    nameClass: nameClassOf(object, key),
    upper: upperName.test(key),
  });
}

/** One object or array on the way through the tree. An own stack, since a payload may be nested deeper than the machine's. */
interface Frame {
  readonly source: Json;
  readonly keys: readonly string[];
  readonly items: readonly Json[];
  readonly placeOf: (key: string, index: number) => Place;
  readonly nameOf: (key: string) => string;
  readonly names: string[];
  readonly masked: Json[];
}

const longFlag = /^--?[A-Za-z][\w-]{2,80}$/;

/** `["--password", "…"]`: an argument is named by the flag before it. */
function placesInList(items: readonly Json[], place: Place): (key: string, index: number) => Place {
  return (_, index) => {
    const [flag, value] = [items[index - 1], items[index]];
    if (typeof flag !== 'string' || typeof value !== 'string' || !longFlag.test(flag)) return place;
    const nameClass = classifyName(flag);
    return nameClass !== undefined && isFlagValue(nameClass, value) ? { ...place, nameClass, upper: false } : place;
  };
}

function frameOf(source: Json, place: Place): Frame | undefined {
  if (Array.isArray(source)) {
    const placeOf = placesInList(source, place);
    return { source, keys: [], items: source, placeOf, nameOf: sameName, names: [], masked: [] };
  }
  if (!isJsonObject(source)) return undefined;
  const keys = Object.keys(source);
  return {
    source,
    keys,
    items: Object.values(source),
    placeOf: placesIn(source, place.regard),
    nameOf: namesIn(keys),
    names: [],
    masked: [],
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

/** The source itself when nothing in it changed. */
function rebuilt(frame: Frame): Json {
  const same = frame.masked.every((item, index) => item === frame.items[index]);
  if (Array.isArray(frame.source)) return same ? frame.source : frame.masked;
  const { keys, names, masked } = frame;
  if (same && names.every((name, index) => name === keys[index])) return frame.source;
  // fromEntries defines: a key named __proto__ stays a key.
  return Object.fromEntries(names.map((name, index) => [name, masked[index] ?? null]));
}

/** Characters and entries between two breaths: less than ten milliseconds' worth of the slowest text that is known. */
const TURN_WORK = 16 * 1024;

/** Whoever takes one step after the other may do other things between them. */
export function* maskTree(payload: JsonObject): Generator<undefined, Json> {
  const top: Place = { regard: 'plain', nameClass: undefined, upper: false };
  const root = frameOf(payload, top);
  if (root === undefined) return payload;
  const frames: Frame[] = [root];
  let work = 0;
  for (;;) {
    const frame = frames.at(-1);
    if (frame === undefined) return payload;
    const index = frame.masked.length;
    if (index === frame.items.length) {
      const result = rebuilt(frame);
      frames.pop();
      const parent = frames.at(-1);
      if (parent === undefined) return result;
      parent.masked.push(result);
      continue;
    }
    const key = frame.keys[index] ?? '';
    const item = frame.items[index] ?? null;
    work += 1 + key.length + (typeof item === 'string' ? item.length : 0);
    if (work >= TURN_WORK) {
      work = 0;
      yield;
    }
    frame.names.push(frame.nameOf(key));
    const place = frame.placeOf(key, index);
    const inner = frameOf(item, place);
    if (inner === undefined) frame.masked.push(maskScalar(item, place));
    else frames.push(inner);
  }
}
