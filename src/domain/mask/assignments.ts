import { isBlankAt, isLineEndAt, isQuote, isWordAt, longestName, wordBefore } from './chars.ts';
import { elementSecret } from './elements.ts';
import { isFlagValue } from './flags.ts';
import { headerSecret } from './headers.ts';
import { looksRandom } from './entropy.ts';
import { judge, mixesCase } from './judge.ts';
import type { Setting } from './judge.ts';
import type { NameClass } from './names.ts';
import { rowSecret } from './rows.ts';
import type { Span } from './span.ts';
import { looksLikePhrase, looksLikeSecret } from './spoken.ts';
import { tokenInRun, tokenKind } from './tokens.ts';
import type { BareEnd, Reading } from './reading.ts';
import { bareAt, fallbackLiteral, quotedAt, valueAt } from './values.ts';
import type { Value } from './values.ts';

/** A name to the left of a separator. */
interface Name {
  readonly start: number;
  readonly end: number;
  /** In quotes or brackets: a key of JSON, of a map, of an environment. */
  readonly quoted: boolean;
}

const textType = String.raw`(?:[\w:.]{1,30}[.:])?(?:string|str|String|char|CharSequence|text|Text|AnyStr|SecureString|SecretStr|byte|bytes|u8)`;
/** `password: string`, `password: Final[str]`, `password *string`, `std::string password`: what stands between a name and its sign. */
const typed = new RegExp(
  String.raw`([\w-]{2,80})["')\]]{0,2}[?!]?(?:[ \t]*:[ \t]*|[ \t]+)(?:readonly |const |[aA]s )?(?:\w{1,20}[[<]){0,2}[&*]?(?:'static )?(?:\[\w*\])?(?:const )?${textType}(?:[\]>]){0,2}(?:\[\])?\??(?: ?\| ?(?:None|null|undefined))?[ \t]*$`,
);
const typeEnd = new RegExp(`^(?:${textType}|None|null|undefined)$`);
const longestTyped = 120;
/** `v_password VARCHAR2(30) := …` */
const sized = /[ \t]+n?(?:var)?char2?\(\d{1,5}\)$/i;
/** `string ApiSecret { get; set; }` */
const accessors = /[ \t]*\{[ \t]*(?:(?:public |private |protected |internal )?(?:get|set|init);[ \t]*){1,3}\}[ \t]*$/;

function blanksBefore(text: string, end: number): number {
  let at = end;
  while (isBlankAt(text, at - 1)) at -= 1;
  return at;
}

/** `Secret Access Key [None]:`: a prompt shows its default between the name and the colon. */
const offered = /[ \t]\[[^[\]\n]{0,40}\]$/;

/** Steps back over what may stand between a name and its separator: blanks, `]`, `?`, `!`, a quote and its escapes. */
function nameBefore(text: string, separator: number): Name | undefined {
  let end = blanksBefore(text, separator);
  if (text[end - 1] === ']' && text[separator] === ':')
    end -= offered.exec(text.slice(Math.max(0, end - 43), end))?.[0].length ?? 0;
  // `name ||= value`
  if (/^(?:\|\||\?\?)$/.test(text.slice(end - 2, end))) end = blanksBefore(text, end - 2);
  if (text[end - 1] === '}') end -= accessors.exec(text.slice(Math.max(0, end - 90), end))?.[0].length ?? 0;
  if (text[end - 1] === ')') end -= sized.exec(text.slice(Math.max(0, end - 24), end))?.[0].length ?? 0;
  if (text[end - 1] === ']' && text[separator] === '=')
    end -= /\[\d*\]$/.exec(text.slice(Math.max(0, end - 8), end))?.[0].length ?? 0;
  if (text[end - 1] === ']' || text[end - 1] === '?' || text[end - 1] === '!') end -= 1;
  const quoted = isQuote(text.charCodeAt(end - 1));
  if (quoted) {
    end -= 1;
    for (let steps = 0; text[end - 1] === '\\' && steps < 8; steps += 1) end -= 1;
  }
  const start = wordBefore(text, end);
  return start === end ? undefined : { start, end, quoted };
}

