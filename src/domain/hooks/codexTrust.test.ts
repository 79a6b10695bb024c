import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codexKeyOf, countListed, countRemembered, readCodexConfig, readHooksList } from './codexTrust.ts';

const file = '/home/dev/.codex/hooks.json';

test.each([
  ['SessionStart', 0, 0, `${file}:session_start:0:0`],
  ['PreToolUse', 2, 1, `${file}:pre_tool_use:2:1`],
  ['Stop', 0, 0, `${file}:stop:0:0`],
])('HKI-8 Codex remembers its trust in %s %i %i as %s', (event, group, index, expected) => {
  expect(codexKeyOf(file, event, group, index)).toBe(expected);
});

const recorded = `model_provider = "fake"
[tui]
x = true # [hooks.Stop]
[hooks.state]

[hooks.state."${file}:pre_tool_use:0:0"]
trusted_hash = "sha256:45001d955ea1576a22bd59566f1d0ffd177b9622e6187cfb9eeb41709e7539dc"

[hooks.state."${file}:stop:0:0"]
enabled = false
`;

test.each<[string, string, readonly string[], boolean]>([
  ['nothing', '', [], false],
  ['what Codex wrote itself', recorded, [`${file}:pre_tool_use:0:0`], false],
  ['Windows’ line ends', recorded.replaceAll('\n', '\r\n'), [`${file}:pre_tool_use:0:0`], false],
  [
    'escapes in a key',
    '[hooks.state."C:\\\\u\\u00e9\\"x\\".json:stop:0:0"]\ntrusted_hash="h"',
    ['C:\\ué"x".json:stop:0:0'],
    false,
  ],
  [
    'a key in single quotes',
    "[ hooks . state . 'C:\\u.json:stop:0:0' ] # why\n trusted_hash = 'h'",
    ['C:\\u.json:stop:0:0'],
    false,
  ],
  ['dots instead of tables', '[hooks.state]\n"a:stop:0:0".trusted_hash = "h"', ['a:stop:0:0'], false],
  [
    'a table on one line',
    '[hooks]\nstate."a:stop:0:0" = { enabled = true, trusted_hash = "h" }',
    ['a:stop:0:0'],
    false,
  ],
  ['an empty hash', '[hooks.state."a"]\ntrusted_hash = ""', [], false],
  ['a hash in another table', '[hooks.state."a"]\n[other]\ntrusted_hash = "h"', [], false],
  ['a table in a long text', 'x = """\n[hooks.Stop]\n\\"""\n"""\ny = \'\'\'\n[hooks.Stop]\'\'\'', [], false],
  ['a list that looks like a table', 'x = [\n  ["hooks"],\n  [hooks.Stop], # ]\n]\n[a]', [], false],
  ['hooks of its own', '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"', [], true],
  ['hooks of its own in a list', '[hooks]\nStop = [{ hooks = [] }]', [], true],
  ['hooks of its own on one line', 'hooks = { Stop = [] }', [], true],
  ['an empty table of hooks', '[hooks]\n[hooks.state]', [], false],
  ['broken lines', '[hooks.state."a\n]]]\n= 1\n"\n[hooks.state."b"]\ntrusted_hash = "h"', ['b'], false],
])('HKI-8 of config.toml is read: %s', (_, text, trusted, inline) => {
  expect(readCodexConfig(text)).toEqual({ trusted: new Set(trusted), inline });
});

test('HKI-8 whatever stands in config.toml, reading it ends, and in time that grows with it', () => {
  const scrap = fc.constantFrom(
    '[',
    ']',
    '"',
    "'",
    '"""',
    "'''",
    '\\',
    '\n',
    '=',
    '{',
    '#',
    '.',
    'hooks',
    'state',
    'a',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 60 }), (parts) => {
      expect(readCodexConfig(parts.join('')).trusted.size).toBeLessThan(60);
    }),
    { numRuns: 2_000 },
  );
  for (const part of ['[', '"', '"""', 'a.', 'a="', '\\', 'a=[\n', '[hooks.state."x"]\n']) {
    expect(readCodexConfig(part.repeat(300_000)).trusted.size).toBe(0);
  }
});

const listed = (command: string, trustStatus: string, more = {}) => ({
  ...{ key: 'k', eventName: 'stop', command, sourcePath: file, enabled: true, trustStatus },
  ...more,
});

test('HKI-8 Codex’s own answer tells what it trusts', () => {
  const hooks = [
    listed('a', 'trusted'),
    listed('b', 'modified'),
    listed('c', 'untrusted'),
    listed('d', 'trusted', { enabled: false }),
    listed('e', 'trusted', { sourcePath: '/other/hooks.json' }),
    listed('f', 'of a later version'),
    listed('g', 'modified'),
    listed('g', 'trusted'),
    null,
    { command: 5 },
  ];
  const list = readHooksList({ data: [{ cwd: '/p', hooks, warnings: [], errors: [] }, 5, { hooks: 'none' }] }) ?? [];
  expect(list[1]).toEqual({ file, key: 'k', command: 'b', trust: 'modified', enabled: true });
  expect(countListed(list, file, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'not there'])).toEqual({
    trusted: 2,
    untrusted: 5,
    changed: 1,
  });
});

test.each([undefined, null, 5, 'x', {}, { data: {} }, []])('HKI-8 an answer %j is not understood', (answer) => {
  expect(readHooksList(answer)).toBeUndefined();
});

test('HKI-8 without Codex’s answer, a remembered trust counts', () => {
  const config = readCodexConfig(recorded);
  const keys = [codexKeyOf(file, 'PreToolUse', 0, 0), codexKeyOf(file, 'PreToolUse', 1, 0)];
  expect(countRemembered(config, keys)).toEqual({ trusted: 1, untrusted: 1, changed: 0 });
});
