import { searchable } from './interactions.ts';
import { cutText, textFrom } from './text.ts';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A character with all that is put on it; Korean letters that make syllables only together. */
const CLUSTERS = /[\u1100-\u11ff]+|[\s\S]\p{M}*/gu;

/** Where these words first stand in a text, in the spelling that search has. Undefined: they don't. */
export function findWords(text: string, words: string): TextRange | undefined {
  const wanted = searchable(words.trim());
  if (wanted === '') return undefined;
  const spelled = searchable(text);
  const at = spelled.indexOf(wanted);
  if (at < 0) return undefined;
  if (spelled.length === text.length && searchable(text.slice(0, at)).length === at) {
    return { from: at, to: at + wanted.length };
  }
  return placeIn(text, { from: at, to: at + wanted.length });
}

/** The same place in the text as it was before it got its one spelling, in which letters may become more or fewer. */
function placeIn(text: string, { from, to }: TextRange): TextRange {
  let spelled = 0;
  let start: number | undefined;
  for (const match of text.matchAll(CLUSTERS)) {
    const next = spelled + searchable(match[0]).length;
    if (start === undefined && next > from) start = match.index;
    if (next >= to) return { from: start ?? match.index, to: match.index + match[0].length };
    spelled = next;
  }
  return { from: start ?? text.length, to: text.length };
}

/** Words stand where eyes find them: near the beginning of a line, with some of what is before them. */
const BEFORE = 24;

/** The piece of a text around the words that were looked for, in one line; its beginning where they are not in it. */
export function excerptOf(text: string, words: string, max: number): string {
  const found = findWords(text, words) ?? { from: 0, to: 0 };
  const from = Math.max(0, found.from - BEFORE);
  const piece = cutText(textFrom(text, from), max * 2);
  return `${from > 0 ? '…' : ''}${piece}`.replace(/\s+/gu, ' ').trim();
}
