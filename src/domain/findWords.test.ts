import { expect, test } from 'vitest';
import { excerptOf, findWords } from './findWords.ts';

const piece = (text: string, words: string) => {
  const found = findWords(text, words);
  return found && text.slice(found.from, found.to);
};

test.each([
  ['Fix the Harbour light', 'harbour', 'Harbour'],
  ['항구의 불빛을 고쳐 줘', '불빛', '불빛'],
  ['灯台を直して', '灯台', '灯台'],
  ['修理灯塔吧', '灯塔', '灯塔'],
  ['wide ＡＢＣ letters', 'abc', 'ＡＢＣ'],
  ['a ﬁne ﬁle', 'file', 'ﬁle'],
  ['cafe\u0301 and caf\u00e9', 'caf\u00e9', 'cafe\u0301'],
  ['decomposed \u1112\u1161\u11ab\u1100\u1173\u11af', '한글', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
  ['nothing', 'else', undefined],
  ['nothing', '  ', undefined],
])('CNV-3 in %j stands %j as %j', (text, words, found) => expect(piece(text, words)).toBe(found));

test('CNV-3 a hit is shown with a little of what is before it, in one line', () => {
  const text = `${'before '.repeat(100)}\n\tthe needle\n${'after '.repeat(100)}`;
  const shown = excerptOf(text, 'NEEDLE', 40);
  expect([shown.indexOf('needle') < 30, shown.startsWith('…'), /[\n\t]/.test(shown)]).toEqual([true, true, false]);
  expect(excerptOf('short', 'else', 40)).toBe('short');
  for (const more of ['', 'a']) {
    const smiling = `${'😀'.repeat(20)}${more} needle ${'😀'.repeat(99)}`;
    expect(excerptOf(smiling, 'needle', 40)).toSatisfy((words: string) => words.isWellFormed());
  }
});
