import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { maskPayload, maskPayloadInTurns } from './mask.ts';
import { seeded } from './plant.testkit.ts';

const secret = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
const texts = ['', 'plain', `use ${secret}`, `password: hunter2-${secret}`, 'x'.repeat(18_000), '.env', '--password'];
const keys = ['a', 'command', 'tool_response', 'password', 'file_path', 'content', secret, `${secret}x`, '__proto__'];

function oddPayload(random: () => number): JsonObject {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const value = (depth: number): Json => {
    const kind = random();
    if (depth > 5 || kind < 0.5) return pick<Json>([...texts, 4711, true, null]);
    const length = Math.floor(random() * 8);
    if (kind < 0.75) return Array.from({ length }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length }, (_, at) => [`${pick(keys)}${at % 3 || ''}`, value(depth + 1)]));
  };
  return Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${pick(keys)}${at % 4 || ''}`, value(1)]));
}

/** Side by side, a step of each in turn, as a collector that several write to does it. */
function sideBySide(payloads: readonly JsonObject[]): {
  readonly masked: readonly JsonObject[];
  readonly turns: number;
} {
  const masked: JsonObject[] = [];
  let turns = 0;
  let going = payloads.map((payload, at) => [at, maskPayloadInTurns(payload)] as const);
  while (going.length > 0) {
    going = going.filter(([at, steps]) => {
      const step = steps.next();
      if (step.done) masked[at] = step.value;
      else turns++;
      return !step.done;
    });
  }
  return { masked, turns };
}

test('MSK-1 MSK-2 masked in turns, and beside others, a payload comes out as in one go', () => {
  for (const seed of [1, 2, 3]) {
    const random = seeded(seed);
    const payloads = Array.from({ length: 8 }, () => oddPayload(random));
    const { masked, turns } = sideBySide(payloads);
    expect(masked, `seed ${seed}`).toEqual(payloads.map(maskPayload));
    expect(JSON.stringify(masked), `seed ${seed}`).not.toContain(secret);
    expect(turns, `seed ${seed}`).toBeGreaterThan(0);
  }
});

test('MSK-2 no step takes more than a small part of a large payload, whatever it is large by; a usual one takes one', () => {
  const items = 30_000;
  const large: readonly JsonObject[] = [
    { list: Array.from({ length: items }, () => ({})) },
    { list: Array.from({ length: items }, () => 'key:') },
    Object.fromEntries(Array.from({ length: items }, (_, at) => [`k${at}`, 1])),
  ];
  const usual = { tool_input: { command: 'npm test', description: 'x'.repeat(4_000) } };
  expect(large.map((payload) => sideBySide([payload]).turns)).toEqual([1, 9, 12]);
  expect(sideBySide([usual]).turns).toBe(0);
});
