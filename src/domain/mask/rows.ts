import { isBlankAt } from './chars.ts';
import { looksRandom } from './entropy.ts';
import { judge } from './judge.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { tokenKind } from './tokens.ts';

const longestCell = 300;
const nameCell = /\|[ \t]*[`*]{0,3}([A-Za-z][\w.-]*(?: (?:key|token|secret))?)[`*]{0,3}[ \t]+$/i;
const valueCell = /^[ \t]+(?:[`*]{0,3})([^\s|`]{1,256})[`*]{0,3}[ \t]*(?=\||\r?\n|\\n|$)/;
const typeName = /^[A-Za-z_]\w*$/;

/** `| DB_PASSWORD | … |`: a cell with a name and the cell after it; `bar` is what parts them. */
export function rowSecret(reading: Reading, bar: number): Span | undefined {
  const { text } = reading;
  // In code an operator, as a rule; a table's bars have blanks on both sides.
  if (!isBlankAt(text, bar - 1) || !isBlankAt(text, bar + 1)) return undefined;
  const line = text.slice(Math.max(0, bar - 100), bar);
  const name = nameCell.exec(line.slice(line.lastIndexOf('\n') + 1))?.[1];
  const nameClass = name === undefined ? undefined : reading.classOf(name);
  if (name === undefined || nameClass === undefined) return undefined;
  const found = valueCell.exec(text.slice(bar + 1, bar + 1 + longestCell));
  const value = found?.[1];
  if (found === null || value === undefined || /[(){}[\]<>]/.test(value)) return undefined;
  const upper = /^[A-Z][A-Z0-9_]*$/.test(name);
  // Other tables tell which type or which field goes by the name.
  if (!upper && !/[\d!@#$%^&*]/.test(value)) return undefined;
  if (!upper && typeName.test(value) && /^[A-Z_]/.test(value) && !looksRandom(value)) return undefined;
  const kind = judge(nameClass, value, upper ? 'variable' : 'literal');
  if (kind === undefined) return undefined;
  const start = bar + 1 + found[0].indexOf(value);
  return { start, end: start + value.length, kind: tokenKind(text, start, start + value.length) ?? kind };
}
