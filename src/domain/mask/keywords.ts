/** Called where a word ends; returns the word's entry, or undefined for most words. */
export type Lookup<Entry> = (text: string, start: number, end: number) => Entry | undefined;

/**
 * A table of words that is fast for words outside of it: it compares first letter, last letter and length before it cuts the word out of
 * the text. It ignores case.
 */
export function keywordTable<Entry>(entries: Iterable<readonly [string, Entry]>): Lookup<Entry> {
  const table = new Map(entries);
  const lengths = new Uint32Array(1024);
  for (const word of table.keys()) {
    const slot = slotOf(word.charCodeAt(0), word.charCodeAt(word.length - 1));
    lengths[slot] = (lengths[slot] ?? 0) | (1 << word.length);
  }
  return (text, start, end) => {
    const length = end - start;
    if (length > 31) return undefined;
    const held = lengths[slotOf(text.charCodeAt(start), text.charCodeAt(end - 1))] ?? 0;
    if ((held & (1 << length)) === 0) return undefined;
    return table.get(text.slice(start, end).toLowerCase());
  };
}

function slotOf(first: number, last: number): number {
  return ((first & 31) << 5) | (last & 31);
}
