/** Names, kinds and short sentences. What is longer is nobody's name and would travel with every snapshot. */
export const LABEL_MAX = 300;

/** The text, cut; `undefined` if it is absent or empty. */
export function shortText(text: string | undefined, max = LABEL_MAX): string | undefined {
  return text === undefined || text === '' ? undefined : cutText(text, max);
}

/** On one line, and no longer than `max`. */
export function oneLine(text: string, max: number): string {
  // Cut before the white space is folded: the pattern then never walks a text of megabytes.
  const line = cutText(text, max * 4)
    .trim()
    .replace(/\s+/g, ' ');
  return line.length <= max ? line : `${cutText(line, max - 1).trimEnd()}…`;
}

/** Never through the middle of a letter: half of a surrogate pair is no text, and is refused where it is sent on. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** The same from there on; a negative start is counted from the end. */
export function textFrom(text: string, start: number): string {
  return text.slice(start).replace(/^[\udc00-\udfff]/, '');
}
