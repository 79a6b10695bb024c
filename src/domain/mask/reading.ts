import { classifyName } from './names.ts';
import type { NameClass } from './names.ts';

/**
 * What ends a stretch of text. An escaped line end or quote ends a bare word too: the text may be a JSON string's.
 * Whether a character is a stop depends on it and the next one alone, so what was found from one place holds from later ones.
 */
function stopAt(marks: string): RegExp {
  return new RegExp(`[${marks}]|\\\\(?=[nrt"\\\\])`, 'g');
}

const stopPatterns = {
  word: stopAt('\\s"\'`'),
  name: stopAt('\\W'),
  variable: stopAt('\\s"\'`;&|<>)'),
  pair: stopAt('\\s"\'`;&#'),
  code: stopAt('\\s"\'`;&,)}\\]<>|'),
  argument: stopAt('\\s"\'`;|&<>)'),
  element: stopAt('\\s<'),
  line: /[\r\n]|\\[rn]/g,
  credential: stopAt('\\s"\'`,;<>{}\\\\'),
  quote: /["'`]/g,
} as const;
export type Stop = keyof typeof stopPatterns;

/** How far a bare word goes, by what it stands in. */
export type BareEnd = Exclude<Stop, 'line' | 'credential' | 'quote'>;

/** A text on its way through the scan, with what was found out about it, so that no stretch is walked again and again. */
export interface Reading {
  readonly text: string;
  /** The first stop at or after a place; the text's length when none comes. */
  readonly stopAfter: (stop: Stop, at: number) => number;
  readonly classOf: (name: string) => NameClass | undefined;
  /** Up to here cookies were looked at and none was secret. */
  cookiesReadTo: number;
}

const mostNames = 4096;

function search(text: string, stop: Stop, at: number): number {
  const pattern = stopPatterns[stop];
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? -1;
}

export function readingOf(text: string): Reading {
  const walked = new Map<Stop, { readonly from: number; readonly stop: number }>();
  const classes = new Map<string, NameClass | undefined>();

  function stopAfter(stop: Stop, at: number): number {
    const known = walked.get(stop);
    if (known !== undefined && known.from <= at && at <= known.stop) return known.stop;
    if (known !== undefined && at < known.from) {
      const near = search(text.slice(at, known.from + 1), stop, 0);
      return near === -1 ? known.stop : at + near;
    }
    const found = search(text, stop, at);
    const next = found === -1 ? text.length : found;
    walked.set(stop, { from: at, stop: next });
    return next;
  }

  function classOf(name: string): NameClass | undefined {
    if (classes.has(name)) return classes.get(name);
    const nameClass = classifyName(name);
    // Names that say nothing are turned away faster than they are found again.
    if (nameClass !== undefined && classes.size < mostNames) classes.set(name, nameClass);
    return nameClass;
  }

  return { text, stopAfter, classOf, cookiesReadTo: 0 };
}