/** `password: string = …` and `password string = …`: the name stands before its type. */
function beforeType(text: string, name: Name, separator: number): Name {
  if (name.quoted || name.end - name.start > 14 || !typeEnd.test(text.slice(name.start, name.end))) return name;
  const from = Math.max(0, separator - longestTyped);
  const found = typed.exec(text.slice(from, separator));
  const start = from + (found?.index ?? 0);
  return found === null ? name : { start, end: start + (found[1] ?? '').length, quoted: false };
}

/** "API key", `api.key`, `"Jwt": { "Key"`: the word before the last one says what kind of key it is. */
function fullName(text: string, name: Name): string {
  const last = text.slice(name.start, name.end);
  if (!/^(?:keys?|token|secret|string|phrase|\d)$/i.test(last)) return last;
  const numbered = last.length === 1 && text[name.start - 1] === ' ';
  if (numbered) return fullName(text, { ...name, start: wordBefore(text, name.start - 1), end: name.start - 1 });
  if (name.quoted) {
    const owner = /["'](\w{2,40})\\?["']\s?(?::|=>)\s?[{[][\s\\nr]{0,40}\\?["']$/.exec(
      text.slice(Math.max(0, name.start - 90), name.start),
    );
    return owner === null ? last : `${owner[1] ?? ''}_${last}`;
  }
  const gap = text[name.start - 1];
  if (gap !== ' ' && gap !== '.') return last;
  const start = wordBefore(text, name.start - 1);
  return start === name.start - 1 ? last : `${text.slice(start, name.start - 1)}_${last}`;
}

