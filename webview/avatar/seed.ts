/**
 * From one seed many independent numbers. Every slot has a number of its own, so that a slot added later draws from a
 * stream of its own and no mascot that people know changes its face.
 */
export function slotNumber(seed: number, slot: number): number {
  let hash = (seed ^ Math.imul(slot + 1, 0x9e3779b1)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** One of `choices`, all equally likely. */
export function chooseBySeed<T>(seed: number, slot: number, choices: readonly [T, ...T[]]): T {
  const index = Math.floor((slotNumber(seed, slot) / 2 ** 32) * choices.length);
  return choices[index] ?? choices[0];
}
