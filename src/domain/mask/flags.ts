import { isBlankAt, isLineEndAt, isQuote, wordEnd } from './chars.ts';
import { judge } from './judge.ts';
import { classifyName } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Span } from './span.ts';
import { tokenKind } from './tokens.ts';
import { bareAt, quotedAt } from './values.ts';
import type { Value } from './values.ts';

const commandReach = 240;
const passwordPrograms =
  /(?:^|[\s;&|/"'`(])(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass|sqlcmd|mongosh?|mongodump|mongorestore|docker login|podman login|helm registry login|smbclient|ldapsearch|bcp|kinit|7z|zip|unzip|rar)\b/;
const userPrograms = /(?:^|[\s;&|/"'`(])(?:curl|http|https|xh|wget|lftp|httpie|smbclient)\b/;
const redis = /(?:^|[\s;&|/"'`(])(?:redis-cli|keydb-cli|valkey-cli)\b/;

/** What precedes a flag on its line: which program it is a flag of. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - commandReach), at);
  const line = Math.max(before.lastIndexOf('\n'), before.lastIndexOf(';'), before.lastIndexOf('|'));
  return before.slice(line + 1);
}

function argumentAt(text: string, from: number): Value | undefined {
  return quotedAt(text, from) ?? bareAt(text, from, 'argument');
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

function longFlag(text: string, start: number, end: number): Span | undefined {
  const nameClass = classifyName(text.slice(start, end));
  if (nameClass === undefined || nameClass === 'cookie' || nameClass === 'authorization') return undefined;
  if (!isBlankAt(text, end) || isBlankAt(text, end + 1) || text[end + 1] === '-') return undefined;
  const value = argumentAt(text, end + 1);
  if (value === undefined || metavariable.test(value.text)) return undefined;
  const plainWord = /^[a-z]+$/.test(value.text);
  if (plainWord && !(nameClass === 'password' && value.text.length >= 5 && endsArgument(text, value.end)))
    return undefined;
  const kind = judge(nameClass, value.text, 'literal');
  return kind === undefined ? undefined : spanOf(text, value, kind);
}

function credentialPair(text: string, value: Value): Span | undefined {
  const colon = value.text.indexOf(':');
  const password = value.text.slice(colon + 1);
  if (colon === -1 || password.length < 2 || /^(?:pass|password|passwd|pwd)$/i.test(password)) return undefined;
  if (isPlaceholder(password) || password.startsWith('//')) return undefined;
  return { start: value.start + colon + 1, end: value.end, kind: 'password' };
}

function shortFlag(text: string, start: number, end: number): Span | undefined {
  const letter = text[start + 1];
  if (letter !== 'p' && letter !== 'u' && letter !== 'a' && letter !== 'P') return undefined;
  const separate = end === start + 2 && isBlankAt(text, end);
  const value = argumentAt(text, separate ? end + 1 : start + 2);
  if (value === undefined || value.text.startsWith('-')) return undefined;
  const command = commandBefore(text, start);
  if (letter === 'u') return userPrograms.test(command) ? credentialPair(text, value) : undefined;
  if (isPlaceholder(value.text) || value.text.length < 3) return undefined;
  if (letter === 'a') return separate && redis.test(command) ? spanOf(text, value, 'password') : undefined;
  if (!passwordPrograms.test(command)) return undefined;
  // For mysql a blank after -p means "ask", and the next word is the database.
  if (separate && /(?:mysql|mariadb)/.test(command)) return undefined;
  if (!separate && value.quote === '' && !/(?:mysql|mariadb|sshpass|7z|zip|rar)/.test(command)) return undefined;
  if (/^\d+(?::\d+)?$/.test(value.text) && !/sshpass|mysql|mariadb/.test(command)) return undefined;
  return spanOf(text, value, 'password');
}

const userFlag = /^--(?:user|proxy-user|creds|src-creds|dest-creds)$/;

/** The secret that a command line flag carries. The run `[start, end)` begins with `-`. */
export function flagSecret(text: string, start: number, end: number): Span | undefined {
  if (text[start + 1] !== '-') return shortFlag(text, start, end);
  if (end - start > 6 && end - start < 60) {
    const span = longFlag(text, start, end);
    if (span !== undefined) return span;
  }
  if (end - start > 14 || !userFlag.test(text.slice(start, end))) return undefined;
  const value =
    text[end] === '=' || isBlankAt(text, end)
      ? argumentAt(text, wordEnd(text, end + 1) === end ? end : end + 1)
      : undefined;
  return value === undefined ? undefined : credentialPair(text, value);
}
