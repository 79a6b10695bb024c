import { isBlankAt, isLineEndAt, isQuote } from './chars.ts';

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

/**
 * A run without the given marks, of bounded length. An escaped line end or quote ends it too: the text may be a JSON string's.
 */
function runWithout(marks: string): RegExp {
  return new RegExp(`(?:[^${marks}\\\\]|\\\\(?![nrt"\\\\])){1,400}`, 'y');
}

/** How far a bare word goes, by what it stands in. */
const bareRuns = {
  word: runWithout('\\s"\'`'),
  name: runWithout('\\W'),
  variable: runWithout('\\s"\'`;&|<>)'),
  pair: runWithout('\\s"\'`;&#'),
  code: runWithout('\\s"\'`;&,)}\\]<>|'),
  argument: runWithout('\\s"\'`;|&<>)'),
  element: runWithout('\\s<'),
} as const;
export type BareEnd = keyof typeof bareRuns;

export function bareAt(text: string, at: number, until: BareEnd): Value | undefined {
  const run = bareRuns[until];
  run.lastIndex = at;
  const found = run.exec(text)?.[0];
  return found === undefined ? undefined : { start: at, end: at + found.length, text: found, quote: '' };
}

/** YAML's `|` and `>`: the value is the next line, indented. */
function blockScalar(text: string, at: number): Value | undefined {
  const indicator = /[|>][+-]?\d?[ \t]*\r?\n[ \t]+/y;
  indicator.lastIndex = at;
  const found = indicator.exec(text.slice(0, at + 200));
  return found === null ? undefined : bareAt(text, at + found[0].length, 'word');
}

export function valueAt(text: string, from: number): Value | undefined {
  const at = skipLiteralMark(text, skipToLiteral(text, from));
  const code = text.charCodeAt(at);
  if (isQuote(code) || code === 92) return quotedAt(text, at);
  if (isLineEndAt(text, at)) return undefined;
  if (code === 124 || code === 62) return blockScalar(text, at);
  return bareAt(text, at, 'word');
}

/** `process.env.X || 'literal'`, `value ?? "literal"`: the literal that stands in on the same line. */
export function fallbackLiteral(text: string, from: number): Value | undefined {
  const found = /(?:(?:\|\||\?\?|:-)[ \t]*(?=["'`])|\bor (?=["']))/;
  const line = text.slice(from, from + 160).split(/\n|\\n/, 1)[0] ?? '';
  const match = found.exec(line);
  return match === null ? undefined : quotedAt(text, from + match.index + match[0].length);
}
