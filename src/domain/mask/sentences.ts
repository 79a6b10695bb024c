import { isBlankAt, isQuote } from './chars.ts';
import { looksChosen, looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import { keywordTable } from './keywords.ts';
import type { NameClass } from './names.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { tokenKind } from './tokens.ts';
import type { Value } from './values.ts';

/** Quotes and emphasis around a value in a sentence; a value may also begin on the next line. */
const opening = /[ \t]*(?:\r?\n[ \t]*)?[`"'“”‘’「『„*_«(<]{0,3}/y;
const inner = /[!-~]{1,256}/y;
/** Escapes and entities end a word. */
const wordEnd = /(?:\\[nrt"\\]|&(?:#\d+|[a-z]{2,6});).*$/;
const closing = /[`"'*_.,;:)>\]]+$/;
const algorithm =
  /^(?:(?:sha|aes|rsa|hmac|argon|bcrypt|scrypt|pbkdf|base|curve|secp|blake|ripemd|utf|md|chacha|poly|salsa|crc|fips)[-_]?\d[\w-]*|(?:ed|x|iso|[hrep]s|oauth|http|ipv|es|python|node|tls|ssl|win|int|uint|float|v|var|arg|param|step|level|option)[-_]?\d+(?:[-_]\w*)*)$/i;
const counted = /^\d+(?:[-_]?[a-z]+)(?:-[a-z]+)*$/;
/** Longer values are keys, which other rules find. */
const longestValue = 128;
const mark = /[!@#$%^&*+=?~]/;

/** What a sentence gives as a value: up to a blank, a closing quote or the first letter of a script with no blanks. */
export function wordOf(text: string, from: number): Value | undefined {
  opening.lastIndex = from;
  const start = from + (opening.exec(text)?.[0].length ?? 0);
  inner.lastIndex = start;
  const run = inner.exec(text)?.[0] ?? '';
  const close = start > from ? run.indexOf(text.charAt(start - 1)) : -1;
  const given = (close === -1 ? run : run.slice(0, close)).replace(wordEnd, '');
  const value = given.replace(closing, '');
  return value === '' ? undefined : { start, end: start + value.length, text: value, quote: '' };
}

/** In a sentence anything can follow a name, so a value must look like nothing else: a digit or marks among letters. */
export function looksLikeSecret(value: string, nameClass: NameClass, shortest = 8): boolean {
  if (value.length < shortest || value.length > longestValue || isPlaceholder(value) || isLabel(value)) return false;
  if (algorithm.test(value) || counted.test(value) || /[(){}[\]<>|«»]|:\/\//.test(value)) return false;
  if (looksRandom(value)) return true;
  // A key of one word is likelier the name of a type: `token is Es2015Token`.
  if (nameClass !== 'password') return !/^[A-Za-z_$][\w$]*$/.test(value) && looksChosen(value);
  if (/^\d{8,}$|^[A-Za-z]{5,}\d+$|^[A-Za-z]{2,}\d{3,}$/.test(value) || looksChosen(value)) return true;
  if (/^(?=.*[A-Z])[A-Za-z]{3,}[-_][A-Za-z]{3,}\d+$|^[a-z]{3,}-[a-z]{3,}\d{2,}$/.test(value)) return true;
  if (value.length < 8 && /^(?=.*\d)[A-Za-z]+\d\w*[A-Za-z]\w*$/.test(value)) return true;
  return (
    mark.test(value.replace(/[!?]+$/, '')) && /[A-Za-z]/.test(value) && !/^[\w.]+=|[/\\]|@[a-z-]+\.[a-z]/.test(value)
  );
}

export function secretSpan(text: string, value: Value, nameClass: NameClass, shortest?: number): Span | undefined {
  return looksLikeSecret(value.text, nameClass, shortest) ? spanOf(text, value, nameClass) : undefined;
}

function spanOf(text: string, value: Value, nameClass: NameClass): Span {
  const kind = nameClass === 'password' ? 'password' : 'secret';
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

/** How a noun is tied to its value: a sign, a verb, or nothing but a blank. */
const link =
  /(?:[ -](?:code|number|(?:d[ea] )?(?:api|acceso|acesso|secret[ao]|privad[ao]))(?![A-Za-z]))?[`"'*_)\]»”’」』】]{0,3}(?:[ \t]\(\w{1,20}\)(?=:))?(?:(?:[ \t]+(?:for|of|to|on|in|at|vom|von|für|zu[mr]?|van|del?|du|da|di|para|pour|voor|от|для|к|до|do|dla)[ \t]+[^\n.!?:;=,(){}[\]<>"'`]{1,40}?|[ \t]+(?<word>[^\s:=,.!?"'`(){}<>]{1,20})(?=[ \t]*:[ \t]|[ \t](?:is|ist|est|es|é|è)[ \t]))?(?:(?<sign>[ \t]*(?::=|[:=：＝](?![:=/])|[ \t][-–—](?=[ \t])|[ \t]*(?:→|[-=]>)))|[ \t]*(?<verb>은|는|이|가|을|를|が|は|も|を|是|为|為|改为|改成|设为|设置为|就是|(?<=[ \t])(?:now |jetzt )?(?:is|are|was|with|as|ist|lautet|war|mit|es|era|est|é|è|to|je|jest|är|là|adalah|це|это)(?=[ \t:]):?))|(?<beside>,? (?:enter|type|use) |[ \t]|(?=[「『“])|(?<=[^\0-\x7f])(?=[!-~])))/y;

type Noun = 'password' | 'pass' | 'token' | 'login' | 'pin';

function isSentence(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 160), start);
  const after = text.slice(end, end + 160);
  const line = before.slice(before.lastIndexOf('\n') + 1) + ' ' + (/^[^\n]*/.exec(after)?.[0] ?? '');
  return !/[{}[\];<>=$]|\w\(|\/\//.test(line);
}

const restOfLine = /^["'`*]{0,3}[ \t]*(?:[\r\n]|\\n|$)/;

/** The value that a noun introduces; `after` is the noun's end. `wide`: code does not use this noun. */
function introduced(reading: Reading, noun: Noun, nounStart: number, after: number, wide: boolean): Span | undefined {
  const { text } = reading;
  link.lastIndex = after;
  const found = link.exec(text);
  if (found === null) return undefined;
  const { sign, verb, word } = found.groups ?? {};
  // `password policy: …` is about passwords. Only nouns that code does not use may have a word before the value.
  if (!wide && word !== undefined) return undefined;
  const from = after + found[0].length;
  // An assignment and a literal are judged by their name where the sign is reached.
  if (!wide && (found[0] === '=' || (sign === found[0] && isQuote(text.charCodeAt(from))))) return undefined;
  const value = wordOf(text, from);
  if (value === undefined || value.text === '=') return undefined;
  if (noun === 'login') return pairAfter(text, from);
  const nameClass: NameClass = noun === 'token' ? 'token' : 'password';
  if (noun === 'pin') {
    const isPin = /^\d{4,8}$/.test(value.text) && sign !== verb && isSentence(text, nounStart, value.end);
    return isPin ? spanOf(text, value, nameClass) : undefined;
  }
  if (
    sign !== undefined &&
    text.charCodeAt(nounStart) > 0x1fff &&
    restOfLine.test(text.slice(value.end, value.end + 40))
  ) {
    const kind = judge(nameClass, value.text, 'line');
    if (kind !== undefined) return spanOf(text, value, nameClass);
  }
  if (!wide && verb === undefined && !isSentence(text, nounStart, value.end)) return undefined;
  if (sign === undefined && verb === undefined && !wide && !isBesideValue(value.text, noun)) return undefined;
  return secretSpan(text, value, nameClass, sign === undefined && verb === undefined && !wide ? 8 : 6);
}

/** `password S3cret!99`: without a sign or a verb between, the value must not be a word of any language. */
function isBesideValue(value: string, noun: Noun): boolean {
  if (noun === 'token') return value.length >= 20 && /\d\D+\d/.test(value);
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value)) return false;
  if (/^--|[\\/.=,:]/.test(value)) return false;
  return noun === 'password' ? !/^[A-Z]\w*$/.test(value) || looksRandom(value) : /[!#$%^&*@]/.test(value);
}

const pair = /[ \t"'`(]*(?:[\w.+@-]{1,64})[ \t]?(?:[/|,][ \t]?|:)(?=[!-~])/y;

/** `login is kim / …`, `creds: admin:…`: the word after a user's name. */
function pairAfter(text: string, from: number): Span | undefined {
  pair.lastIndex = from;
  const user = pair.exec(text);
  if (user === null || text.startsWith('//', from + user[0].length - 1)) return undefined;
  const value = wordOf(text, from + user[0].length);
  if (value === undefined || !isSentence(text, from, from) || /^[\w.-]+\.\w+$|[/\\]/.test(value.text)) return undefined;
  return secretSpan(text, value, 'password', 6);
}

const asPassword =
  /(?:^|[ \t"'`(])(\S{6,64}?)["'`]?[ \t]+(?:as|(?<=["'`] )for)[ \t]+(?:(?:the|my|your|our|its|a|an)[ \t]+)?(?:\w{1,20}[ \t]+)?$/;

/** `use … as the password`: the value stands before the noun. */
function valueBefore(text: string, start: number): Span | undefined {
  if (!isBlankAt(text, start - 1)) return undefined;
  const from = Math.max(0, start - 100);
  const found = asPassword.exec(text.slice(from, start));
  const value = found?.[1];
  if (found === null || value === undefined || !looksLikeSecret(value, 'password', 6)) return undefined;
  const at = from + found.index + found[0].indexOf(value);
  return { start: at, end: at + value.length, kind: tokenKind(text, at, at + value.length) ?? 'password' };
}

interface AsciiNoun {
  readonly noun: Noun;
  /** Must match the text before the noun. */
  readonly before?: RegExp;
  /** No programming language's code uses this noun. */
  readonly wide?: boolean;
}

function asciiNouns(words: string, entry: AsciiNoun): readonly (readonly [string, AsciiNoun])[] {
  return words.split(' ').map((word) => [word, entry]);
}

const nounAt = keywordTable<AsciiNoun>([
  ...asciiNouns('password passwords passwd passphrase passcode pwd pw', { noun: 'password' }),
  ...asciiNouns('pass', { noun: 'pass' }),
  ...asciiNouns('passwort kennwort senha contrasena wachtwoord heslo mdp parola', { noun: 'password', wide: true }),
  ...asciiNouns('clave', { noun: 'password' }),
  ...asciiNouns('token secret api-key apikey authtoken auth-token access-token chave jeton chiave', { noun: 'token' }),
  ...asciiNouns('key', { noun: 'token', before: /(?:api|access|secret|private|auth|service|license)[ -]$/i }),
  ...asciiNouns('passe', { noun: 'password', wide: true, before: /mots? de $/i }),
  ...asciiNouns('sandi sandinya', { noun: 'password', wide: true, before: /kata $/i }),
  ...asciiNouns('ordine', { noun: 'password', wide: true, before: /parola d['’]$/i }),
  ...asciiNouns('word', { noun: 'password', before: /pass[ -]?$/i }),
  ...asciiNouns('pin', { noun: 'pin' }),
  ...asciiNouns('in', { noun: 'login', before: /(?:^|[^a-z])(?:log|sign) $/i }),
  ...asciiNouns('login creds credentials account zugangsdaten identifiants credenciales', { noun: 'login' }),
]);

/** The secret after the noun at `[start, end)`. */
export function nounSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  const entry = nounAt(text, start, end);
  if (entry === undefined) return undefined;
  if (entry.before !== undefined && !entry.before.test(text.slice(Math.max(0, start - 10), start))) return undefined;
  const span = introduced(reading, entry.noun, start, end, entry.wide === true);
  if (span !== undefined || entry.noun !== 'password' || entry.wide === true) return span;
  return valueBefore(text, start);
}

interface WideNoun {
  readonly noun: Noun;
  /** Ends at the letter that is looked up. */
  readonly before: RegExp;
  /** The rest of the noun, after that letter. */
  readonly after: RegExp;
}

function wide(noun: Noun, letters: string, before: RegExp, after = /(?:)/y): readonly (readonly [string, WideNoun])[] {
  return Array.from(letters, (letter) => [letter, { noun, before, after }]);
}

/** Nouns with a letter that is not ASCII, by that letter: the last one, or the only one. */
const wideNouns: ReadonlyMap<string, readonly WideNoun[]> = byLetter([
  ...wide('login', '번호정', /(?:(?:아이디|계정) ?\/ ?(?:비번|비밀번호)|계정 ?정보|계정)$/),
  ...wide('login', '보', /(?:계정|로그인|접속) ?정보$/),
  ...wide('login', 'ン', /ログイン$/),
  ...wide('password', '호드번', /(?:비밀 ?번호|패스워드|비번|암호)$/),
  ...wide('password', 'ドズ号ス', /(?:パスワード|パスフレーズ|暗証番号|暗号|パス)$/),
  ...wide('password', '码碼令', /(?:密码|密碼|口令)$/),
  ...wide('password', 'ь', /(?:^|[^а-яё])пароль$/i),
  ...wide('password', 'ñ', /contrase.$/i, /as?(?![a-z])/iy),
  ...wide('password', 'ł', /has.$/i, /o(?![a-z])/iy),
  ...wide('password', 'şŞ', /./, /ifre(?:si|niz|m)?(?![a-z])/iy),
  ...wide('password', 'ẩ', /kh.$/i, /u(?![a-z])/iy),
  ...wide('password', 'ö', /l.$/i, /senord(?:et)?(?![a-z])/iy),
  ...wide('password', 'น', /รหัสผ่าน$/),
  ...wide('token', '키릿큰', /(?:비밀 ?키|시크릿(?: ?키)?|토큰|(?:API|인증|접근|액세스|에이피아이) ?키)$/i),
  ...wide('token', '鍵トーン', /(?:秘密鍵|シークレット(?:キー)?|トークン|(?:API|アクセス|認証) ?キー)$/i),
  ...wide('token', '钥鑰牌', /(?:密钥|密鑰|秘钥|私钥|令牌)$/),
  ...wide('token', 'нч', /(?:^|[^а-яё])(?:токен|ключ)$/i, /(?: (?:API|доступа))?/y),
  ...wide('token', 'ü', /schl.$/i, /ssel(?![a-z])/y),
  ...wide('token', 'é', /cl.$/i, /(?: d['’])? ?(?:API|secr[eè]te|d['’]acc[eè]s)(?![a-z])/iy),
]);

function byLetter(entries: readonly (readonly [string, WideNoun])[]): ReadonlyMap<string, readonly WideNoun[]> {
  const map = new Map<string, WideNoun[]>();
  for (const [letter, noun] of entries) map.set(letter, [...(map.get(letter) ?? []), noun]);
  return map;
}

const longestWideName = 24;

/** The secret after a noun with non-ASCII letters; `at` is the letter by which the noun is looked up. */
export function wideNounSecret(reading: Reading, at: number): Span | undefined {
  const { text } = reading;
  const before = text.slice(Math.max(0, at + 1 - longestWideName), at + 1);
  for (const { noun, before: head, after } of wideNouns.get(text.charAt(at)) ?? []) {
    if (!head.test(before)) continue;
    after.lastIndex = at + 1;
    const tail = after.exec(text);
    const span = tail === null ? undefined : introduced(reading, noun, at, at + 1 + tail[0].length, true);
    if (span !== undefined) return span;
  }
  return undefined;
}
