import fc from 'fast-check';

/** JSON as people and programs leave it: any white space between tokens, repeated keys, one line or many, a BOM or none. */
interface Style {
  readonly blank: fc.Arbitrary<string>;
}

const events = ['Stop', 'PreToolUse', 'SessionStart', 'sessionStart', 'Foreign', '__proto__'] as const;

function textOf(style: Style, depth: number): fc.Arbitrary<string> {
  const leaf = fc.oneof(
    fc.constantFrom('null', 'true', '1', '-0.5e+3', '""', '"\\u00e9\\n\\"\\/"', '"a, b]} // no comment"'),
    fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text)),
  );
  if (depth === 0) return leaf;
  const inner = textOf(style, depth - 1);
  const key = fc.constantFrom('"a"', '"b"', '"a"', '"hooks"', '"matcher"', '"type"', '"command"');
  return fc.oneof(leaf, list(style, inner), object(style, key, inner));
}

function list(style: Style, item: fc.Arbitrary<string>, maxLength = 3): fc.Arbitrary<string> {
  const padded = fc.tuple(style.blank, item, style.blank).map((parts) => parts.join(''));
  return fc
    .tuple(fc.array(padded, { maxLength }), style.blank)
    .map(([items, blank]) => `[${items.length > 0 ? items.join(',') : blank}]`);
}

function object(style: Style, key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return objectOf(style, fc.array(property(style, key, value), { maxLength: 3 }));
}

function property(style: Style, key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { blank } = style;
  return fc.tuple(blank, key, blank, blank, value, blank).map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`);
}

function objectOf({ blank }: Style, properties: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  return fc.tuple(properties, blank).map(([all, space]) => `{${all.length > 0 ? all.join(',') : space}}`);
}

function hooksText(style: Style): fc.Arbitrary<string> {
  const hook = fc.constantFrom(
    '{"type":"command","command":"echo hi"}',
    '{ "type": "command",\n  "command": "other" }',
    '{"bash":"x"}',
    'null',
    '[]',
  );
  const hooks = property(style, fc.constantFrom('"hooks"', '"h\\u006foks"'), list(style, hook));
  const matcher = property(style, fc.constant('"matcher"'), fc.constantFrom('"Bash"', '""', 'null'));
  const group = fc.oneof(objectOf(style, fc.array(fc.oneof(hooks, matcher), { maxLength: 3 })), hook);
  const event = fc.constantFrom(...events).map((name) => JSON.stringify(name));
  return objectOf(style, fc.array(property(style, event, list(style, group)), { maxLength: 4 }));
}

function rootText(style: Style): fc.Arbitrary<string> {
  const other = property(style, fc.constantFrom('"a"', '"permissions"', '"version"', '"a"'), textOf(style, 2));
  const hooks = property(style, fc.constantFrom('"hooks"', '"hooks"', '"hoo\\u006bs"'), hooksText(style));
  const all = fc.oneof(
    fc.array(other, { maxLength: 3 }),
    fc.array(fc.oneof(other, hooks), { maxLength: 4 }),
    fc.constant([]),
    fc.constant(['"version":1']),
  );
  const around = fc.tuple(fc.constantFrom('', '', '\uFEFF'), style.blank, objectOf(style, all), style.blank);
  return around.map((parts) => parts.join(''));
}

const blanks: readonly fc.Arbitrary<string>[] = [
  fc.constant(''),
  fc.constantFrom('', ' '),
  fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\r\n'), maxLength: 4 }),
  fc.constantFrom('\n', '\n  ', '\n    '),
  fc.constantFrom('\r\n', '\r\n\t', ' \r\n', '\t\r\n'),
  fc.constantFrom('', ' ', '  ', '\t', ' \t', '\t '),
];

function formatted(): fc.Arbitrary<string> {
  const indent = fc.constantFrom<string | number>(0, 2, 4, '\t');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const plain = rootText({ blank: fc.constant('') });
  return fc.tuple(plain, indent, end, fc.constantFrom('', '\n')).map(([text, width, eol, last]) => {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return (JSON.stringify(value, null, width) + last).replaceAll('\n', eol);
  });
}

/** Valid, in a form that takes hooks, and with none of ours in it. */
export const settingsText: fc.Arbitrary<string> = fc.oneof(
  ...blanks.map((blank) => rootText({ blank })),
  formatted(),
  fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 }),
  fc.constantFrom('', '{}', '{ }', '{\n}', '{}\n', '\uFEFF', '\uFEFF{}', '{"hooks":{}}', '{"hooks":{"Stop":[]}}\n'),
);

/** Undefined: no file. */
export const anySettings: fc.Arbitrary<string | undefined> = fc.option(settingsText, { nil: undefined, freq: 40 });

const scraps = [
  '',
  ',',
  '"',
  '{',
  '}',
  '[',
  ']',
  ':',
  '//',
  '/* */',
  '01',
  '.5',
  '\0',
  '\u00a0',
  '\ud800',
  '\ufeff',
  "'",
  '\\',
  '\t',
];

/** Valid texts with something put in, taken out or cut off: most are broken. */
export const brokenSettings: fc.Arbitrary<string> = fc
  .tuple(settingsText, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...scraps), fc.boolean())
  .map(([text, at, count, scrap, cut]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + scrap + (cut ? '' : text.slice(place + count));
  });
