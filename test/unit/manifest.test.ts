import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PORT } from '../../src/protocol/limits.ts';
import { findingWords, refusalWords, scopeWords, skipWords } from '../../src/domain/hooks/findings.ts';
import { readSettings, settingNames } from '../../src/protocol/settings.ts';
import { hookWords, topicWords } from '../../src/vscode/hooks/hookWords.ts';
import { commandIds, extensionId, viewIds, walkthroughId } from '../../src/vscode/ids.ts';
import { panelWords } from '../../src/vscode/panelWords.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, unknown>;

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription?: string;
}
interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
}
const manifest = json('package.json') as unknown as Manifest;
const { commands, menus, views, viewsContainers, walkthroughs, configuration } = manifest.contributes;

test('OPS-4 publisher and name are what other programs look for', () => {
  expect(`${manifest.publisher}.${manifest.name}`).toBe(extensionId);
});

test('COL-1 it starts when the editor has started, and where the agents run', () => {
  expect([manifest.activationEvents, manifest.extensionKind]).toEqual([['onStartupFinished'], ['workspace']]);
});

test('UI-1 commands, views and containers are those of ids.ts', () => {
  expect(commands.map(({ command }) => command).toSorted()).toEqual(Object.values(commandIds).toSorted());
  expect(new Set(commands.map(({ category }) => category))).toEqual(new Set(['Agent Mascot']));
  expect(
    Object.values(views)
      .flat()
      .map(({ id }) => id),
  ).toEqual([viewIds.panel, viewIds.sessions]);
  expect([viewsContainers.activitybar.map(({ id }) => id), Object.keys(views)]).toEqual([
    [viewIds.container],
    [viewIds.container],
  ]);
});

test('UI-6 what the walkthrough and the menus lead to is there, in both languages', () => {
  const known: readonly string[] = Object.values(commandIds);
  const named = Object.values(menus).flatMap((entries) => entries.map(({ command }) => command));
  const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  const texts = ['package.nls.json', 'package.nls.ko.json'].map(json);
  for (const { description, completionEvents } of steps) {
    named.push(...completionEvents.flatMap((event) => /^onCommand:(.+)$/.exec(event)?.[1] ?? []));
    for (const text of texts) {
      const sentence = String(text[description.slice(1, -1)]);
      named.push(...[...sentence.matchAll(/\(command:([\w.]+)\)/g)].map((match) => match[1] ?? ''));
    }
  }
  expect(walkthroughs.map(({ id }) => id)).toEqual([walkthroughId]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((command) => !known.includes(command))).toEqual([]);
  for (const { media } of steps) {
    expect(read(media.markdown)).toMatch(/^# /);
    expect(read(media.markdown.replace(/\.md$/, '.nls.ko.md')), media.markdown).toMatch(/^# .*[가-힣]/);
  }
});

describe('UI-6 settings', () => {
  test('UI-6 every one is known to the code, with the same default, a scope and a description', () => {
    const { settings, rejected } = readSettings({});
    expect(rejected).toEqual([]);
    const declared = Object.entries(configuration.properties);
    expect(declared.map(([name]) => name).toSorted()).toEqual(
      settingNames.map((name) => `agentMascot.${name}`).toSorted(),
    );
    for (const [name, setting] of declared) {
      expect(setting.default, name).toEqual(settings[name.slice('agentMascot.'.length) as keyof typeof settings]);
      expect([setting.type, setting.scope, setting.markdownDescription], name).toEqual([
        expect.any(String),
        expect.any(String),
        expect.stringMatching(/^%.+%$/),
      ]);
    }
  });

  test('SEC-4 what opens the collector is set by the person for the machine, never by a workspace', () => {
    for (const [name, { scope }] of Object.entries(configuration.properties)) {
      if (name.startsWith('agentMascot.collector.')) expect(scope, name).toBe('machine');
    }
  });

  test('UI-6 a value that can’t be used falls back alone and is named', () => {
    const { settings, rejected } = readSettings({ 'collector.port': 'x', 'panel.motion': 'off' });
    expect([settings['collector.port'], settings['panel.motion']]).toEqual([DEFAULT_PORT, 'off']);
    expect(rejected).toEqual([expect.stringContaining('agentMascot.collector.port')]);
  });
});

describe('UI-6 every text is there in English and Korean', () => {
  const used = [...read('package.json').matchAll(/"%([^"%]+)%"/g)].map((match) => match[1]).toSorted();

  test.each(['package.nls.json', 'package.nls.ko.json'])(
    'UI-6 %s has every key of package.json and no other',
    (file) => {
      expect(Object.keys(json(file)).toSorted()).toEqual([...new Set(used)]);
    },
  );

  const phrases = read('src/vscode/phrases.ts');
  const editorWords = [
    ...(/editorWords = \{([\s\S]*?)\} as const/.exec(phrases)?.[1] ?? '').matchAll(/:\s+'((?:[^'\\]|\\.)*)'/g),
  ].map((match) => match[1] ?? '');
  const sources = readdirSync(path.join(root, 'src/vscode'), { recursive: true, encoding: 'utf8' });
  const literals = sources
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...read(`src/vscode/${file}`).matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)].map((match) => match[1] ?? ''),
    );
  const topics = Object.values(topicWords).flatMap(({ title, lines }) => [title, ...lines]);
  const findings = [findingWords, scopeWords, refusalWords, skipWords].flatMap((words) => Object.values(words));
  const hooks = [...Object.values(hookWords), ...topics, ...findings];
  const english = [...editorWords, ...literals, ...Object.values(panelWords), ...hooks];

  test('UI-6 the Korean bundle translates every text of the editor’s side, of the panel and of what the doctor finds, and nothing else', () => {
    expect(editorWords.length).toBeGreaterThan(15);
    const korean = json('media/l10n/bundle.l10n.ko.json');
    expect(english.filter((text) => typeof korean[text] !== 'string')).toEqual([]);
    expect(Object.keys(korean).filter((text) => !english.includes(text))).toEqual([]);
  });

  test('UI-6 a translation has the same places as its text', () => {
    const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).toSorted();
    for (const [text, korean] of Object.entries(json('media/l10n/bundle.l10n.ko.json'))) {
      expect(places(String(korean)), text).toEqual(places(text));
    }
  });
});
