import { chooseBySeed } from './seed.ts';

/** Not a part of the look, but drawn like one: slot 10 is taken by it. */
const TEMPO_SLOT = 10;

/** Mascots side by side that blink together look like one machine. */
const tempos = ['tempo-a', 'tempo-b', 'tempo-c', 'tempo-d', 'tempo-e', 'tempo-f', 'tempo-g'] as const;

/** A class, since the page's security policy allows no style of an element's own. */
export function tempoOf(seed: number): (typeof tempos)[number] {
  return chooseBySeed(seed, TEMPO_SLOT, tempos);
}
