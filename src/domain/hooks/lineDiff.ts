/** Beyond this many changed lines the changed part is shown as replaced whole: still right, only longer. */
const CHANGES_MAX = 1_000;
const CONTEXT = 3;

type Kind = ' ' | '-' | '+';

interface Row {
  readonly kind: Kind;
  readonly line: string;
  /** How many lines of either text come before this one. */
  readonly before: number;
  readonly after: number;
}

/** HKI-1, for a terminal: what would change in the file `name`. Undefined: there is no such file. Empty: nothing changes. */
export function unifiedDiff(before: string | undefined, after: string | undefined, name: string): string {
  if (before === after) return '';
  const left = linesOf(before ?? '');
  const right = linesOf(after ?? '');
  const show = shower(left, right);
  const label = (text: string | undefined) => (text === undefined ? '/dev/null' : escaped(name));
  const head = [`--- ${label(before)}`, `+++ ${label(after)}`];
  const hunks = hunksOf(rowsOf(left, right)).flatMap((hunk) => hunkLines(hunk, show));
  return [...head, ...hunks].map((line) => `${line}\n`).join('');
}

/** Each with its own end. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

function rowsOf(left: readonly string[], right: readonly string[]): readonly Row[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const middle = changes(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const same = (line: string): Change => ({ kind: ' ', line });
  return numbered([...left.slice(0, start).map(same), ...middle, ...left.slice(left.length - end).map(same)]);
}

interface Change {
  readonly kind: Kind;
  readonly line: string;
}

function numbered(all: readonly Change[]): readonly Row[] {
  let before = 0;
  let after = 0;
  return all.map(({ kind, line }) => {
    const row = { kind, line, before, after };
    if (kind !== '+') before++;
    if (kind !== '-') after++;
    return row;
  });
}

/** Of each diagonal (lines taken out less lines added) the furthest place, in lines of the left text. */
interface Reach {
  readonly places: Int32Array;
  /** Where diagonal 0 is kept. */
  readonly zero: number;
}

/** The shortest way from one to the other: for each number of changes the furthest that each diagonal gets. */
function changes(left: readonly string[], right: readonly string[]): readonly Change[] {
  const limit = Math.min(left.length + right.length, CHANGES_MAX);
  const furthest: Reach = { places: new Int32Array(2 * limit + 3), zero: limit + 1 };
  const trace: Reach[] = [];
  for (let count = 0; count <= limit; count++) {
    trace.push(around(furthest, count));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = firstStep(furthest, diagonal, count);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      furthest.places[furthest.zero + diagonal] = x;
      if (x >= left.length && x - diagonal >= right.length) return walkBack(trace, left, right);
    }
  }
  return [
    ...left.map((line) => ({ kind: '-', line }) as const),
    ...right.map((line) => ({ kind: '+', line }) as const),
  ];
}

/** Only these are read again. */
function around({ places, zero }: Reach, count: number): Reach {
  return { places: places.slice(zero - count - 1, zero + count + 2), zero: count + 1 };
}

function firstStep(furthest: Reach, diagonal: number, count: number): number {
  return comesFromAbove(furthest, diagonal, count) ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
}

/** By a line that was added, rather than by one that was taken out. */
function comesFromAbove(furthest: Reach, diagonal: number, count: number): boolean {
  if (diagonal === -count) return true;
  return diagonal !== count && at(furthest, diagonal - 1) < at(furthest, diagonal + 1);
}

function at(furthest: Reach, diagonal: number): number {
  return furthest.places[furthest.zero + diagonal] ?? 0;
}

function walkBack(trace: readonly Reach[], left: readonly string[], right: readonly string[]): readonly Change[] {
  const found: Change[] = [];
  let x = left.length;
  let y = right.length;
  for (const [count, furthest] of [...trace.entries()].reverse()) {
    const diagonal = x - y;
    const isAdded = comesFromAbove(furthest, diagonal, count);
    const start = firstStep(furthest, diagonal, count);
    while (x > start) {
      x--;
      y--;
      found.push({ kind: ' ', line: left[x] ?? '' });
    }
    if (count === 0) break;
    if (isAdded) found.push({ kind: '+', line: right[--y] ?? '' });
    else found.push({ kind: '-', line: left[--x] ?? '' });
  }
  return found.reverse();
}

function hunksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const hunks: Row[][] = [];
  let shown = -1;
  for (const [index, { kind }] of rows.entries()) {
    if (kind === ' ') continue;
    const from = Math.max(index - CONTEXT, 0);
    if (from > shown + 1 || hunks.length === 0) hunks.push([]);
    const until = Math.min(index + CONTEXT, rows.length - 1);
    hunks.at(-1)?.push(...rows.slice(Math.max(from, shown + 1), until + 1));
    shown = Math.max(shown, until);
  }
  return hunks;
}

function hunkLines(hunk: readonly Row[], show: (row: Row) => readonly string[]): readonly string[] {
  const first = hunk[0];
  const range = (count: number, lines: number) => `${lines === 0 ? count : count + 1}${lines === 1 ? '' : `,${lines}`}`;
  const left = range(first?.before ?? 0, hunk.filter(({ kind }) => kind !== '+').length);
  const right = range(first?.after ?? 0, hunk.filter(({ kind }) => kind !== '-').length);
  return [`@@ -${left} +${right} @@`, ...hunk.flatMap(show)];
}

/** Ends of lines are shown where not all are alike: then they may be all that differs. */
function shower(left: readonly string[], right: readonly string[]): (row: Row) => readonly string[] {
  const ends = new Set([...left, ...right].map(endOf).filter((end) => end !== ''));
  const showsEnds = ends.size > 1;
  return ({ kind, line }) => {
    const end = endOf(line);
    const text = escaped(line.slice(0, line.length - end.length));
    if (end === '') return [kind + text, '\\ No newline at end of file'];
    return [kind + text + (showsEnds ? JSON.stringify(end).slice(1, -1) : '')];
  };
}

function endOf(line: string): string {
  return /(?:\r\n|\n|\r)$/.exec(line)?.[0] ?? '';
}

/** What a terminal would obey, and what turns the order of letters around, is shown by its number. */
function escaped(text: string): string {
  return text.replace(/[\p{Cf}\p{Cs}\p{Co}\u2028\u2029]|(?!\t)\p{Cc}/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x1_0000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
