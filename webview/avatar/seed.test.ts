import { expect, test } from 'vitest';
import { chooseBySeed, slotNumber } from './seed.ts';

test('AGT-2 a slot draws the same number from a seed for ever', () => {
  const drawn = [0, 1, 2654435761, 4294967295].map((seed) => [0, 1, 9].map((slot) => slotNumber(seed, slot)));
  expect(drawn).toMatchInlineSnapshot(`
    [
      [
        301794027,
        3140136926,
        855957878,
      ],
      [
        2980047484,
        232174035,
        1218433824,
      ],
      [
        0,
        3095414328,
        4098416466,
      ],
      [
        616707340,
        3621581888,
        733625312,
      ],
    ]
  `);
});

test('AGT-2 slots draw independently: no slot can be told from another', () => {
  const seeds = Array.from({ length: 4096 }, (_, index) => Math.imul(index, 2654435761) >>> 0);
  const choices = ['a', 'b', 'c', 'd'] as const;
  for (const [one, other] of [
    [0, 1],
    [0, 9],
    [3, 4],
    [8, 9],
  ] as const) {
    const same = seeds.filter((seed) => chooseBySeed(seed, one, choices) === chooseBySeed(seed, other, choices)).length;
    expect(same / seeds.length, `slots ${one} and ${other}`).toBeGreaterThan(0.21);
    expect(same / seeds.length, `slots ${one} and ${other}`).toBeLessThan(0.29);
  }
});

test('AGT-2 every choice comes up equally often', () => {
  const choices = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] as const;
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 20_000; seed += 1) {
    const choice = chooseBySeed(seed, 3, choices);
    counts.set(choice, (counts.get(choice) ?? 0) + 1);
  }
  for (const choice of choices) {
    expect(counts.get(choice), choice).toBeGreaterThan(1_800);
    expect(counts.get(choice), choice).toBeLessThan(2_200);
  }
});
