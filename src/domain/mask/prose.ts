import { isBlankAt, isWordAt } from './chars.ts';
import { looksChosen, looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import type { NameClass } from './names.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { tokenKind } from './tokens.ts';
import { bareAt, quotedAt, skipBlanks } from './values.ts';
import type { Value } from './values.ts';

const longestWord = 256;
const shortestSecret = 8;
/** Quotes and emphasis around a value in a sentence; a value may also begin on the next line. */
const opening = /[ \t]*(?:\r?\n[ \t]*)?[`"'“”‘’「『*_«(<]{0,3}/y;
const inner = /[!-~]/;
const entity = /^&(?:#\d+|[a-z]{2,6});/;
const closing = /[`"'*_.,;:)>\]]+$/;
const algorithm =
  /^(?:sha|aes|rsa|hmac|argon|bcrypt|scrypt|pbkdf|base|curve|secp|ed|x|blake|ripemd|utf|iso|md|[hrep]s|oauth|http|ipv|es|python|node|tls|ssl|chacha|poly|salsa|crc|fips|win|int|uint|float)[-_]?\d[\w-]*$/i;
const counted = /^\d+(?:[-_]?[a-z]+)(?:-[a-z]+)*$/;
const mark = /[!@#$%^&*+=?~]/;

/** What a sentence gives as a value: up to a blank, a closing quote or the first letter of a script with no blanks. */
function wordOf(text: string, from: number): Value | undefined {
  opening.lastIndex = from;
  const start = from + (opening.exec(text)?.[0].length ?? 0);
  const quote = text[start - 1];
  let end = start;
  while (end - start < longestWord && inner.test(text.charAt(end)) && text[end] !== quote) {
    if (text[end] === '\\' && /[nrt"\\]/.test(text.charAt(end + 1))) break;
    if (text[end] === '&' && entity.test(text.slice(end, end + 8))) break;
    end += 1;
  }
  const given = text.slice(start, end);
  const value = given.replace(closing, '');
  return value === '' ? undefined : { start, end: start + value.length, text: value, quote: '' };
}

/** In a sentence anything can follow a name, so a value must look like nothing else: a digit or marks among letters. */
function looksTold(value: string, nameClass: NameClass): boolean {
  if (value.length < shortestSecret || isPlaceholder(value) || isLabel(value)) return false;
  if (algorithm.test(value) || counted.test(value) || /[(){}[\]<>|«»]|:\/\//.test(value)) return false;
  if (looksRandom(value)) return true;
  // A key of one word is likelier the name of a type: `token is Es2015Token`.
  if (nameClass !== 'password') return !/^[A-Za-z_$][\w$]*$/.test(value) && looksChosen(value);
  if (/^\d{8,}$/.test(value) || /^[A-Za-z]{5,}\d+$/.test(value) || looksChosen(value)) return true;
  return mark.test(value.replace(/[!?]+$/, '')) && /[A-Za-z]/.test(value) && !/^[\w.]+=|[/\\]/.test(value);
}

function toldSpan(text: string, value: Value, nameClass: NameClass): Span | undefined {
  if (!looksTold(value.text, nameClass)) return undefined;
  const kind = nameClass === 'password' ? 'password' : 'secret';
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

const nameReach = 72;
const namedPassword =
  /(?:^|[^A-Za-z0-9])(?:\w{0,20}_)?(?:pass ?words?|passwd|passphrase|passcode|pass ?code|pwd)[`"'*)]{0,3}(?:[ \t]+(?:for|of|to|on|in|at)[ \t]+[^\n.!?:;=]{1,40})?[ \t]*(?:now[ \t]+)?$/i;
const namedKey =
  /(?:^|[^A-Za-z0-9])(?:\w{0,20}_)?(?:tokens?|(?:client|shared|app|api|jwt)[ _-]?secret|secret|credentials?|(?:api|access|auth|authentication|secret|private|encryption|signing|master|service|account|license|deploy)[ _-]?keys?)[`"'*)]{0,3}(?:[ \t]+(?:for|of|to|on|in|at)[ \t]+[^\n.!?:;=]{1,40})?[ \t]*(?:now[ \t]+)?$/i;
const verbs = /(?:^|[^A-Za-z])(?:set|sets|setting|chang\w{1,3}|reset|updat\w{1,3}|rotat\w{1,3})[ \t]/i;

function lastWord(text: string, end: number): string {
  let start = end;
  while (end - start < nameReach && isWordAt(text, start - 1)) start -= 1;
  return text.slice(start, end);
}

/** `my password is …`, `the API key is: …`, `set the password to …`; `[start, end)` is the verb. */
function saidSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  if (!isBlankAt(text, start - 1)) return undefined;
  const from = text[end] === ':' ? end + 1 : end;
  const value = wordOf(text, from);
  // Few words look like secrets, so this comes before the look at what precedes.
  if (value === undefined || value.start === from || !looksTold(value.text, 'password')) return undefined;
  const before = text.slice(Math.max(0, start - nameReach), start);
  if (text[start] === 't' && !verbs.test(before)) return undefined;
  const named = reading.classOf(lastWord(text, start - 1));
  if (named !== undefined && named !== 'weak') return toldSpan(text, value, named === 'phrase' ? 'password' : named);
  if (namedPassword.test(before)) return toldSpan(text, value, 'password');
  return namedKey.test(before) ? toldSpan(text, value, 'token') : undefined;
}

/** A line end may be written out, and then it could be a word's letters as well: where both are runs, all ways to part them are tried. */
const netrcGaps = /(?:\s|\\n)+/g;
const netrcBefore =
  /(?:^|[ "'n])(?:machine(?: |\\n)\S{1,80}|default)(?: |\\n)login(?: |\\n)\S{1,80}(?: |\\n)(?:account(?: |\\n)\S{1,80}(?: |\\n))?$/;

function oneGap(gap: string): string {
  return /\s/.test(gap) ? ' ' : '\\n';
}

/** `machine x login y password z`, on one line or several. */
function netrcSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  const before = text.slice(Math.max(0, start - 240), start);
  if (!before.includes('login') || !netrcBefore.test(before.replace(netrcGaps, oneGap))) return undefined;
  const value = bareAt(reading, skipBlanks(text, end), 'word');
  if (value === undefined || isPlaceholder(value.text)) return undefined;
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? 'password' };
}

const setName = /[ \t]+(?:(?:\/[A-Za-z]|-[gxUu]{1,3})[ \t]+)?(["']?)([A-Za-z_]\w{1,79})\1[ \t]+(?=[^\s=])/y;

/** `setx PASSWORD …`, `setenv TOKEN …`, `ENV API_KEY …`, `set -gx TOKEN …`: only a blank stands between name and value. */
function setSecret(reading: Reading, end: number): Span | undefined {
  const { text } = reading;
  setName.lastIndex = end;
  const named = setName.exec(text);
  const nameClass = reading.classOf(named?.[2] ?? '');
  if (named === null || nameClass === undefined) return undefined;
  const from = end + named[0].length;
  const value = quotedAt(text, from) ?? bareAt(reading, from, 'argument');
  if (value === undefined) return undefined;
  const kind = judge(nameClass, value.text, 'variable');
  return kind === undefined
    ? undefined
    : { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

/** A secret that the word `[start, end)` introduces with a blank. */
export function announcedSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  const length = end - start;
  if (length > 8 || length < 2 || length === 5 || length === 7) return undefined;
  const first = text[start];
  if (length === 2)
    return (first === 'i' && text[start + 1] === 's') || (first === 't' && text[start + 1] === 'o')
      ? saidSecret(reading, start, end)
      : undefined;
  if (!isBlankAt(text, end) && text[end] !== '\n' && text[end] !== '\\') return undefined;
  switch (text.slice(start, end)) {
    case 'was':
      return saidSecret(reading, start, end);
    case 'set':
      return text[end + 1] === '-' ? setSecret(reading, end) : undefined;
    case 'ENV':
    case 'setx':
    case 'SETX':
    case 'setenv':
      return setSecret(reading, end);
    case 'password':
      return netrcSecret(reading, start, end);
    default:
      return undefined;
  }
}

const longestWideName = 24;
const wideNames: readonly (readonly [NameClass, RegExp])[] = [
  ['password', /(?:비밀 ?번호|패스워드|비번|암호|パスワード|パスフレーズ|暗証番号|暗号|密码|密碼|口令)$/],
  ['secret', /(?:비밀 ?키|시크릿(?: ?키)?|秘密鍵|シークレット(?:キー)?|密钥|密鑰|秘钥|私钥)$/],
  ['token', /(?:토큰|(?:API|인증|접근|액세스|에이피아이) ?키|トークン|(?:API|アクセス|認証) ?キー|令牌)$/i],
];
const quoteOrEmphasis = '"\'`*_”’」』】) \t';
const lineRest = /^["'`*]{0,3}[ \t]*(?:[\r\n]|\\n|$)/;

function wideNameClass(text: string, end: number): NameClass | undefined {
  let nameEnd = end;
  while (end - nameEnd < 4 && quoteOrEmphasis.includes(text.charAt(nameEnd - 1)) && nameEnd > 0) nameEnd -= 1;
  if (nameEnd === 0 || text.charCodeAt(nameEnd - 1) < 0x3000) return undefined;
  const before = text.slice(Math.max(0, nameEnd - longestWideName), nameEnd);
  return wideNames.find(([, pattern]) => pattern.test(before))?.[0];
}

/** The secret after a name in Korean, Japanese or Chinese; `at` is its separator or its particle. */
export function wideNameSecret(reading: Reading, at: number, valueFrom: number): Span | undefined {
  const { text } = reading;
  const nameClass = wideNameClass(text, at);
  if (nameClass === undefined) return undefined;
  const value = wordOf(text, valueFrom);
  if (value === undefined) return undefined;
  const rest = text.slice(value.end, value.end + 40);
  const separated = /[:=：＝]/.test(text.charAt(at));
  if (separated && lineRest.test(rest)) {
    const kind = judge(nameClass, value.text, 'line');
    if (kind !== undefined)
      return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
  }
  return toldSpan(text, value, nameClass);
}
