import { cutText, oneLine } from './text.ts';

/**
 * Words that anyone may have written, for a text that a model reads: on one line, they can neither end their quotes nor the
 * block around them, nor hold what nobody sees.
 */
export function plainWords(text: string, max: number): string {
  // Cut first: a title may be megabytes long. White space among the control characters still parts words.
  const seen = cutText(text, max * 4).replace(/(?!\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  return oneLine(seen, max).replaceAll('"', '”').replace(opening, '‹');
}

/** What begins a tag, and by that the end of a block as well; a shell's arrows stay what they are. */
const opening = /<(?=\s*[/!?]|\p{L}|\s*agent)/giu;

export function quoted(text: string, max: number): string {
  return `"${plainWords(text, max)}"`;
}

/** A file's name stands without quotes where it looks like nothing else. */
export function namedFile(path: string, max: number): string {
  const words = plainWords(path, max);
  return /^[\p{L}\p{N}\p{M}_./@+…~-]+$/u.test(words) ? words : `"${words}"`;
}

export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Four letters make about one token; a letter of Korean, Chinese or Japanese is about one by itself. */
export function tokensOf(text: string): number {
  const wide = text.match(/[\u1100-\u11ff\u2e80-\uffef]/g)?.length ?? 0;
  return Math.ceil(wide + (text.length - wide) / 4);
}
