import { isBlankAt, isLineEndAt, isQuote, wordEnd } from './chars.ts';
import { looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import type { NameClass } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { looksLikeSecret } from './spoken.ts';
import { tokenKind } from './tokens.ts';
import { bareAt, quotedAt } from './values.ts';
import type { Value } from './values.ts';

function argumentAt(reading: Reading, from: number): Value | undefined {
  return quotedAt(reading.text, from) ?? bareAt(reading, from, 'argument');
}

function spanOf(text: string, value: Value, kind: string): Span {
  return { start: value.start, end: value.end, kind: tokenKind(text, value.start, value.end) ?? kind };
}

const metavariable = /^[A-Z][A-Z0-9_-]*$|^[A-Z][a-z]+$/;

/** The last word of a command, or one with another flag or an operator after it; a help text goes on in prose. */
function endsArgument(text: string, end: number): boolean {
  let at = end;
  while (isBlankAt(text, at) || isQuote(text.charCodeAt(at)) || text[at] === '\\') at += 1;
  return isLineEndAt(text, at) || '-|&;>)]}<,'.includes(text.charAt(at)) || text.charAt(at - 1) === '\\';
}

const plainWord = /^[a-z]+$/;

/** Whether what follows a flag with a secret name can be its value, and not a manual's word for it or the next flag. */
export function isFlagValue(nameClass: NameClass, value: string): boolean {
  if (metavariable.test(value) || value.startsWith('-')) return false;
  return !plainWord.test(value) || (nameClass === 'password' && value.length >= 5);
}

function longFlag(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  const nameClass = reading.classOf(text.slice(start, end));
  if (nameClass === undefined || nameClass === 'cookie' || nameClass === 'authorization') return undefined;
  if (!isBlankAt(text, end) || isBlankAt(text, end + 1) || text[end + 1] === '-') return undefined;
  const value = argumentAt(reading, end + 1);
  if (value === undefined || !isFlagValue(nameClass, value.text)) return undefined;
  // PowerShell's `-Password (ConvertTo-SecureString …)`
  if (value.quote === '' && value.text.startsWith('(')) return undefined;
  if (plainWord.test(value.text) && !endsArgument(text, value.end)) return undefined;
  const kind = judge(nameClass, value.text, 'literal');
  return kind === undefined ? undefined : spanOf(text, value, kind);
}

const withUser = /[ \t](?:-[uU]|--?user(?:name)?|--login)[ \t=][^\n]{0,60}$/;

/** `-t …` before a value that only a key looks like, and `-u kim -p …` before a likely password; of any program. */
function shortFlag(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  if (end - start !== 2 || !isBlankAt(text, end) || !/[aAkKpPtTwW]/.test(text.charAt(start + 1))) return undefined;
  const value = argumentAt(reading, end + 1);
  if (value === undefined) return undefined;
  if (/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+/=~-]{20,200}$/.test(value.text) && looksRandom(value.text))
    return spanOf(text, value, 'secret');
  const beside =
    /[pPw]/.test(text.charAt(start + 1)) &&
    withUser.test(text.slice(Math.max(0, start - 80), start)) &&
    !/[/\\]/.test(value.text);
  return beside && looksLikeSecret(value.text, 'password', 6) ? spanOf(text, value, 'password') : undefined;
}

function credentialPair(text: string, value: Value): Span | undefined {
  const colon = value.text.indexOf(':');
  const password = value.text.slice(colon + 1);
  if (colon === -1 || password.length < 2 || /^(?:pass|password|passwd|pwd)$/i.test(password)) return undefined;
  if (isPlaceholder(password) || password.startsWith('//')) return undefined;
  return { start: value.start + colon + 1, end: value.end, kind: 'password' };
}

const userFlag = /^--(?:user|proxy-user|creds|src-creds|dest-creds)$/;

/** The secret that a command line flag carries. The run `[start, end)` begins with `-`. */
export function flagSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  if (text[start + 1] !== '-') return end - start > 4 ? longFlag(reading, start, end) : shortFlag(reading, start, end);
  if (end - start > 6 && end - start < 60) {
    const span = longFlag(reading, start, end);
    if (span !== undefined) return span;
  }
  if (end - start > 14 || !userFlag.test(text.slice(start, end))) return undefined;
  const value =
    text[end] === '=' || isBlankAt(text, end)
      ? argumentAt(reading, wordEnd(text, end + 1) === end ? end : end + 1)
      : undefined;
  return value === undefined ? undefined : credentialPair(text, value);
}
