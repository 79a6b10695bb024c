import { hash32 } from './hash.ts';

/** Short, easy to say in many languages, nobody's brand. Only ever append: a name is found by its place. */
// prettier-ignore
const names = [
  'Pico', 'Mochi', 'Tango', 'Juno', 'Biscuit', 'Nori', 'Waffle', 'Indigo', 'Pepper', 'Sunny', 'Clover', 'Maple',
  'Ziggy', 'Hazel', 'Toffee', 'Luna', 'Pixel', 'Olive', 'Comet', 'Ginger', 'Basil', 'Poppy', 'Rusty', 'Coco',
  'Minty', 'Oreo', 'Dotty', 'Felix', 'Willow', 'Cosmo', 'Peach', 'Otto', 'Kiwi', 'Bean', 'Saffron', 'Truffle',
  'Mango', 'Ember', 'Fern', 'Nova', 'Bubbles', 'Sage', 'Acorn', 'Taro', 'Marble', 'Lotus', 'Pebble', 'Yuzu',
  'Cinder', 'Dumpling', 'Echo', 'Figgy', 'Gizmo', 'Honey', 'Iris', 'Jasper', 'Koko', 'Lemon', 'Momo', 'Nutmeg',
  'Opal', 'Plum', 'Quill', 'Radish',
] as const;

/** The same agent gets the same name, unless another of its session has it already: then the next one that is free. */
export function nameFor(seedText: string, taken: readonly string[]): string {
  const first = hash32(`name:${seedText}`) % names.length;
  const inTurn = [...names.slice(first), ...names.slice(0, first)];
  return inTurn.find((name) => !taken.includes(name)) ?? names[first] ?? names[0];
}
