import { expect, test } from 'vitest';
import { codeMarkdown, plainMarkdown } from './markdownText.ts';

const plain = [
  ['Juno', 'Juno'],
  ['npm test', 'npm test'],
  ['[x](http://a.b) <b>*y*</b>', '\\[x\\]\\(http\\:\\/\\/a\\.b\\) \\<b\\>\\*y\\*\\<\\/b\\>'],
  ['# one\n\n- two', '\\# one \\- two'],
  ['a\u202egnp.exe\u200b', 'agnp\\.exe'],
  ['1. &lt; \\', '1\\. \\&lt\\; \\\\'],
  ['x'.repeat(5_000), `${'x'.repeat(299)}…`],
] as const;
test.each(plain)('SEC-5 %j as words', (text, markdown) => expect(plainMarkdown(text)).toBe(markdown));

const code = [
  ['', ''],
  [' \n', ''],
  ['npm test', '`npm test`'],
  ['echo `id` ``x``', '``` echo `id` ``x`` ```'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['one\n\n# two', '`one # two`'],
] as const;
test.each(code)('SEC-5 %j as code', (text, markdown) => expect(codeMarkdown(text)).toBe(markdown));
