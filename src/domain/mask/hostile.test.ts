import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { timesAsLong } from './growth.testkit.ts';
import { maskPayload, maskPayloadInTurns } from './mask.ts';

const length = 64 * 1024;

function filled(unit: string, upTo = length): string {
  return unit.repeat(Math.ceil(upTo / unit.length)).slice(0, upTo);
}

const rule = '-'.repeat(5);
const lineEnds = '\\n'.repeat(25);

/** Each made one part of the search look at the same stretch again and again, or try all ways to part it. */
const hostileTexts: readonly (readonly [string, string])[] = [
  ['backslashes in a key without an end', `${rule}BEGIN PRIVATE KEY${rule}\n${'\\'.repeat(length)}`],
  ['keys in each other', `${rule}BEGIN PRIVATE KEY${rule}\nProxy-Authorization: `],
  ['tokens in one run', 'xoxb-eyJeyJeyJeyJ_'],
  ['written line ends around a login', `machine${lineEnds}login${lineEnds}"password `],
  ['headers in one word', 'Authorization:'],
  ['blanks behind the name of a file', `+++ ${' '.repeat(4100)}x\n`],
  ['beginnings of a token before a cut', `${'-sk'.repeat(1365)}\n[agent-mascot: `],
];

test.each(hostileTexts)('MSK-2 %s hold no step much longer than ordinary text', (_title, unit) => {
  const ordinary = '  const limit = options.limit ?? defaultLimit; // as many as fit, see [the rules](docs/rules.md)\n';
  expect(timesAsLong({ prompt: filled(unit) }, { prompt: filled(ordinary) })).toBeLessThan(40);
});

function call(command: string): JsonObject {
  return { tool_input: { command } };
}

test.each([
  ['that nothing ends', '<<A <<B '],
  ['one after the other', '<<A\nA\n'],
])('MSK-2 here-documents %s take time in proportion', (_title, unit) => {
  expect(timesAsLong(call(filled(unit, 4 * length)), call(filled(unit)))).toBeLessThan(8);
});

test('MSK-2 words that a teller looks for are read about as fast as others', () => {
  const unit = (word: string) => `kubectl ${'get '.repeat(50)}${`${word} `.repeat(29)}${'-'.repeat(190)};`;
  expect(timesAsLong(call(filled(unit('secret'))), call(filled(unit('sacred'))))).toBeLessThan(2.5);
});

interface Reads {
  count: number;
}

/** Counts what is read of its entries. */
function counting<Holder extends object>(holder: Holder, reads: Reads): Holder {
  return new Proxy(holder, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^k?\d/.test(key)) reads.count++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

function mostReadInAStep(payload: JsonObject, reads: Reads): number {
  const steps = maskPayloadInTurns(payload);
  let most = 0;
  for (;;) {
    reads.count = 0;
    const { done } = steps.next();
    most = Math.max(most, reads.count);
    if (done) return most;
  }
}

const many = 100_000;

function listOf(count: number, entry: Json): readonly Json[] {
  return Array.from({ length: count }, () => entry);
}

const lists: readonly (readonly [string, Json])[] = [
  ['command', 'a'],
  ['input', 'a'],
  ['paths', 'a'],
  ['glob', '.a*x'],
  ['files', { path: 'a' }],
  ['edits', {}],
  ['requests', { paths: ['a'] }],
];

describe('MSK-1 MSK-2 a tool with a long list', () => {
  test.each(lists)('MSK-2 %s: of a hundred thousand entries each step looks at a part', (key, entry) => {
    const reads: Reads = { count: 0 };
    const payload = { tool_input: { [key]: counting(listOf(many, entry), reads) }, tool_response: 'x' };
    expect(mostReadInAStep(payload, reads)).toBeLessThan(many);
  });

  test.each(lists)('MSK-1 %s: the result of what was not looked at to its end is sealed', (key, entry) => {
    const payload: JsonObject = { tool_input: { [key]: listOf(5_000, entry) }, tool_response: 'x', error: 'y\nz' };
    expect(maskPayload(payload)).toEqual({
      ...payload,
      tool_response: '«masked:file-content»',
      error: 'y\n«masked:file-content»',
    });
  });

  test.each(lists)('MSK-2 %s: a usual list seals nothing', (key, entry) => {
    const payload = { tool_input: { [key]: listOf(600, entry) }, tool_response: 'x' };
    expect(maskPayload(payload)).toBe(payload);
  });
});

test('MSK-2 an object of a hundred thousand entries is read a part a step', () => {
  const reads: Reads = { count: 0 };
  const object = Object.fromEntries(Array.from({ length: many }, (_, at) => [`k${at}`, 1]));
  expect(mostReadInAStep({ object: counting(object, reads) }, reads)).toBeLessThan(many / 2);
});

test('MSK-2 yields between masking and the next scan of the text', () => {
  const payload = { prompt: filled(`redis-cli -a ${'abc4'.repeat(20)}`) };
  let steps = 1;
  for (const _ of maskPayloadInTurns(payload)) steps++;
  expect(steps).toBeGreaterThan(2);
});

describe('MSK-1 MSK-2 a command that is too long to be read', () => {
  const long = 'npm test; '.repeat(7_000);

  test('MSK-1 counts as one that prints secrets', () => {
    const payload = { tool_input: { command: long }, tool_response: 'PLAIN=x' };
    expect(maskPayload(payload)).toEqual({ ...payload, tool_response: '«masked:file-content»' });
  });

  test('MSK-1 what it writes to a credential file is masked in it all the same', () => {
    const masked = maskPayload({ tool_input: { command: `${long}cat > .env <<EOF\nPLAIN=x\nEOF` } });
    expect(masked).toEqual({ tool_input: { command: `${long}cat > .env <<EOF\n«masked:file-content»\nEOF` } });
  });

  test('MSK-2 is not one that only writes a long here-document', () => {
    const payload = {
      tool_input: { command: `cat > notes.md <<'EOF'\n${'some words\n'.repeat(10_000)}EOF\nwc notes.md` },
      tool_response: '10000',
    };
    expect(maskPayload(payload)).toBe(payload);
  });
});
