import { expect, test } from 'vitest';
import { moods } from '../../src/protocol/state.ts';
import { drawMascot } from './draw.ts';
import { bodies, earKinds, hats, patterns, traitsOf, type Traits } from './traits.ts';

/** The picture as text. Without classes there is no colour in it: what still differs, differs in form. */
function formsOf(template: unknown): string {
  if (Array.isArray(template)) return template.map(formsOf).join('');
  if (typeof template === 'object' && template !== null && 'strings' in template && 'values' in template) {
    const { strings, values } = template as { strings: readonly string[]; values: readonly unknown[] };
    return strings.map((text, index) => text + (index < values.length ? formsOf(values[index]) : '')).join('');
  }
  return typeof template === 'symbol' ? '' : String(template);
}

function picture(traits: Traits, mood: (typeof moods)[number]): string {
  return formsOf(drawMascot(traits, mood)).replace(/class="[^"]*"|class=\S+/g, '');
}

test('AGT-3 every mood differs from every other by form alone', () => {
  for (const seed of [0, 42, 1337273]) {
    const pictures = moods.map((mood) => picture(traitsOf(seed), mood));
    expect(new Set(pictures).size, `seed ${seed}`).toBe(moods.length);
  }
});

test('AGT-2 body, ears, hat and pattern each change the form', () => {
  const base = traitsOf(0);
  const variants: readonly (readonly Traits[])[] = [
    bodies.map((body) => ({ ...base, body })),
    earKinds.map((ears) => ({ ...base, ears })),
    [...new Set(hats)].map((hat) => ({ ...base, hat })),
    patterns.map((pattern) => ({ ...base, pattern })),
  ];
  for (const looks of variants) {
    expect(new Set(looks.map((look) => picture(look, 'resting'))).size).toBe(looks.length);
  }
});

test('AGT-3 no picture has a number that is none', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    for (const mood of moods) expect(picture(traitsOf(seed), mood)).not.toMatch(/NaN|undefined|\[object/);
  }
});
