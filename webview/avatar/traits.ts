import { chooseBySeed } from './seed.ts';

export const bodies = ['orb', 'pill', 'loaf', 'box', 'ghost', 'pear', 'drop', 'gem', 'cloud', 'bell'] as const;
export const colours = [
  'apricot',
  'sky',
  'mint',
  'lilac',
  'coral',
  'butter',
  'teal',
  'rose',
  'indigo',
  'moss',
  'sand',
  'slate',
] as const;
export const accents = ['warm', 'cool', 'leaf', 'berry', 'cream', 'deep'] as const;
export const earKinds = [
  'cat',
  'bear',
  'bunny',
  'floppy',
  'antenna',
  'feelers',
  'sprout',
  'horns',
  'crest',
  'fins',
] as const;
export const eyeKinds = ['dot', 'tall', 'gleam', 'ringed', 'bead', 'lash'] as const;
export const mouthKinds = ['smile', 'cat', 'tooth', 'beak', 'muzzle', 'small'] as const;
/** `none` twice: a bare head is the most common hat. */
export const hats = ['none', 'none', 'beanie', 'cap', 'headphones', 'bow', 'flower', 'helmet'] as const;
export const accessories = ['none', 'scarf', 'bowtie', 'glasses', 'badge', 'pocket'] as const;
export const patterns = ['plain', 'belly', 'spots', 'stripes', 'mask', 'dip'] as const;
export const cheekKinds = ['none', 'blush', 'freckles', 'dashes'] as const;

export interface Traits {
  readonly body: (typeof bodies)[number];
  readonly colour: (typeof colours)[number];
  readonly accent: (typeof accents)[number];
  readonly ears: (typeof earKinds)[number];
  readonly eyes: (typeof eyeKinds)[number];
  readonly mouth: (typeof mouthKinds)[number];
  readonly hat: (typeof hats)[number];
  readonly accessory: (typeof accessories)[number];
  readonly pattern: (typeof patterns)[number];
  readonly cheeks: (typeof cheekKinds)[number];
}

/**
 * The slots' numbers and the order and count of their choices are a promise: a look is the same on every machine and in
 * every version. Add a slot with the next number; never renumber, never insert a choice.
 */
export function traitsOf(seed: number): Traits {
  return {
    body: chooseBySeed(seed, 0, bodies),
    colour: chooseBySeed(seed, 1, colours),
    accent: chooseBySeed(seed, 2, accents),
    ears: chooseBySeed(seed, 3, earKinds),
    eyes: chooseBySeed(seed, 4, eyeKinds),
    mouth: chooseBySeed(seed, 5, mouthKinds),
    hat: chooseBySeed(seed, 6, hats),
    accessory: chooseBySeed(seed, 7, accessories),
    pattern: chooseBySeed(seed, 8, patterns),
    cheeks: chooseBySeed(seed, 9, cheekKinds),
  };
}
