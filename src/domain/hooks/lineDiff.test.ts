import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './lineDiff.ts';

function body(before: string | undefined, after: string | undefined): readonly string[] {
  return unifiedDiff(before, after, 'settings.json').split('\n').slice(2, -1);
}

const tens = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);

test.each<[string, string | undefined, string | undefined, readonly string[]]>([
  ['a line added', 'a\nb\n', 'a\nx\nb\n', ['@@ -1,2 +1,3 @@', ' a', '+x', ' b']],
  ['a line taken out', 'a\nx\nb\n', 'a\nb\n', ['@@ -1,3 +1,2 @@', ' a', '-x', ' b']],
  ['a line changed', 'a\n', 'b\n', ['@@ -1 +1 @@', '-a', '+b']],
  ['a new file', undefined, '{}\n', ['@@ -0,0 +1 @@', '+{}']],
  ['a file that goes', '{}\n', undefined, ['@@ -1 +0,0 @@', '-{}']],
  ['an empty file', '', 'a', ['@@ -0,0 +1 @@', '+a', '\\ No newline at end of file']],
  ['an end that comes', 'a', 'a\n', ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a']],
  ['ends that change', 'a\nb\r\n', 'a\r\nb\r\n', ['@@ -1,2 +1,2 @@', '-a\\n', '+a\\r\\n', ' b\\r\\n']],
  ['ends that are all alike', 'a\r\n', 'a\r\nb\r\n', ['@@ -1 +1,2 @@', ' a', '+b']],
  [
    'control characters',
    'a\tb\n',
    '\x1b[31m\x9b\u202e\ufeff\ud800🙂\n',
    ['@@ -1 +1 @@', '-a\tb', '+\\u001b[31m\\u009b\\u202e\\ufeff\\ud800🙂'],
  ],
  [
    'two places far apart',
    tens.join(''),
    tens.toSpliced(25, 1).toSpliced(4, 0, 'new\n').join(''),
    [
      ...['@@ -2,6 +2,7 @@', ' line 2', ' line 3', ' line 4', '+new', ' line 5', ' line 6', ' line 7'],
      ...['@@ -23,7 +24,6 @@', ' line 23', ' line 24', ' line 25', '-line 26', ' line 27', ' line 28', ' line 29'],
    ],
  ],
  [
    'two places whose lines around them meet',
    tens.slice(0, 9).join(''),
    tens.slice(0, 9).toSpliced(8, 0, 'y\n').toSpliced(2, 0, 'x\n').join(''),
    [
      ...[
        '@@ -1,9 +1,11 @@',
        ' line 1',
        ' line 2',
        '+x',
        ' line 3',
        ' line 4',
        ' line 5',
        ' line 6',
        ' line 7',
        ' line 8',
      ],
      ...['+y', ' line 9'],
    ],
  ],
])('HKI-1 the difference shows %s', (_, before, after, expected) => {
  expect(body(before, after)).toEqual(expected);
});

test('HKI-1 the difference names the file and is empty where nothing changes', () => {
  expect(unifiedDiff(undefined, 'a\n', 'a\x1b.json')).toBe('--- /dev/null\n+++ a\\u001b.json\n@@ -0,0 +1 @@\n+a\n');
  expect(unifiedDiff('a', undefined, 'b')).toBe(
    '--- b\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n',
  );
  expect([unifiedDiff('a', 'a', 'b'), unifiedDiff(undefined, undefined, 'b')]).toEqual(['', '']);
});

/** As `patch` would. */
function patched(before: string, difference: string): string {
  const lines = before.match(/.*\n|.+$/g) ?? [];
  const out: string[] = [];
  let taken = 0;
  let last = '';
  for (const line of difference.split('\n').slice(2, -1)) {
    const start = /^@@ -(\d+)(,0)?/.exec(line);
    if (start) {
      const until = Number(start[1]) - (start[2] ? 0 : 1);
      out.push(...lines.slice(taken, until));
      taken = until;
    } else if (line.startsWith('\\')) {
      if (last !== '-') out.push(out.pop()?.slice(0, -1) ?? '');
    } else {
      if (!line.startsWith('-')) out.push(`${line.slice(1)}\n`);
      if (!line.startsWith('+')) taken++;
    }
    if (!line.startsWith('\\')) last = line[0] ?? '';
  }
  return [...out, ...lines.slice(taken)].join('');
}

test('HKI-1 applied to the old text, the difference gives the new one', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 25 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before, after, 'x'))).toBe(after);
    }),
    { numRuns: 3_000 },
  );
});

test('HKI-1 a difference of tens of thousands of lines is still right', () => {
  const many = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}\n`).join('');
  expect(patched(many('a'), unifiedDiff(many('a'), many('b'), 'x'))).toBe(many('b'));
  const touched = many('a').replace('a7\n', 'new\n').replace('a19000\n', '');
  expect(
    unifiedDiff(many('a'), touched, 'x')
      .split('\n')
      .filter((line) => /^[-+][^-+]/.test(line)),
  ).toEqual(['-a7', '+new', '-a19000']);
  const scattered = many('a').replace(/a(\d*)99\n/g, 'b$1\n');
  const shown = unifiedDiff(many('a'), scattered, 'x').match(/^[-+][ab]/gm) ?? [];
  expect(shown).toHaveLength(2 * 200);
});
