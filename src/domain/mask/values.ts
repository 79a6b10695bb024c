import { isBlankAt, isLineEndAt, isQuote } from './chars.ts';
import { isCutAt } from './cuts.ts';
import type { BareEnd, Reading } from './reading.ts';

/** What stands to the right of a name. `quote` is empty for a bare word. */
export interface Value {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly quote: string;
}

/** Longer literals are no passwords, and looking no further keeps every look-ahead bounded. */
const longestValue = 4096;

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlankAt(text, at)) at += 1;
  return at;
}

/** One line break is passed over: formatters wrap a long literal onto the next line. */
function skipToLiteral(text: string, from: number): number {
  const at = skipBlanks(text, from);
  if (!isLineEndAt(text, at)) return at;
  let next = at;
  while (next < text.length && next - at < 80 && /\s/.test(text.charAt(next))) next += 1;
  return isQuote(text.charCodeAt(next)) ? next : at;
}

/** `b"…"`, `f'…'`, `@"…"`, `N'…'`: a language's mark before a literal. */
function skipLiteralMark(text: string, at: number): number {
  for (let length = 1; length <= 2; length += 1) {
    if (!isQuote(text.charCodeAt(at + length))) continue;
    return /^[bBfFrRuULN@$]{1,2}$/.test(text.slice(at, at + length)) ? at + length : at;
  }
  return at;
}

function closingQuote(text: string, from: number, quote: string): number {
  const limit = Math.min(text.length, from + longestValue);
  const single = quote.length === 1;
  for (let at = from; at < limit; at += 1) {
    if (single) {
      const code = text.charCodeAt(at);
      if (code === 92) at += 1;
      else if (code === quote.charCodeAt(0)) return at;
      else if (code === 10 && isCutAt(text, at)) return at;
      else if (code === 10 && quote !== '`') return -1;
    } else if (text.startsWith(quote, at)) return at;
  }
  return -1;
}

/** A quoted literal at `at`, its quotes possibly escaped (`\"`), as they are in JSON within JSON. */
export function quotedAt(text: string, at: number): Value | undefined {
  let open = at;
  while (open - at < 8 && text.charCodeAt(open) === 92) open += 1;
  if (!isQuote(text.charCodeAt(open))) return undefined;
  let quote = text.slice(at, open + 1);
  if (quote.length === 1 && text.startsWith(quote + quote, open + 1)) quote += quote + quote;
  const start = at + quote.length;
  const end = closingQuote(text, start, quote);
  return end === -1 ? undefined : { start, end, text: text.slice(start, end), quote };
}

const longestBare = 400;

export function bareAt(reading: Reading, at: number, until: BareEnd): Value | undefined {
  const end = Math.min(reading.stopAfter(until, at), at + longestBare);
  return end <= at ? undefined : { start: at, end, text: reading.text.slice(at, end), quote: '' };
}

/** YAML's `|` and `>`: the value is the next line, indented. */
function blockScalar(reading: Reading, at: number): Value | undefined {
  const indicator = /[|>][+-]?\d?[ \t]*\r?\n[ \t]+/y;
  indicator.lastIndex = at;
  const found = indicator.exec(reading.text.slice(0, at + 200));
  return found === null ? undefined : bareAt(reading, at + found[0].length, 'word');
}

export function valueAt(reading: Reading, from: number): Value | undefined {
  const { text } = reading;
  const at = skipLiteralMark(text, skipToLiteral(text, from));
  const code = text.charCodeAt(at);
  if (isQuote(code) || code === 92) return quotedAt(text, at);
  if (isLineEndAt(text, at)) return undefined;
  if (code === 124 || code === 62) return blockScalar(reading, at);
  return bareAt(reading, at, 'word');
}

const fallbackReach = 160;
const fallback = /(?:(?:\|\||\?\?|\?:|:-)[ \t]*(?=["'`])|\bor (?=["']))/;

/** `process.env.X || 'literal'`, `value ?? "literal"`: the literal that stands in on the same line. */
export function fallbackLiteral(reading: Reading, from: number): Value | undefined {
  const { text } = reading;
  if (reading.stopAfter('quote', from) >= from + fallbackReach) return undefined;
  const line = text.slice(from, from + fallbackReach);
  const match = fallback.exec(line);
  if (match === null || /\n|\\n/.test(line.slice(0, match.index))) return undefined;
  return quotedAt(text, from + match.index + match[0].length);
}
