import { expect, test } from 'vitest';
import { cutText, plainWords } from './plainText.ts';

const said: readonly (readonly [string, string])[] = [
  ['I **keep** the _parsed_ rows, ***all*** ~~some~~ of them.', 'I keep the parsed rows, all some of them.'],
  ['## Plan\n\n1. Measure\n2. Keep the rows\n- [x] Done', 'Plan Measure Keep the rows Done'],
  ['See [the `table`](src/table.ts) and ![a chart](x.png).', 'See the table and a chart.'],
  ['Call `a * b` and `**kwargs`', 'Call a * b and **kwargs'],
  ['```ts\nconst a = 1;\n```\nThat is it.', 'const a = 1; That is it.'],
  ['> quoted\n\n---\n| a | b |\n|---|---|\n| 1 | 2 |', 'quoted a b 1 2'],
  ['2 * 3 * 4, a*b, src/**/*.ts, snake_case_name', '2 * 3 * 4, a*b, src/**/*.ts, snake_case_name'],
  ['**테스트**를 고쳤어요', '테스트를 고쳤어요'],
  ['It was cut in **the mid', 'It was cut in the mid'],
  ['It was cut in `code', 'It was cut in code'],
  ['plain', 'plain'],
  ['half a smile \ud83d', 'half a smile '.trim()],
];
for (const [markdown, words] of said) {
  test(`UI-2 ${JSON.stringify(markdown)} is said in plain words`, () => {
    expect(plainWords(markdown)).toBe(words);
  });
}

test('UI-2 a cut never leaves half of a character', () => {
  const text = 'ab😀👩‍🚀';
  for (let max = 2; max <= text.length; max += 1) {
    expect(cutText(text, max), String(max)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|\u200d…/);
  }
  expect(cutText('whole', 5)).toBe('whole');
  expect(cutText('a longer text', 8)).toBe('a longe…');
});
