import { isAlphanumericAt, isDigit, isWordAt, wordEnd } from './chars.ts';
import { looksRandom } from './entropy.ts';
import { dottedShapes, jointShapes, tokenShapes } from './providers.ts';
import type { TokenShape } from './providers.ts';
import type { Span } from './span.ts';

/** Shorter runs hold no provider's key. */
export const shortestToken = 16;

interface TokenRule {
  readonly kind: string;
  readonly prefix: string;
  readonly pattern: RegExp;
  readonly guarded: boolean;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function toRule({ kind, prefix, rest, guarded }: TokenShape): TokenRule {
  return {
    kind,
    prefix,
    guarded: guarded === true,
    pattern: new RegExp(`${escapeRegExp(prefix)}${rest}(?![A-Za-z0-9])`, 'y'),
  };
}

function pairOf(first: number, second: number): number {
  return first * 128 + second;
}

function byFirstPair(rules: readonly TokenRule[]): ReadonlyMap<number, readonly TokenRule[]> {
  const groups = new Map<number, TokenRule[]>();
  for (const rule of rules) {
    const pair = pairOf(rule.prefix.charCodeAt(0), rule.prefix.charCodeAt(1));
    const group = groups.get(pair);
    if (group === undefined) groups.set(pair, [rule]);
    else group.push(rule);
  }
  return groups;
}

const rulesByPair = byFirstPair(tokenShapes.map(toRule));
const dottedRules = dottedShapes.map(toRule);
const jointRules = jointShapes.map(toRule);
const longestDottedPrefix = Math.max(...dottedShapes.map(({ prefix }) => prefix.length));

const fillerBody = /^[xX0*._-]*$/;

function matchAt(text: string, at: number, rule: TokenRule): Span | undefined {
  rule.pattern.lastIndex = at;
  const match = rule.pattern.exec(text);
  if (match === null || fillerBody.test(match[0].slice(rule.prefix.length))) return undefined;
  if (rule.guarded && !mixesAll(match[0].slice(rule.prefix.length))) return undefined;
  return { start: at, end: at + match[0].length, kind: rule.kind };
}

/** Digits and letters alternate throughout, unlike in names and words. */
function mixesAll(body: string): boolean {
  return looksRandom(body) && /\d\D+\d/.test(body) && !/[a-z]{9}|(?:^|[-_])[a-z]{4,}(?:[-_]|$)/.test(body);
}

/** `first`: a run begins here. Guarded patterns are tried only there, because one try may scan the whole run. */
function firstMatch(text: string, at: number, rules: readonly TokenRule[], first = true): Span | undefined {
  for (const rule of rules) {
    if ((rule.guarded && !first) || !text.startsWith(rule.prefix, at)) continue;
    const span = matchAt(text, at, rule);
    if (span !== undefined) return span;
  }
  return undefined;
}

/** Before the token proper a run may hold the tail of an escape: `\n`, `\u0022`, `%3D`, a terminal's colour. */
function escapeLength(text: string, start: number, end: number): number {
  const before = text[start - 1];
  const head = text.slice(start, Math.min(end, start + 6));
  if (before === '\\') return /^(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf])/.exec(head)?.[0].length ?? 0;
  if (before === '%') return /^[0-9a-fA-F]{2}/.exec(head)?.[0].length ?? 0;
  if (before === '[' || before === ';') return /^\d{1,3}m/.exec(head)?.[0].length ?? 0;
  return 0;
}

const longestEscape = 6;

/** At the start of a run, or right after the escape that one begins with. */
function beginsHere(text: string, at: number): boolean {
  let start = at;
  while (at - start <= longestEscape && isWordAt(text, start - 1)) start -= 1;
  return start === at || escapeLength(text, start, at) === at - start;
}

function dottedToken(text: string, start: number): Span | undefined {
  const head = text.slice(Math.max(0, start - longestDottedPrefix), start);
  for (const rule of dottedRules) {
    const at = start - rule.prefix.length;
    if (!head.endsWith(rule.prefix) || !beginsHere(text, at)) continue;
    const span = matchAt(text, at, rule);
    if (span !== undefined) return span;
  }
  return undefined;
}

const telegramSecret = /AA[A-Za-z0-9_-]{31,34}(?![A-Za-z0-9_-])/y;
const telegramBot = /\d{8,10}:$/;