/** Only the first letters of a log prefix, a listing's line number or an indent precede it on its line. */
function startsLine(text: string, nameStart: number): boolean {
  // npm's own files name a server before each of its settings: `//packages.example.com/:_password=…`.
  if (text[nameStart] === '_' && text[nameStart - 1] === ':') {
    return /(?:^|[\n\s])\/\/[^\s]{1,190}:$/.test(text.slice(Math.max(0, nameStart - 200), nameStart));
  }
  let at = nameStart;
  // `spring.datasource.password`: the line begins with the first part of the name.
  while (nameStart - at < longestName && (text[at - 1] === '.' || (at < nameStart && isWordAt(text, at - 1)))) at -= 1;
  for (let steps = 0; steps < 24; steps += 1) {
    if (isLineEndAt(text, at - 1)) return true;
    const before = text[at - 1] ?? '';
    if (before === 'n' && text[at - 2] === '\\') return true;
    if (!/[\s\d+|→"'-]/.test(before)) break;
    at -= 1;
  }
  return /(?:^|[\s;&|(])(?:export|set|setx|setenv|ENV|ARG|env|local|readonly|declare(?: -x)?)[ \t]*$/.test(
    text.slice(Math.max(0, at - 12), at),
  );
}

const upperName = /^[A-Z][A-Z0-9_]*$/;
const lineRest = /^[ \t]*(?:#[^\n]*|\\?)(?:[\r\n]|\\n|$)/;

function settingOf(text: string, name: Name, separator: number, value: Value): Setting {
  const { quote } = value;
  const tight =
    (text[separator] === '=' || text[separator] === '＝') &&
    separator === name.end &&
    value.start === separator + 1 + quote.length;
  const upper = upperName.test(text.slice(name.start, name.end));
  const flag = text[name.start] === '-' && text[name.start + 1] === '-';
  if (quote !== '' && !(tight && upper)) return 'literal';
  const first = startsLine(text, name.start);
  const after = value.end + quote.length;
  const fills = lineRest.test(text.slice(after, after + 120)) && (quote !== '' || !/[;,({[]$/.test(value.text));
  if (tight && upper && first && fills) return 'env';
  // `TOKEN="…" command`
  if (tight && upper && first && /^[ \t]+[\w./]/.test(text.slice(after, after + 8))) return 'variable';
  if (quote !== '' || flag) return 'literal';
  const before = text[name.start - 1] ?? '\n';
  const opened = /[\s"'`;&?:$({,→\\]/.test(before) || (before === 'n' && text[name.start - 2] === '\\');
  if (tight && upper && opened && !(first && /[;,]$/.test(value.text))) return 'variable';
  // A line of YAML, where variables have the names that shells give them.
  if (first && fills && !name.quoted) return upper && text[separator] === ':' ? 'variable' : 'line';
  // `-H "X-Api-Secret: …"`, `/pass:…`
  if (
    isQuote(text.charCodeAt(name.start - 1)) &&
    text.slice(name.start, name.end).includes('-') &&
    text[value.end] === text[name.start - 1]
  )
    return 'literal';
  if (before === '/' && text[separator] === ':' && separator === name.end) return 'pair';
  if (tight && (before === '&' || before === '?' || text[value.end] === '&')) return 'pair';
  if (tight && before === ' ' && !/[,)]$/.test(value.text) && inConnection(text, name.start)) return 'pair';
  if (tight && text[value.end] === ';' && inConnection(text, name.start)) return 'pair';
  return tight && before === ';' && inConnection(text, name.start) ? 'pair' : 'bare';
}

function inConnection(text: string, nameStart: number): boolean {
  return /(?:server|host|hostname|dbname|user|data source|addr|user(?: id|name)?|uid|database|endpoint(?:sprotocol)?|accountname|keyname|initial catalog)=/i.test(
    text.slice(Math.max(0, nameStart - 200), nameStart),
  );
}

const endsBySetting: Readonly<Record<Setting, BareEnd>> = {
  literal: 'argument',
  argument: 'argument',
  env: 'word',
  variable: 'variable',
  line: 'word',
  pair: 'pair',
  bare: 'code',
};

/** A bare value runs on to a blank; what of it belongs to the language around depends on where it stands. */
function trimmed(reading: Reading, value: Value, setting: Setting): Value {
  if (value.quote !== '') return value;
  // A name that code goes on from: a type's argument, an index.
  const rest = setting === 'variable' ? '' : (reading.text[reading.stopAfter('name', value.start)] ?? '');
  if (rest === '<' || rest === '(' || rest === '[') return { ...value, end: value.start, text: '' };
  return bareAt(reading, value.start, endsBySetting[setting]) ?? { ...value, end: value.start, text: '' };
}

/** `const SignJwt = "signJwt"`: a constant that is its own name. */
function isOwnName(name: string, value: string): boolean {
  const letters = (given: string): string => given.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  return value.length < 80 && letters(name) === letters(value);
}

function spanOf(text: string, nameClass: NameClass, value: Value, setting: Setting): Span | undefined {
  const kind = judge(nameClass, value.text, setting);
  if (kind === undefined) return undefined;
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

/** Masks the whole literal; the kind is that of the provider's key in it, if it holds one. */
function keySpan(text: string, { start, end, text: value }: Value): Span {
  for (const run of value.matchAll(/[\w-]+/g)) {
    const from = start + run.index;
    const token = tokenInRun(text, from, from + run[0].length);
    if (token !== undefined) return { start, end, kind: token.kind };
  }
  return { start, end, kind: 'secret' };
}

function isHeader(nameClass: NameClass): boolean {
  return nameClass === 'authorization' || nameClass === 'cookie';
}

/** `?sig=…`, `&X-Amz-Signature=…`, `&key=…`: weak names that a query makes strong. */
function inQuery(text: string, name: Name): boolean {
  return /[?&;]/.test(text[name.start - 1] ?? '') || text.startsWith('amp;', name.start - 4);
}

/** `name: X_TOKEN` then `value: …`: the pair in which containers and orchestrators write a variable. */
function namedValue({ text, classOf }: Reading, name: Name): NameClass | undefined {
  const called = text.slice(name.start, name.end).toLowerCase();
  if (called !== 'value' && called !== 'default') return undefined;
  const before = text.slice(Math.max(0, name.start - 160), name.start);
  const variable = called === 'default' ? /variable\s+"(\w{2,80})"\s*\{[^{}]{0,100}$/.exec(before)?.[1] : undefined;
  if (variable !== undefined) return classOf(variable);
  const asked = called === 'default' ? /\(\s?["'](\w{2,80})["'],\s?$/.exec(before)?.[1] : undefined;
  if (asked !== undefined) return classOf(asked);
  const element = /<([\w.:-]{3,80})\s{1,4}$/.exec(before)?.[1];
  if (element !== undefined) return classOf(element);
  const named = /(?:name|key|Name|Key)\\?["']?\s*[=:]\s*\\?["']?([\w.-]{3,80})\\?["']?,?\s*[\\n{"'\s-]{0,40}$/.exec(
    before,
  )?.[1];
  return named === undefined ? undefined : classOf(named);
}

/** `?code=…`, `&appid=…`: names that mean a key only in an address. */
function inAddress(text: string, name: Name): NameClass | undefined {
  if (text[name.end] !== '=' || !/[?&]/.test(text[name.start - 1] ?? '')) return undefined;
  return /^(?:code|appid|servicekey|pk)$/i.test(text.slice(name.start, name.end)) ? 'weak' : undefined;
}

/** `-o username=kim,password=…`, `--set db.password=…`: options of a command or a connection, not code. */
function isOption(text: string, name: Name, value: Value, nameClass: NameClass): boolean {
  if (text[name.end] !== '=' || nameClass === 'weak' || isHeader(nameClass)) return false;
  const isPassword = nameClass === 'password' || nameClass === 'pass';
  if (!looksLikeSecret(value.text, isPassword ? 'password' : 'token', 6)) return false;
  const before = text.slice(Math.max(0, name.start - 120), name.start);
  const after = text.slice(value.end, value.end + 60);
  const line = before.slice(before.lastIndexOf('\n') + 1) + (/^[^\n]*/.exec(after)?.[0] ?? '');
  return !/[(){};<>]/.test(line) || /^["']?\)?$/.test(after);
}

const wrapper =
  /(?:(?:String|Bytes|SecretString|CString|HeaderValue)::(?:from|new|from_static)|SecretStr|SecretString|SecretValue\.\w{1,30}|Secret\.\w{1,20}|Some|Ok|str|bytes|new String|Secret|Buffer\.from|(?:base64\.)?b64decode|atob|(?:\w+\.)?GetBytes|new TextEncoder\(\)\.encode|(?:pulumi|cdk)\.\w{1,20}|\[\](?:byte|rune)|Field)\(\s?(?:default=)?b?(?=["'`])/y;

/** `String::from("…")`: a literal in a call that only wraps it. */
function wrappedLiteral(text: string, at: number): Value | undefined {
  wrapper.lastIndex = at;
  const found = wrapper.exec(text);
  return found === null ? undefined : quotedAt(text, at + found[0].length);
}

/** `${mail.password:…}`: what stands in where nothing is configured. */
function placeholderDefault(reading: Reading, name: Name, found: Value): Value | undefined {
  const isOpen = /\$\{[\w.-]{0,80}$/.test(reading.text.slice(Math.max(0, name.start - longestName), name.start));
  const start = found.start + (/^[:-]?[-=]/.exec(found.text)?.[0].length ?? 0);
  return isOpen && found.quote === '' ? bareAt(reading, start, 'code') : undefined;
}

/** `wpa_passphrase=seven copper kettles 19` */
function phraseOnLine({ text, stopAfter }: Reading, { start }: Value): Span | undefined {
  const end = Math.min(stopAfter('line', start), start + 100);
  return looksLikePhrase(text.slice(start, end)) ? { start, end, kind: 'password' } : undefined;
}

/** The secret that stands after the `=` or `:` at `separator`. `valueFrom` is after the whole operator. */
export function assignedSecret(reading: Reading, separator: number, valueFrom: number): Span | undefined {
  const { text, classOf } = reading;
  const close = nameBefore(text, separator);
  if (close === undefined) return undefined;
  const name = beforeType(text, close, separator);
  const nameClass = classOf(fullName(text, name)) ?? namedValue(reading, name) ?? inAddress(text, name);
  if (nameClass === undefined) return undefined;
  const found = valueAt(reading, valueFrom);
  if (isHeader(nameClass)) {
    const start = found?.start ?? valueFrom;
    return headerSecret(reading, nameClass, start, found?.quote ? found.end : undefined, '');
  }
  if (found === undefined) return undefined;
  const fallbackValue = text[separator] === ':' ? placeholderDefault(reading, name, found) : undefined;
  if (fallbackValue !== undefined) return spanOf(text, nameClass, fallbackValue, 'literal');
  const phrase = nameClass === 'phrase' && found.quote === '' ? phraseOnLine(reading, found) : undefined;
  if (phrase !== undefined) return phrase;
  const setting = settingOf(text, name, separator, found);
  const value = trimmed(reading, found, setting);
  const strong = nameClass === 'weak' && inQuery(text, name) && value.text.length >= 20 ? 'token' : nameClass;
  const span = spanOf(text, strong, value, setting);
  if (setting === 'bare' && span === undefined && separator === name.end && isOption(text, name, value, strong))
    return { start: value.start, end: value.end, kind: 'password' };
  if (span !== undefined) return isOwnName(text.slice(name.start, name.end), found.text) ? undefined : span;
  if (value.quote !== '') return undefined;
  const literal = wrappedLiteral(text, value.start) ?? fallbackLiteral(reading, value.start);
  return literal === undefined
    ? undefined
    : spanOf(text, nameClass === 'token' ? 'secret' : nameClass, literal, 'literal');
}

/** `os.Setenv("DB_PASSWORD", "…")`: a call that gives a name its value. */
const setter =
  /(?:setenv|putenv|set_?var|setproperty|set_?secret|add_?secret|put_?secret|store_?secret|environ\.setdefault|addenv|withenv|with_?env|envs?|putstring)\(\s?\\?["']$/i;

/** Calls that ask for a secret or look at one are given something else. */
const asks =
  /^(?:get|fetch|acquire|parse|decode|verify|validate|check|read|find|create|make|new|is|has|expect|assert|match|test|lookup|load|on|to|from)/i;

/** The names of WordPress's keys and salts, whose values may hold any character, blanks and brackets too. */
const salted = /^(?:(?:SECURE_)?AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)$/;
const ofClient = /client|login|auth$|init|configure|private_?key|secret_?key/i;
/** An account key of Azure: 64 bytes. */
const accountKey = /^[A-Za-z0-9+/]{86}==$/;

/** Calls with these names take identifiers, which look like hexadecimal keys. */
const identified = /id$|hash|digest|sum|commit|object|colou?r|ref$|hex|error|date|ur[il]$|path|buffer|number|big/i;
const isMade = /(?:\bnew |=\s?)(?:\w+\.)?\w+$/;
/** Call and arguments before a password: `Credentials("…", "kim", "…")`. */
const afterUser =
  /(?:credentials?|log_?in|sign_?in|authent\w{0,12}|(?:basic|plain)_?auth|(?:s?f|sm)tp|imap|passw\w{0,10}|_pw_set|pwd)\w{0,12}\(\s?(?:["'][^"'()\n]{0,60}["'],\s?){0,3}["'][^"'()\n]{1,60}["']$/i;
/** Call and id before a key: `RestClient("…", "key")`. */
const afterId = /(?:^|[^\w])(?:[A-Z]\w{1,40}|\w{0,30}[aA]uth)\(\s?["'][^"'()\n]{1,80}["']$/;

/** Whether a literal in a call is a key although no name says so: `new Client("…")`, `login("…")`, `Client("id", "…")`. */
function isKeyInCall(text: string, opener: number, called: string, value: string): boolean {
  if (salted.test(called)) return true;
  const before = text.slice(Math.max(0, opener - 200), opener);
  if (text[opener] === ',' && looksLikeSecret(value, 'password', 6) && afterUser.test(before)) return true;
  if (value.length < 20 || value.length > 200 || !looksRandom(value)) return false;
  if (text[opener] === ',') {
    return accountKey.test(value) || (mixesCase.test(value) && afterId.test(before));
  }
  if (!/^[\w.:+/=-]+$/.test(value)) return false;
  if (ofClient.test(called)) return value.length >= 24 || /\d\D+\d\D+\d/.test(value);
  if (!/^[A-Z]/.test(called)) return false;
  if (/^[0-9a-f-]{32,}$/.test(value)) return !identified.test(called) && isMade.test(before);
  return mixesCase.test(value) || /^[\w.]{8,20}:\w{28,}$/.test(value);
}

/** `set('api_key', '…')`, `setPassword("…")`, `<password>…</password>`: values that no separator introduces. */
export function passedSecret(reading: Reading, opener: number): Span | undefined {
  const { text, classOf } = reading;
  const mark = text[opener];
  if (mark === '>') return elementSecret(reading, opener);
  if (mark === '|') return rowSecret(reading, opener);
  const from = blankEnd(text, opener + 1);
  const code = text.charCodeAt(from);
  if (!isQuote(code) && code !== 92) return undefined;
  if (mark === ',' && !isQuote(text.charCodeAt(opener - 1))) return undefined;
  const name = nameBefore(text, opener) ?? { start: opener, end: opener, quoted: mark === ',' };
  if (name.quoted !== (mark === ',')) return undefined;
  const called = text.slice(name.start, name.end);
  // Gradle's `password.set("…")`
  if (mark === '(' && called === 'set' && text[name.start - 1] === '.')
    return ownerSecret(reading, name.start - 1, from);
  const nameClass = mark === '(' && asks.test(called) ? undefined : classOf(called);
  const value = quotedAt(text, from);
  if (value === undefined) return undefined;
  if (nameClass === undefined || (salted.test(called) && value.text.length >= 40))
    return isKeyInCall(text, opener, called, value.text) ? keySpan(text, value) : undefined;
  if (isHeader(nameClass)) return headerSecret(reading, nameClass, value.start, value.end, value.quote);
  if (mark === ',' && text[name.start] === '-')
    return isFlagValue(nameClass, value.text) ? spanOf(text, nameClass, value, 'literal') : undefined;
  if (mark === ',' && setter.test(text.slice(Math.max(0, name.start - 60), name.start)))
    return spanOf(text, nameClass, value, 'literal');
  // Lists of names look just like a name and its value, so only what can be no name counts.
  return spanOf(text, nameClass, value, mark === ',' ? 'argument' : 'literal');
}

function ownerSecret({ text, classOf }: Reading, dot: number, from: number): Span | undefined {
  const nameClass = classOf(text.slice(wordBefore(text, dot), dot));
  const value = nameClass === undefined || isHeader(nameClass) ? undefined : quotedAt(text, from);
  const isOnly = value !== undefined && text[value.end + value.quote.length] === ')';
  return isOnly && nameClass !== undefined ? spanOf(text, nameClass, value, 'literal') : undefined;
}

function blankEnd(text: string, from: number): number {
  let at = from;
  while (isBlankAt(text, at)) at += 1;
  return at;
}
