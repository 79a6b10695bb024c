/** One `key = value` of a TOML text, with the names of its table before its own. The value is as it was written. */
export interface TomlEntry {
  readonly path: readonly string[];
  readonly value: string;
}

export interface TomlKeys {
  /** Names of all tables and lists of tables, even of those that hold nothing. */
  readonly tables: readonly (readonly string[])[];
  readonly entries: readonly TomlEntry[];
}

/**
 * Enough of TOML to find keys: names with their quotes and dots, and where values end. A line that it can't follow is passed
 * over, for it reads another program's file and may only ever say less than is there.
 */
export function readTomlKeys(text: string): TomlKeys {
  const tables: (readonly string[])[] = [];
  const entries: TomlEntry[] = [];
  let table: readonly string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    at = afterBlank(text, at, true);
    if (text[at] === '[') {
      const path = readPath(text, text[at + 1] === '[' ? at + 2 : at + 1);
      if (path && text[path.end] === ']') {
        table = path.names;
        tables.push(table);
      }
      at = lineEnd(text, at);
    } else if (text[at] === '#') {
      at = lineEnd(text, at);
    } else if (at < text.length) {
      const path = readPath(text, at);
      if (path && text[path.end] === '=') {
        const start = afterBlank(text, path.end + 1, false);
        at = valueEnd(text, start);
        entries.push({ path: [...table, ...path.names], value: text.slice(start, at).trim() });
      } else at = lineEnd(text, at);
    }
  }
  return { tables, entries };
}

function afterBlank(text: string, from: number, withBreaks: boolean): number {
  let at = from;
  while (at < text.length && (withBreaks ? ' \t\r\n' : ' \t').includes(text[at] ?? '')) at++;
  return at;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** `a."b.c".'d'`, and the place of what follows it. */
function readPath(text: string, from: number): { readonly names: readonly string[]; readonly end: number } | undefined {
  const names: string[] = [];
  let at = afterBlank(text, from, false);
  for (;;) {
    const name = readName(text, at);
    if (!name) return undefined;
    names.push(name.name);
    at = afterBlank(text, name.end, false);
    if (text[at] !== '.') return { names, end: at };
    at = afterBlank(text, at + 1, false);
  }
}

const bareName = /[A-Za-z0-9_-]+/y;

function readName(text: string, at: number): { readonly name: string; readonly end: number } | undefined {
  const quote = text[at];
  if (quote === '"' || quote === "'") {
    const end = stringEnd(text, at, quote);
    const inner = end === undefined ? undefined : text.slice(at + 1, end - 1);
    const name = quote === '"' && inner !== undefined ? unescaped(inner) : inner;
    return name === undefined || end === undefined ? undefined : { name, end };
  }
  bareName.lastIndex = at;
  const name = bareName.exec(text)?.[0];
  return name === undefined ? undefined : { name, end: at + name.length };
}

/** Behind the closing quote; undefined: it is not closed on its line. */
function stringEnd(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === quote) return at + 1;
    if (text[at] === '\\' && quote === '"' && text[at + 1] !== '\n') at++;
  }
  return undefined;
}

const short: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\x1b' };

function unescaped(text: string): string | undefined {
  let isWrong = false;
  const plain = text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.?))/gs,
    (_, u, U, x, other) => {
      const hex = [u, U, x].find((digits): digits is string => typeof digits === 'string');
      const code = hex === undefined ? undefined : Number.parseInt(hex, 16);
      if (code !== undefined && code <= 0x10_ffff) return String.fromCodePoint(code);
      if (other === '"' || other === '\\') return other;
      const char = typeof other === 'string' ? short[other] : undefined;
      if (char === undefined) isWrong = true;
      return char ?? '';
    },
  );
  return isWrong ? undefined : plain;
}

/** Where a value ends: with its line, unless a bracket or a long string is still open. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\n' && depth <= 0) return at;
    if (char === '#') {
      const end = text.indexOf('\n', at);
      if (end < 0) return text.length;
      at = end - 1;
    } else if (char === '"' || char === "'") {
      at = closing(text, at, char) - 1;
    } else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
  }
  return text.length;
}

/** Behind a string of either length. */
function closing(text: string, at: number, quote: string): number {
  const long = quote.repeat(3);
  if (!text.startsWith(long, at)) return stringEnd(text, at, quote) ?? lineBreak(text, at);
  for (let end = at + 3; end < text.length; end++) {
    if (text[end] === '\\' && quote === '"') end++;
    else if (text.startsWith(long, end)) return end + 3;
  }
  return text.length;
}

function lineBreak(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