function telegramToken(text: string, start: number): Span | undefined {
  telegramSecret.lastIndex = start;
  if (!isDigit(text.charCodeAt(start - 2)) || !telegramBot.test(text.slice(Math.max(0, start - 11), start)))
    return undefined;
  const match = telegramSecret.exec(text);
  return match === null ? undefined : { start, end: start + match[0].length, kind: 'telegram-token' };
}

const mailchimp = /^[0-9a-f]{32}-us\d{1,2}$/;
/** What goes on into a mask was longer: in a long run of such letters each mask would make a secret of those before it. */
const azureSecretRest = /~[A-Za-z0-9_~.-]{30,40}(?![A-Za-z0-9_~.«-])/y;

/** A name of a service and a word for a key before it: `polar_oat_…`, `rzp_live_…`. */
const namedKey =
  /^(?:[a-z][a-z0-9]{1,11}[_-]){1,2}(?:live|test|prod|sandbox|sdbx|sk|pat|oat|secret|apikey|api|key|token|auth|access|uat)[_-](?:[a-z0-9]{1,8}[_-]){0,2}(?=[A-Za-z0-9_-]{20,200}$)/;

function keyOfService(text: string, start: number, end: number): Span | undefined {
  if (end - start < 28 || end - start > 240) return undefined;
  const run = text.slice(start, end);
  const head = namedKey.exec(run)?.[0];
  return head === undefined || !mixesAll(run.slice(head.length)) ? undefined : { start, end, kind: 'api-key' };
}

/** Keys known by how their run ends. */
function byEnding(text: string, start: number, end: number): Span | undefined {
  if (end - start === 84 && text.startsWith('AZDO', end - 8)) return { start, end, kind: 'azure-secret' };
  if (end - start <= 37 && text.charCodeAt(end - 1) < 58 && mailchimp.test(text.slice(start, end))) {
    return { start, end, kind: 'mailchimp-key' };
  }
  return undefined;
}

/** A run of at least `shortestToken`, or the short one that a `~` follows. */
export function azureSecret(text: string, start: number, end: number): Span | undefined {
  if (text[end] !== '~' || text[end - 1] !== 'Q' || !isDigit(text.charCodeAt(end - 2)) || end - start < 5)
    return undefined;
  azureSecretRest.lastIndex = end;
  const match = azureSecretRest.exec(text);
  return match === null ? undefined : { start: end - 5, end: end + match[0].length, kind: 'azure-secret' };
}

const hashBefore =
  /(?:\$(?:[1567y]|2[abxy]|gy|apr1|sha1|scrypt|argon2(?:id|i|d))\$[\w./+=,$-]{0,90}|pbkdf2_sha\d+\$\d+\$[\w./+=$]{0,40}|\{S?(?:SHA|MD5|CRYPT)(?:256|512)?\}[\w./+=]{0,60})$/;
const hashRest = /[\w./+=,$-]*/y;

/** A password's hash, as `htpasswd` and `/etc/shadow` hold it; `start` is in its salt or behind it. */
function hashAround(text: string, start: number): Span | undefined {
  const before = text.slice(Math.max(0, start - 110), start);
  const head = before.includes('$') || before.includes('}') ? hashBefore.exec(before) : null;
  if (head === null) return undefined;
  hashRest.lastIndex = start;
  const end = start + (hashRest.exec(text)?.[0].length ?? 0);
  const from = start - head[0].length;
  return end - from >= 30 ? { start: from, end, kind: 'password-hash' } : undefined;
}

