import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Tests, and the cases that tests are made of. This file has examples of rules that do not exist. */
const tests = globSync(['{src,test,webview,forwarder}/**/*.{test,testkit}.ts', 'test/agent-kit/cases.ts'], {
  cwd: root,
  exclude: ['test/unit/spec.test.ts'],
});
const pages = globSync('docs/spec/*.md', { cwd: root });

/** A title, also one in a table, begins with its rules (`STA-4 STA-7 …`, `SEC-1, who may come in`) or is a rule alone. */
const titleStart = /['"`]((?:[A-Z]{2,4}-\d+(?:, ?| ))+)|\(\s*['"`]([A-Z]{2,4}-\d+)(?=['"`])/g;
const heading = /^### ([A-Z]{2,4}-\d+) \S/gm;

function rulesIn(source: string): readonly string[] {
  return [...source.matchAll(titleStart)].flatMap(([start]) => start.match(/[A-Z]+-\d+/g) ?? []);
}

/** Rule → the first file with a title that begins with it. */
function citedRules(): ReadonlyMap<string, string> {
  const cited = new Map<string, string>();
  for (const file of tests.toSorted())
    for (const rule of rulesIn(read(file))) if (!cited.has(rule)) cited.set(rule, file);
  return cited;
}

/** The rules that have a heading, as often as they have one. */
function describedRules(): readonly string[] {
  return pages.flatMap((page) => [...read(page).matchAll(heading)].map(([, rule = '']) => rule));
}

const cited = citedRules();
const described = describedRules();

test('finds the rules of titles in every form, and in no other text', () => {
  const titles = "test('AB-1 x'); test.each([['CD-2 EF-3 x']])(`GH-4 x`); describe(\n  'IJ-5, x'); describe('KL-6')";
  expect(rulesIn(titles)).toEqual(['AB-1', 'CD-2', 'EF-3', 'GH-4', 'IJ-5', 'KL-6']);
  expect(rulesIn("['MN-7', 'OP-8.0', 'see QR-9 there']")).toEqual([]);
  expect(cited.size).toBeGreaterThan(100);
});

test('every rule that a test title names is described in docs/spec', () => {
  const missing = [...cited].filter(([rule]) => !described.includes(rule));
  expect(
    missing.map(([rule, file]) => `${rule}, named by ${file}`),
    'Write what the rule says under a heading "### <rule> <title>" on its page of docs/spec, or name another rule in the title.',
  ).toEqual([]);
});

test('every rule that docs/spec describes is named by a test title', () => {
  expect(
    described.filter((rule) => !cited.has(rule)),
    'Begin the title of the test that proves the rule with its number, or remove the rule from docs/spec.',
  ).toEqual([]);
});

test('no rule is described twice, and each page is in the contents', () => {
  expect(
    described.filter((rule, index) => described.indexOf(rule) !== index),
    'Keep one heading for each rule in docs/spec; put the sentences together there.',
  ).toEqual([]);
  const contents = read('docs/spec/README.md');
  expect(
    pages.map((page) => path.basename(page)).filter((page) => page !== 'README.md' && !contents.includes(`(${page})`)),
    'Add a row for the page to the table in docs/spec/README.md.',
  ).toEqual([]);
});
