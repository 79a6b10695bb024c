import { describe, expect, test } from 'vitest';
import { type Options, readArguments, readNumber } from './arguments.ts';
import { MascotError } from './failure.ts';

const options: Options = {
  yes: { words: '' },
  limit: { takes: 'a number', words: '' },
  scope: { takes: 'a scope', repeats: true, words: '' },
};
const read = (...args: readonly string[]) =>
  readArguments(args, options, { name: 'what', atLeast: 0, atMost: 1 }, 'do');

describe('HKI-9 arguments', () => {
  test.each([
    [[], { words: [], yes: false, limit: undefined, scope: [] }],
    [['--yes', '--limit', '7'], { words: [], yes: true, limit: '7', scope: [] }],
    [['--limit=7', 'word', '--yes', '--yes'], { words: ['word'], yes: true, limit: '7', scope: [] }],
    [['--scope', 'user', '--scope=codex'], { words: [], yes: false, limit: undefined, scope: ['user', 'codex'] }],
    [['--', '--yes'], { words: ['--yes'], yes: false, limit: undefined, scope: [] }],
    [['-', '--limit', '--yes'], { words: ['-'], yes: false, limit: '--yes', scope: [] }],
    [['--limit=a=b'], { words: [], yes: false, limit: 'a=b', scope: [] }],
  ])('HKI-9 %j', (args, expected) => {
    const found = read(...args);
    expect({
      words: found.words,
      yes: found.has('yes'),
      limit: found.value('limit'),
      scope: found.values('scope'),
    }).toEqual(expected);
  });

  test.each([
    [['--no'], '"--no" is not understood here; "mascot do --help" lists what there is'],
    [['-y'], '"-y" is not understood here; "mascot do --help" lists what there is'],
    [['--constructor'], '"--constructor" is not understood here; "mascot do --help" lists what there is'],
    [['--yes=1'], '"--yes=1" is not understood here; "mascot do --help" lists what there is'],
    [['--\u001b[31m'], '"-- [31m" is not understood here; "mascot do --help" lists what there is'],
    [['--limit'], '--limit takes a number; "mascot do --help" lists what there is'],
    [['--limit='], '--limit takes a number; "mascot do --help" lists what there is'],
    [['--limit', '1', '--limit', '2'], '--limit is given twice; "mascot do --help" lists what there is'],
    [['a', 'b'], '"b" is not understood here; "mascot do --help" lists what there is'],
  ])('HKI-9 %j is wrong usage', (args, message) => {
    expect(() => read(...args)).toThrow(new MascotError(2, message));
  });

  test('HKI-9 a word that is needed is asked for', () => {
    expect(() => readArguments([], options, { name: 'what', atLeast: 1, atMost: 1 }, 'do')).toThrow(
      /^what is missing;/,
    );
  });

  test.each([['0'], ['501'], ['x'], ['1.5'], ['-1'], ['1e2']])(
    'HKI-9 --limit=%s is no number from 1 to 500',
    (text) => {
      expect(() => readNumber(read(`--limit=${text}`), 'limit', [1, 500])).toThrow(
        /--limit takes a number from 1 to 500/,
      );
    },
  );
});
