import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTexts } from '../../../scripts/bench/searchTexts.mjs';
import { searchable } from '../../domain/interactions.ts';
import { partsOf } from '../log/sealedBlocks.ts';
import { encodeGramIndex, GramIndex } from './gramIndex.ts';

function indexOver(texts: readonly string[]): GramIndex {
  const bytes = encodeGramIndex(texts);
  return new GramIndex(partsOf(bytes), bytes.length);
}

function candidatesIn(texts: readonly string[], text: string): readonly number[] {
  return [...(indexOver(texts).candidates(text) ?? [-1])];
}

function textsWith(texts: readonly string[], text: string): readonly number[] {
  return texts.flatMap((each, number) => (each.includes(text) ? [number] : []));
}

const isSparse = (text: string) => /^[\0-\u10ff]*$/.test(text);
const isOneGram = (text: string) => text.length <= 2 || (text.length <= 4 && isSparse(text));

/** Few of each script, so that texts have parts in common. */
const units = fc.constantFrom(
  ...['a', 'b', 'c', ' ', 'é', '\u0301', 'я', '\u10ff', '\u1100', '\u1161', '가', '로', '그', 'か', 'ー', '中', '文'],
  ...['😀', '\ud83d', '\ude00', '\ud800', '\uffff', '\ufffe', '\0', '\u0001', '\u007f', '\n'],
);
const text = (maxLength: number) => fc.array(units, { maxLength }).map((parts) => parts.join(''));
/** A part of one of the texts, or any text. */
const query = (texts: readonly string[]) =>
  fc.oneof(
    text(8),
    fc.tuple(fc.nat(), fc.nat(30), fc.nat(8)).map(([number, from, length]) => {
      return (texts[number % (texts.length + 1)] ?? '').slice(from, from + length);
    }),
  );
const textsAndQueries = fc
  .array(text(40), { maxLength: 30 })
  .chain((texts) => fc.tuple(fc.constant(texts), fc.array(query(texts), { minLength: 1, maxLength: 30 })));

