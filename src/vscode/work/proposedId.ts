import { workIdSchema } from '../../protocol/work.ts';

/** It is typed in a terminal. */
const PROPOSED_MAX = 40;

/** An id made of what the work is called, and taken by none of these. */
export function proposedId(title: string, taken: readonly string[]): string {
  const id = idOf(title);
  if (!taken.includes(id)) return id;
  let count = 2;
  while (taken.includes(`${id}-${count}`)) count += 1;
  return `${id}-${count}`;
}

/** By the rule that the collector holds ids to. */
export function isWorkId(text: string): boolean {
  return workIdSchema.safeParse(text).success;
}

/** Its first words, as far as there is room for whole ones. */
function idOf(title: string): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['work'];
  let id = '';
  for (const word of words) {
    const longer = id === '' ? cut(word) : `${id}-${word}`;
    if (longer.length > PROPOSED_MAX && id !== '') break;
    id = longer;
  }
  return id;
}

/** By whole characters: half of one is no letter. */
function cut(word: string): string {
  return [...word].slice(0, PROPOSED_MAX).join('');
}
