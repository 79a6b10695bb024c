import type { Span } from './span.ts';

const begin = '-----BEGIN ';
const header = /-----BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?)-----/y;
const footer = /-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
/** A 16384 bit key, with headers and line prefixes, is well under it. */
const longestBlock = 64 * 1024;

const afterHeader = /["'+,\s\\]*/y;
const lineBreak = /^[ \t]*(?:\r?\n|\\+(?:r\\*)?n)/;
const keyRun = /[A-Za-z0-9+/=]{20,}/g;

/** A line of a key as it is found in logs, diffs, quoted code and numbered listings. */
const keyLine =
  /(?:[ \t]*\d{1,6}[→:|\t])?[ \t>+|"'-]{0,12}(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{1,76}={0,2}(?=["'\s\\]|$)|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,100})?["'+,; \t]{0,6}(?:\r?\n|\\+(?:r\\*)?n|$)/y;

interface Limit {
  readonly start: number;
  readonly end: number;
}

/** Where each end marker stands, found once, so that many beginnings without an end stay linear. */
function findFooters(text: string): readonly Limit[] {
  return Array.from(text.matchAll(footer), ({ index, 0: found }) => ({ start: index, end: index + found.length }));
}

function keyCharacters(body: string): number {
  let count = 0;
  for (const run of body.matchAll(keyRun)) count += run[0].length;
  return count;
}

/** Follows lines while they look like a key's: the text was cut before the end marker. None that holds the next beginning is one's. */
function truncatedEnd(text: string, from: number, nextBegin: number): number {
  let at = from;
  while (at < text.length && at - from < longestBlock) {
    keyLine.lastIndex = at;
    const line = keyLine.exec(text)?.[0];
    if (line === undefined || line.length === 0 || at + line.length > nextBegin) break;
    at += line.length;
  }
  return at;
}

function isBlockBody(body: string): boolean {
  const letters = body.replace(/["'+,\s\\]|\\+[rn]/g, '');
  if (lineBreak.test(body)) return letters.length >= 3 && !/[(){}<>$]/.test(letters) && !/^[.…]+$/.test(letters);
  const characters = keyCharacters(body);
  return characters >= 20 && characters * 10 >= letters.length * 6;
}

function blockFrom(
  text: string,
  start: number,
  bodyStart: number,
  footers: readonly Limit[],
  next: number,
): Span | undefined {
  const close = footers[next];
  const toBegin = text.slice(bodyStart, Math.min(text.length, bodyStart + longestBlock)).indexOf(begin);
  const nextBegin = toBegin === -1 ? text.length : bodyStart + toBegin;
  const closed = close !== undefined && close.start - bodyStart <= longestBlock;
  if (closed && nextBegin > close.start) {
    const body = text.slice(bodyStart, close.start);
    return isBlockBody(body) ? { start, end: close.end, kind: 'private-key' } : undefined;
  }
  afterHeader.lastIndex = bodyStart;
  const gap = afterHeader.exec(text)?.[0].length ?? 0;
  const end = truncatedEnd(text, text[bodyStart + gap - 1] === 'n' ? bodyStart + gap : bodyStart, nextBegin);
  return keyCharacters(text.slice(bodyStart, end)) >= 20 ? { start, end, kind: 'private-key' } : undefined;
}

const longestTail = 16 * 1024;

function isKeyCode(code: number): boolean {
  // + / = \ and blanks beside letters and digits: what a key's lines are made of, line ends written out included.
  if (code === 43 || code === 47 || code === 61 || code === 92 || code === 32 || code === 10 || code === 13)
    return true;
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** What is left of a key whose beginning was cut away: the lines before an end marker that no beginning precedes. */
function headlessStart(text: string, end: number, floor: number): number {
  let start = end;
  while (start > floor && end - start < longestTail && isKeyCode(text.charCodeAt(start - 1))) start -= 1;
  // Words before the marker are not lines of a key.
  const body = text.slice(start, end);
  const prose = body.lastIndexOf(' ');
  const keyStart = start + prose + 1;
  return keyCharacters(text.slice(keyStart, end)) >= 20 ? keyStart : end;
}

/** Private keys, whole: PEM, OpenSSH, PGP; with real or escaped line ends; cut at either end. Sorted. */
export function findKeyBlocks(text: string): Span[] {
  const spans: Span[] = [];
  let at = text.indexOf(begin);
  if (at === -1 && !text.includes('-----END ')) return spans;
  const footers = findFooters(text);
  let next = 0;
  let kept = 0;
  for (; at !== -1; at = text.indexOf(begin, at + 1)) {
    if (at < kept) continue;
    header.lastIndex = at;
    const head = header.exec(text);
    if (head === null) continue;
    next = addHeadless(text, footers, next, at, kept, spans);
    const span = blockFrom(text, at, at + head[0].length, footers, next);
    if (span === undefined) continue;
    spans.push(span);
    kept = span.end;
  }
  addHeadless(text, footers, next, text.length, kept, spans);
  return spans.sort((a, b) => a.start - b.start);
}

/** Handles the end markers before `until` and gives back the first one not before it. */
function addHeadless(
  text: string,
  footers: readonly Limit[],
  from: number,
  until: number,
  kept: number,
  spans: Span[],
): number {
  let next = from;
  let floor = kept;
  for (let close = footers[next]; close !== undefined && close.start < until; close = footers[next]) {
    const start = close.start < floor ? close.start : headlessStart(text, close.start, floor);
    if (start < close.start) spans.push({ start, end: close.end, kind: 'private-key' });
    floor = Math.max(floor, close.end);
    next += 1;
  }
  return next;
}