describe('CNV-3 candidates', () => {
  test('CNV-3 every text that contains a query is a candidate, ascending, once; exactly those for a query of one gram', () => {
    fc.assert(
      fc.property(textsAndQueries, ([texts, queries]) => {
        const index = indexOver(texts);
        for (const each of queries) {
          const candidates = [...(index.candidates(each) ?? [-1])];
          const real = textsWith(texts, each);
          expect(candidates).toEqual([...new Set(candidates)].sort((a, b) => a - b));
          expect(candidates.every((number) => number >= 0 && number < texts.length)).toBe(true);
          if (isOneGram(each)) expect(candidates, JSON.stringify(each)).toEqual(real);
          else expect(candidates, JSON.stringify(each)).toEqual(expect.arrayContaining([...real]));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('CNV-3 every part of a text in mixed scripts finds it, and no longer text does', () => {
    const whole = 'fix 로그인 in createstore()😀 検索を、搜索\0';
    const texts = ['hay', whole, '', 'in 로'];
    const index = indexOver(texts);
    for (let from = 0; from < whole.length; from++) {
      for (let to = from + 1; to <= whole.length; to++) {
        expect([...(index.candidates(whole.slice(from, to)) ?? [])]).toContain(1);
      }
    }
    expect([...(index.candidates(`${whole}!`) ?? [-1])]).toEqual([]);
    expect([...(index.candidates(`${whole}\0`) ?? [-1])]).toEqual([]);
  });

  test.each([
    ['all texts for an empty query, empty texts too', ['', 'a', '가'], '', [0, 1, 2]],
    ['none for an empty list of texts', [], 'a', []],
    ['none for an empty query in an empty list', [], '', []],
    ['none where all texts are empty', ['', ''], 'a', []],
    ['a text that is the query', ['a', '가', 'ab'], '가', [1]],
    ['a letter that ends a text', ['xya', 'b', 'a'], 'a', [0, 2]],
    ['a syllable that ends a text', ['x가', 'b'], '가', [0]],
    ['letters before a syllable', ['ab가', 'ab나', 'ab'], 'ab가', [0]],
    ['letters behind a syllable', ['로그in', '로그on', '로그', 'in'], '로그in', [0]],
    ['none for a query longer than any text', ['abcd', 'bcd', 'bcde'], 'abcde', []],
    ['a NUL, which is not the end of a text', ['ab', 'ab\0', '가'], 'ab\0', [1]],
    ['a NUL behind a syllable', ['가', '가\0'], '가\0', [1]],
    ['one half of a surrogate pair', ['\ud83d', '😀', 'x', 'x\ude00'], '\ud83d', [0, 1]],
    ['the last unit that there is', ['\uffff\uffff', '\ufffe', 'a\uffff'], '\uffff', [0, 2]],
  ])('CNV-3 finds %s', (_, texts, wanted, found) => {
    expect(candidatesIn(texts, wanted)).toEqual(found);
  });

  test('CNV-3 finds the rarest and the commonest text among more than fit one piece', () => {
    const texts = Array.from({ length: 5_000 }, (_, number) => `common ${number}`);
    const index = indexOver(texts);
    expect(index.candidates('common')).toHaveLength(5_000);
    expect([...(index.candidates(' 4321') ?? [])]).toEqual([4_321]);
    expect([...(index.candidates('n 499') ?? [])]).toEqual(textsWith(texts, 'n 499'));
  });

  test('CNV-3 finds a text by all but five of its thousands of characters, and none by others', () => {
    const texts = Array.from({ length: 20 }, (_, number) => createTexts(number)(number).repeat(5));
    const index = indexOver(texts);
    expect([...(index.candidates(texts[7]!.slice(5)) ?? [])]).toEqual([7]);
    expect([...(index.candidates(texts[7]!.replace(/\s/g, '~')) ?? [-1])]).toEqual([]);
  });
});

describe('CNV-3 the index of thousands of texts', () => {
  const textOf = createTexts(7);
  const texts = Array.from({ length: 2_000 }, (_, number) => searchable(textOf(number)));
  const bytes = encodeGramIndex(texts);

  test('CNV-3 it is no larger than its texts', () => {
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    expect(bytes.length).toBeLessThan(characters);
  });

  test.each([
    'hippopotamus',
    'createsearchindex',
    'absolutely nothing of this',
    '꿩먹고알먹고',
    '횃불을',
    '은하수를 건너는 고양이',
    'そらをとぶ',
    'ひこうきぐも',
    '葡萄牙',
    '飞机场在哪里',
    '로그out123',
  ])('CNV-3 an absent text has hardly any candidates: %s', (absent) => {
    expect(textsWith(texts, absent)).toEqual([]);
    expect(new GramIndex(partsOf(bytes), bytes.length).candidates(absent)?.length).toBeLessThan(5);
  });

  test('CNV-3 a look-up reads the head once, then a few KB for each gram', () => {
    const sizes: number[] = [];
    const read = (position: number, length: number) => {
      sizes.push(length);
      return bytes.subarray(position, position + length);
    };
    const index = new GramIndex(read, bytes.length);
    index.candidates('x');
    sizes.length = 0;
    index.candidates('common words');
    expect(sizes.length).toBeLessThanOrEqual('common words'.length);
    expect(Math.max(...sizes)).toBeLessThan(8_192);
  });
});

describe('CNV-3 damaged bytes', () => {
  const textOf = createTexts(3);
  const texts = [
    '',
    'fix the login',
    '로그인 고치기',
    ...Array.from({ length: 4 }, (_, number) => searchable(textOf(number)).slice(0, 500)),
  ];
  const bytes = encodeGramIndex(texts);
  const queries = ['', 'log', 'l', '로그인', 'absent', '가', ...texts.slice(3)];
  const rightAnswers = queries.map((each) => new GramIndex(partsOf(bytes), bytes.length).candidates(each));

  /** How many queries are answered by undefined; the others have to be answered rightly. */
  function unansweredIn(damaged: Uint8Array, length: number): number {
    const index = new GramIndex(partsOf(damaged), length);
    const answers = queries.map((each) => index.candidates(each));
    expect(answers).toEqual(answers.map((each, place) => each && rightAnswers[place]));
    return answers.filter((each) => each === undefined).length;
  }

  test('CNV-3 a flipped bit gives undefined in the head, and undefined or the right candidates in a piece', () => {
    const pieces = bytes.readUInt32LE(8);
    expect(pieces).toBeGreaterThan(1);
    const headBytes = 16 + pieces * 12;
    let unanswered = 0;
    for (let at = 0; at < bytes.length; at += at < headBytes ? 1 : 3) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1 << (at % 8);
      const count = unansweredIn(damaged, bytes.length);
      if (at < headBytes) expect(count).toBe(queries.length);
      else unanswered += count;
    }
    expect(unanswered).toBeGreaterThan(0);
  });

  test('CNV-3 an index that is cut off gives undefined, or the right candidates if the length is said to be whole', () => {
    for (let size = 0; size < bytes.length; size += 3) {
      expect(unansweredIn(bytes.subarray(0, size), size)).toBe(queries.length);
      expect(unansweredIn(bytes.subarray(0, size), bytes.length)).toBeGreaterThan(0);
    }
  });

  test('CNV-3 bytes that are no index give undefined', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), text(6), (random, wanted) => {
        const format = Uint8Array.of(1, 0, 0, 0);
        for (const each of [random, Buffer.concat([format, random])]) {
          expect(new GramIndex(partsOf(each), each.length).candidates(wanted)).toBeUndefined();
        }
      }),
    );
  });
});
