import { isBlankAt, isWordAt } from './chars.ts';
import { judge } from './judge.ts';
import { keywordTable } from './keywords.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { nounSecret, secretSpan } from './sentences.ts';
import { looksLikeSecret, wordOf } from './spoken.ts';
import { tokenKind } from './tokens.ts';
import { bareAt, quotedAt, skipBlanks } from './values.ts';

const nameReach = 72;
/** One of the nouns, then what it is for (`of the database`, `you need`) and how it came about (`was changed`), up to the verb. */
function nounBefore(nouns: string): RegExp {
  return new RegExp(
    String.raw`(?:^|[^A-Za-z0-9])(?:\w{0,20}_)?(?:${nouns})[\`"'*)]{0,3}(?:[ \t]+(?:for|of|to|on|in|at|you|we|i)[ \t]+[^\n.!?:;=]{1,40})?[ \t]*(?:(?:now|should|must|will|(?:was|got)?[ \t]?(?:changed|set|reset|updated|rotated))[ \t]+)?$`,
    'i',
  );
}

const namedPassword = nounBefore('pass ?words?|passwd|passphrase|passcode|pass ?code|pwd');
const namedKey = nounBefore(
  'tokens?|(?:client|shared|app|api|jwt)[ _-]?secret|secret|credentials?|(?:api|access|auth|authentication|secret|private|encryption|signing|master|service|account|license|deploy)[ _-]?keys?',
);
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
  if (value === undefined || value.start === from || !looksLikeSecret(value.text, 'password', 6)) return undefined;
  const before = text.slice(Math.max(0, start - nameReach), start);
  // `must be hashed2times` describes; a password after `be` is only taken with a mark in it.
  if (text[start] === 'b' && !/[^A-Za-z0-9]/.test(value.text)) return undefined;
  if (text[start] === 't' && !verbs.test(before)) return undefined;
  const named = reading.classOf(lastWord(text, start - 1));
  if (named !== undefined && named !== 'weak') return secretSpan(text, value, named === 'phrase' ? 'password' : named);
  if (namedPassword.test(before)) return secretSpan(text, value, 'password', 6);
  return namedKey.test(before) ? secretSpan(text, value, 'token') : undefined;
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

const setName =
  /[ \t]+(?:(?:\/[A-Za-z]|-[gxUu]{1,3}|--[a-z-]{2,20})[ \t]+)?(["']?)([A-Za-z_][\w-]{1,79})\1[ \t]+(?=[^\s=])/y;

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

type Announcer = (reading: Reading, start: number, end: number) => Span | undefined;

function afterSet(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  if (!isBlankAt(text, end)) return undefined;
  const word = text.slice(start, end);
  const configured = /(?:config|env|secrets?)[ :]$/.test(text.slice(Math.max(0, start - 8), start));
  if (/^set$/i.test(word) && text[end + 1] !== '-' && !configured) return undefined;
  return word === 'env' || (word === 'define' && text[start - 1] !== '#') ? undefined : setSecret(reading, end);
}

const lazyName = /([A-Za-z_]\w{1,60})(?::\s?String)?\s+by\s+$/;

/** `val storePass by lazy { "…" }` */
function lazySecret({ text, classOf }: Reading, start: number, end: number): Span | undefined {
  const open = /^\s?\{\s{0,40}(?=")/.exec(text.slice(end, end + 50))?.[0].length;
  const name = lazyName.exec(text.slice(Math.max(0, start - nameReach), start))?.[1];
  const nameClass = open === undefined || name === undefined ? undefined : classOf(name);
  const value = nameClass === undefined ? undefined : quotedAt(text, end + (open ?? 0));
  if (nameClass === undefined || value === undefined) return undefined;
  const kind = judge(nameClass, value.text, 'literal');
  return kind === undefined ? undefined : { start: value.start, end: value.end, kind };
}

const announcers = keywordTable<Announcer>([
  ['is', saidSecret],
  ['was', saidSecret],
  ['be', saidSecret],
  ['to', saidSecret],
  ['define', afterSet],
  ['set', afterSet],
  ['env', afterSet],
  ['setx', afterSet],
  ['setenv', afterSet],
  ['password', netrcSecret],
  ['lazy', lazySecret],
]);

/** A secret that the word `[start, end)` introduces with a blank. */
export function announcedSecret(reading: Reading, start: number, end: number): Span | undefined {
  return announcers(reading.text, start, end)?.(reading, start, end) ?? nounSecret(reading, start, end);
}
