import { classifyName } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Span } from './span.ts';
import { looksSaid } from './spoken.ts';

/** A line of a table without quotes has no blanks beside its commas; a call's arguments have. */
const header = /^"?[A-Za-z][\w ()-]{0,40}"?(?:([,;\t])"?[\w ()-]{0,40}"?){1,30}(?=\r?$)/gm;
const mostRows = 2000;
const longestLine = 4000;
const secretColumn =
  /^(?:(?:login|secret|console|user|admin|db|ftp|ssh|http)?[ _-]?(?:password|passwd|passwort|contraseña|senha)|secret[ _-]?access[ _-]?key|api[ _-]?key|secret[ _-]?key|client[ _-]?secret|totp|pw|pwd)$/i;

interface Cell {
  readonly start: number;
  readonly text: string;
}

/** The cells of a line; one in quotes may hold the separator, and a quote is doubled. */
function cellsOf(line: string, separator: string): readonly Cell[] {
  const cells: Cell[] = [];
  let at = 0;
  while (at <= line.length) {
    const quoted = line[at] === '"' ? /^"((?:[^"]|"")*)"/.exec(line.slice(at)) : null;
    const next = quoted === null ? line.indexOf(separator, at) : at + quoted[0].length;
    const end = next === -1 ? line.length : next;
    cells.push(quoted === null ? { start: at, text: line.slice(at, end) } : { start: at + 1, text: quoted[1] ?? '' });
    at = end + 1;
  }
  return cells;
}

/** Exports of password managers, browsers and consoles: the values of a column that a first line calls a password. */
export function tableSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  let read = 0;
  for (const { 0: line, 1: separator = '', index } of text.matchAll(header)) {
    if (index < read || line.length > 400 || line.includes(`${separator} `)) continue;
    const names = cellsOf(line, separator).map(({ text: name }) => name);
    if (!names.some((name) => secretColumn.test(name))) continue;
    read = index + line.length;
    for (let rows = 0; rows < mostRows && read < text.length; rows += 1) {
      const at = lineEnd(text, read) + 1;
      const row = text.slice(at, Math.min(lineEnd(text, at), at + longestLine)).replace(/\r$/, '');
      const cells = cellsOf(row, separator);
      if (cells.length !== names.length) break;
      spans.push(...secretCells(cells, names, at));
      read = at + row.length;
    }
  }
  return spans;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function secretCells(cells: readonly Cell[], names: readonly string[], line: number): readonly Span[] {
  return cells.flatMap(({ start, text }, index) => {
    const name = names[index] ?? '';
    const isSecret = secretColumn.test(name) && text.length >= 3 && !isPlaceholder(text);
    const isPassword = classifyName(name.replaceAll(' ', '_')) === 'password';
    if (!isSecret || (names.length < 3 && isPassword && !looksSaid(text, true))) return [];
    return [{ start: line + start, end: line + start + text.length, kind: isPassword ? 'password' : 'secret' }];
  });
}
