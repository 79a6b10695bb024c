/**
 * What a bench is and what they share. A bench compares within one run, its candidates taking turns, so that a slow
 * minute of the machine slows all of them; what counts are ratios.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {string} value
 * @property {string} [against]  the same of the revision that --against names
 * @property {string} [goal]
 * @property {string} [ratio]  to the row that the bench compares with
 * @property {string} [note]
 *
 * @typedef {object} BenchContext
 * @property {string} root
 * @property {string} node  the project's Node
 * @property {string} scratch  a folder of this bench alone, removed afterwards
 * @property {number | undefined} runs  what --runs says
 * @property {readonly number[] | undefined} [hooks]  what --hooks says
 * @property {string | undefined} [against]  what --against says
 * @property {(line: string) => void} log
 * @property {AbortSignal} signal
 *
 * @typedef {{ name: string, about: string, run: (context: BenchContext) => Promise<Row[]> }} Bench
 */

/**
 * @param {readonly number[]} values
 * @param {number} share  0.5 for the median
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new Error('no values to take a quantile of');
  return low + (high - low) * (at - Math.floor(at));
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Measures the candidates in turn, each round in another order, after one round that doesn't count.
 * @template {string} Name
 * @param {readonly Name[]} names
 * @param {{ runs: number, signal: AbortSignal, measure: (name: Name) => Promise<number> }} how
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function takeTurns(names, { runs, signal, measure }) {
  /** @type {Partial<Record<Name, number[]>>} */
  const results = {};
  for (const name of names) results[name] = [];
  for (let round = 0; round <= runs; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      signal.throwIfAborted();
      const name = /** @type {Name} */ (names[(turn + round) % names.length]);
      const value = await measure(name);
      if (round > 0) results[name]?.push(value);
    }
  }
  return /** @type {Record<Name, number[]>} */ (results);
}

/**
 * @param {number} value
 * @param {number} base
 */
export function ratio(value, base) {
  return `${(value / base).toFixed(2)}×`;
}

/** @type {readonly (keyof Row)[]} */
const COLUMNS = ['what', 'value', 'against', 'ratio', 'goal', 'note'];
/** These are shown only where a row has them. */
const RARE_COLUMNS = ['against', 'goal'];

/**
 * @param {string} title
 * @param {readonly Row[]} rows
 */
export function markdownTable(title, rows) {
  const columns = COLUMNS.filter((name) => !RARE_COLUMNS.includes(name) || rows.some((row) => row[name] !== undefined));
  const cells = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))];
  const widths = columns.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return [`## ${title}`, '', ...lines, ''].join('\n');
}