const schemeBefore = /(?:^|[^A-Za-z0-9])(bearer|basic|token|apikey|ssws)[ \t]+["']?$/i;
const base64User = /^[A-Za-z0-9+/_-]{12,}={0,2}$/;

/** `Bearer …` and the like wherever they stand, known by the word before the run. */
function afterScheme(text: string, start: number, end: number): Span | undefined {
  const before = text.charCodeAt(start - 1);
  if (before !== 32 && before !== 9) return undefined;
  const scheme = schemeBefore.exec(text.slice(Math.max(0, start - 10), start))?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  let close = end;
  while (close < text.length && close - start < 8192 && /[A-Za-z0-9_~+/.=:-]/.test(text.charAt(close))) close += 1;
  const value = text.slice(start, close);
  const mixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (scheme === 'basic') {
    const encoded =
      base64User.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && (mixed || value.endsWith('='));
    return encoded ? { start, end: close, kind: 'basic' } : undefined;
  }
  if (!mixed || /^[a-z]+(?:[-_][a-z]+)*[-_]?\d?$/i.test(value)) return undefined;
  return { start, end: close, kind: scheme === 'bearer' ? 'bearer' : 'secret' };
}

const awsSecretAfter =
  /["']?[\s,:;|/]{1,4}(?:and\s)?(?:secret[\w -]{0,20}[:= ]{1,3})?["']?(?=[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))/y;

/** The secret half of an AWS key pair often follows the id with nothing between but a comma. */
export function awsSecretBeside(text: string, after: number): Span | undefined {
  awsSecretAfter.lastIndex = after;
  const gap = awsSecretAfter.exec(text);
  if (gap === null) return undefined;
  const start = after + gap[0].length;
  const secret = text.slice(start, start + 40);
  const mixed = /\d/.test(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret);
  return mixed ? { start, end: start + 40, kind: 'aws-secret' } : undefined;
}

/** A base64 key with a slash or a plus among its first characters: its first run is shorter than `shortestToken`. */
export function shortHeadedToken(text: string, start: number, end: number): Span | undefined {
  if ((text[end] !== '/' && text[end] !== '+') || end - start < 4) return undefined;
  const rules = rulesByPair.get(pairOf(text.charCodeAt(start), text.charCodeAt(start + 1)));
  return rules === undefined ? undefined : firstMatch(text, start, rules);
}

const keyBefore = /(?:keys?|tokens?|secrets?|passw\w{0,6}|credentials?)(?![a-z])[^"'`{}()<>;,=\n]{0,40}["'`]?$/i;
const keyLike = /^(?=.*\d.*\d.*\d)(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[A-Za-z0-9]{24,100}$/;

/** A long run of mixed letters and digits after a word such as `key` or `token` on the same line. */
export function spokenKey(text: string, start: number, end: number): Span | undefined {
  if (end - start < 24 || end - start > 100) return undefined;
  const run = text.slice(start, end);
  if (!keyLike.test(run) || !mixesAll(run) || !keyBefore.test(text.slice(Math.max(0, start - 60), start)))
    return undefined;
  return { start, end, kind: 'secret' };
}

/** The first key that begins in the run `[start, end)`. */
export function tokenInRun(text: string, start: number, end: number): Span | undefined {
  const before = text[start - 1];
  if (before === '.' || (before === '/' && text[start] === '0')) {
    const span = dottedToken(text, start);
    if (span !== undefined) return span;
  }
  if (before === ':') {
    const span = telegramToken(text, start);
    if (span !== undefined) return span;
  }
  const skip = escapeLength(text, start, end);
  if (text[end] === '.') {
    const span =
      firstMatch(text, start, jointRules) ?? (skip > 0 ? firstMatch(text, start + skip, jointRules) : undefined);
    if (span !== undefined) return span;
  }
  const last = end - shortestToken;
  for (let at = start; at <= last; at += 1) {
    if (at !== start && at !== start + skip && isAlphanumericAt(text, at - 1)) continue;
    const rules = rulesByPair.get(pairOf(text.charCodeAt(at), text.charCodeAt(at + 1)));
    const span = rules === undefined ? undefined : firstMatch(text, at, rules, at <= start + skip);
    if (span !== undefined) return span;
  }
  return (
    byEnding(text, start + skip, end) ??
    keyOfService(text, start + skip, end) ??
    hashAround(text, start) ??
    azureSecret(text, start, end) ??
    afterScheme(text, start, end)
  );
}

/** The kind of the provider's key that makes up nearly all of `[start, end)`. */
export function tokenKind(text: string, start: number, end: number): string | undefined {
  const runEnd = wordEnd(text, start);
  const dottedStart = start + text.slice(start, start + longestDottedPrefix).indexOf('.') + 1;
  const span =
    runEnd - start >= shortestToken
      ? tokenInRun(text, start, runEnd)
      : dottedStart > start
        ? dottedToken(text, dottedStart)
        : undefined;
  if (span === undefined || span.start !== start) return undefined;
  return (span.end - start) * 5 >= (end - start) * 4 ? span.kind : undefined;
}
