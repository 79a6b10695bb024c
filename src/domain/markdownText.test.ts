import { expect, test } from 'vitest';
import { codeMarkdown, headingMarkdown, plainMarkdown, quotedCode, quotedMarkdown } from './markdownText.ts';

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

test.each([
  ['Fix it (now), e.g. a.ts!', 'Fix it (now), e.g. a.ts!'],
  ['snake_case and _this_', 'snake_case and \\_this\\_'],
  [
    '[x](command:y) <b> `c` &lt; ![p](q) ~~z~~ $a$ #',
    '\\[x\\](command\\:y) \\<b\\> \\`c\\` \\&lt; !\\[p\\](q) \\~\\~z\\~\\~ \\$a\\$ \\#',
  ],
  ['see https://a.b\n# two', 'see https\\://a.b \\# two'],
])('CNV-3 SEC-5 %j in a heading', (text, markdown) => expect(headingMarkdown(text)).toBe(markdown));

test('CNV-3 SEC-5 what a tool answered stays in a fence of ours', () => {
  expect(quotedCode('a\n````\n\n# b')).toBe('> `````\n> a\n> ````\n>\n> # b\n> `````');
});

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

const broken = [
  ['plain', '[x](command:foo) and <command:foo>', '> [x](command :foo) and < command :foo>'],
  ['in capitals', '[x](COMMAND:foo)', '> [x](COMMAND :foo)'],
  ['an attribute', '<a href="command:x"><img src=\'command:y\'>', '> < a href="command :x">< img src=\'command :y\'>'],
  ['an entity', '[x](&#99;ommand:foo) &colon; &#x63;', '> [x](& #99;ommand:foo) & colon; & #x63;'],
  ['a backslash', '[x](command\\:foo)', '> [x](command\\ :foo)'],
  ['over nested quotations', '> [x](\n> command:foo)', '> > [x](\n> > command :foo)'],
  ['a heading of ours', '</blockquote><h2>You</h2><!-- <?x', '> < /blockquote>< h2>You< /h2>< !-- < ?x'],
  ['a picture from elsewhere', '![](https://evil.example/x.png)', '> ! [](https://evil.example/x.png)'],
  ['after a backslash', '\\<b> \\&#99; \\![x]', '> \\< b> \\& #99; \\! [x]'],
] as const;
test.each(broken)('SEC-5 UI-3 no more than words in what was said: %s', (_name, text, markdown) =>
  expect(quotedMarkdown(text)).toBe(markdown),
);

test('SEC-5 UI-3 what was said stays as it is where it is harmless, code whole and in a fence of ours', () => {
  expect(quotedMarkdown('a < b && c <= 1 & d! [e](https://f/?g&h)')).toBe('> a < b && c <= 1 & d! [e](https://f/?g&h)');
  expect(quotedMarkdown('See:\n```ts\nlet a: A<B>;\n\ncommand: x\n```\nDone.')).toBe(
    '> See:\n\n> ```\n> let a: A<B>;\n>\n> command: x\n> ```\n\n> Done.',
  );
});

test.each([
  ['longer runs in it', '```\n````\n<b>', '> ```\n> ```\n\n> < b>'],
  ['never closed', '~~~\n```\n<b>', '> ````\n> ```\n> <b>\n> ````'],
  ['ended by a shorter run', '~~~~\n~~~\n````\n<b>', '> `````\n> ~~~\n> ````\n> <b>\n> `````'],
  ['in a list, where it may be none', '- ```\n<b>\n    ```\n<i>', '> - ```\n> < b>\n>     ```\n> < i>'],
  ['with ticks beside it, which is none', '``` `\n<b>', '> ``` `\n> < b>'],
  ['empty', '```\n```', '> ```\n> ```'],
])('SEC-5 UI-3 no code gets out of its fence: %s', (_name, text, markdown) =>
  expect(quotedMarkdown(text)).toBe(markdown),
);
