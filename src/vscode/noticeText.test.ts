import { beforeEach, expect, test, vi } from 'vitest';
import { clearEditor, editor } from './hooks/editor.testkit.ts';
import { hookPhrase } from './hooks/hookPhrases.ts';
import { hookWords, type HookWord } from './hooks/hookWords.ts';
import { withoutLinks } from './noticeText.ts';
import { Troubles } from './troubles.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

/** Whatever comes after it: a label and a place beside each other are what the editor looks for. */
const link = /\[[^\]]+\]\(/;

test.each([
  ['/p/[Update](command:x.run)/settings.json', '/p/[Update] (command:x.run)/settings.json'],
  ['[a](https://example.com) and [b](file:///x "c")', '[a] (https://example.com) and [b] (file:///x "c")'],
  ['[[a]](command:x)](command:y)', '[[a]] (command:x)] (command:y)'],
  ['/p/[id]/(group)/a(1)[2]', '/p/[id]/(group)/a(1)[2]'],
  ['', ''],
])('SEC %j holds no link for the editor', (text, plain) => {
  expect([withoutLinks(text), link.test(plain)]).toEqual([plain, false]);
});

test('SEC makes no link in a text about hooks of what is put into it, even where two values meet', () => {
  const hostile = '[Mend](command:x.run "y")(command:x.run)[z]';
  const told = Object.keys(hookWords).flatMap((key) => {
    const places = [...hookWords[key as HookWord].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, hostile]);
    const text = hookPhrase(key as HookWord, Object.fromEntries(places) as Record<string, string>);
    return link.test(text) || (places.length > 0 && !text.includes('[Mend] (command')) ? [key] : [];
  });
  expect(told).toEqual([]);
});

test('SEC makes no link in messages about a failure or a damaged store', () => {
  const none = () => undefined;
  const troubles = new Troubles({ debug: none, info: none, warn: none, error: none });
  troubles.failed(new Error('no [Mend](command:x.run)'));
  troubles.repaired('/s/[Mend](command:x.run) was damaged.');
  troubles.ofStore.onStoring({ ok: false, code: 'EIO', folder: '/s/[Mend](command:x.run)' });
  expect([editor.shown.length, editor.shown.filter((line) => link.test(line))]).toEqual([3, []]);
});
