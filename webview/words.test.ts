import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { correctors, moods, phases, sessionStates, surfaces, taskStatuses } from '../src/protocol/state.ts';
import { storyKinds, storyNews } from '../src/protocol/story.ts';
import { mascotActions } from '../src/protocol/view.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { say, sentence, type WordKey } from './words.ts';

const root = path.join(import.meta.dirname, '..');
const english: Readonly<Record<WordKey, string>> = panelWords;
const korean = JSON.parse(readFileSync(path.join(root, 'media/l10n/bundle.l10n.ko.json'), 'utf8')) as Record<
  string,
  string
>;

function placesOf(text: string): readonly string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
}

/** Every word in quotes that looks like a key of ours, in all of the panel's code. */
function keysUsed(): ReadonlySet<string> {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'words.ts');
  const namespaces = new Set(Object.keys(english).map((key) => key.split('.')[0]));
  const used = new Set<string>();
  for (const file of sources) {
    const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
    for (const [, key, namespace] of text.matchAll(/'((\w+)\.\w+)'/g)) {
      if (key !== undefined && namespaces.has(namespace)) used.add(key);
    }
  }
  return used;
}

/** These have sentences with places. */
const worded: ReadonlySet<string> = new Set(['prompt', 'tool', 'tool_failed', 'waits', 'task', 'message']);

test('UI-6 every key that the panel uses has its English', () => {
  const families = [
    ...moods.map((mood) => `mood.${mood}`),
    ...phases.map((phase) => `phase.${phase}`),
    ...sessionStates.map((state) => `life.${state}`),
    ...['hook', 'transcript', 'inferred', ...correctors]
      .filter((source) => source !== 'silence')
      .map((source) => `source.${source}`),
    ...surfaces.filter((surface) => surface !== 'unknown').map((surface) => `surface.${surface}`),
    ...taskStatuses.map((status) => `task.${status}`),
    ...storyKinds.filter((kind) => !worded.has(kind)).map((kind) => `story.${kind}`),
    ...storyNews.map((news) => `news.${news}`),
    // One button with two states.
    ...mascotActions.filter((action) => action !== 'unpin').map((action) => `act.${action}`),
  ];
  const used = new Set([...keysUsed(), ...families]);
  expect([...used].filter((key) => !Object.hasOwn(english, key))).toEqual([]);
  expect(Object.keys(english).filter((key) => !used.has(key))).toEqual([]);
});

test('UI-6 every text has a Korean one with the same places', () => {
  for (const text of Object.values(english)) {
    expect(korean[text], text).toBeDefined();
    expect(placesOf(korean[text] ?? ''), text).toEqual(placesOf(text));
  }
});

const sentences = [
  ['Editing {target}', { target: 'a.ts' }, 'Editing a.ts'],
  ['{target} 편집 중', { target: 'a.ts' }, 'a.ts 편집 중'],
  ['{n} of {n}', { n: 3 }, '3 of 3'],
  ['{unknown} stays', { n: 3 }, '{unknown} stays'],
  ['{target}', { target: '{n} $& <b>' }, '{n} $& <b>'],
  ['plain', {}, 'plain'],
  ['{constructor}', {}, '{constructor}'],
] as const;
for (const [template, places, expected] of sentences) {
  test(`UI-6 "${template}" is filled`, () => {
    expect(say({ 'activity.writing': template }, 'activity.writing', places)).toBe(expected);
  });
}

test('UI-6 a missing text shows its key', () => {
  expect(say({}, 'empty.title')).toBe('empty.title');
});

test('UI-6 a sentence in pieces tells the filled place from the words around it', () => {
  expect(sentence({ 'activity.writing': '{target} 편집 중' }, 'activity.writing', { target: 'a.ts' })).toEqual([
    { text: 'a.ts', place: 'target' },
    { text: ' 편집 중' },
  ]);
});
