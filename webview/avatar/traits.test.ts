import { expect, test } from 'vitest';
import * as traitLists from './traits.ts';
import { traitsOf, type Traits } from './traits.ts';

const lists = Object.values(traitLists).filter((value) => Array.isArray(value));

test('AGT-2 the look of known seeds never changes', () => {
  expect([0, 42, 2654435761, 4294967295].map((seed) => Object.values(traitsOf(seed)).join(' '))).toMatchInlineSnapshot(`
    [
      "orb indigo deep fins ringed beak headphones pocket mask none",
      "loaf rose warm horns lash cat none glasses belly none",
      "orb indigo leaf sprout ringed smile none bowtie dip dashes",
      "pill sand warm bear lash smile none pocket mask none",
    ]
  `);
});

test('AGT-2 there are more than 10,000 looks even without a single colour', () => {
  const { bodies, earKinds, eyeKinds, mouthKinds, hats, patterns } = traitLists;
  const forms = [bodies, earKinds, eyeKinds, mouthKinds, hats, patterns].map((list) => new Set<string>(list).size);
  expect(forms.reduce((product, size) => product * size, 1)).toBeGreaterThan(10_000);
});

test('AGT-2 every listed choice is drawn by some seed', () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 3_000; seed += 1) {
    for (const [slot, choice] of Object.entries(traitsOf(seed))) seen.add(`${slot} ${choice}`);
  }
  const wanted = lists.reduce((sum, list) => sum + new Set<string>(list).size, 0);
  expect(seen.size).toBe(wanted);
});

test('AGT-2 any two of twelve agents differ in form, not only in colour', () => {
  const forms = ['body', 'ears', 'hat', 'pattern', 'eyes', 'mouth'] as const satisfies readonly (keyof Traits)[];
  let alike = 0;
  let pairs = 0;
  for (let group = 0; group < 500; group += 1) {
    const looks = Array.from({ length: 12 }, (_, index) =>
      traitsOf(Math.imul(group * 12 + index + 1, 0x85ebca6b) >>> 0),
    );
    looks.forEach((look, index) => {
      for (const other of looks.slice(index + 1)) {
        pairs += 1;
        if (forms.filter((form) => look[form] !== other[form]).length < 2) alike += 1;
      }
    });
  }
  expect(alike / pairs).toBeLessThan(0.0005);
});
