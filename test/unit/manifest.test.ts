import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PORT } from '../../src/protocol/limits.ts';
import { descriptors, hookScopes } from '../../src/protocol/providers.ts';
import { findingWords, refusalWords, skipWords } from '../../src/domain/hooks/findings.ts';
import { relayWords } from '../../src/domain/relay/relayWords.ts';
import { reportWords } from '../../src/domain/reportWords.ts';
import { readSettings, settingNames } from '../../src/protocol/settings.ts';
import { hookWords, topicWords } from '../../src/vscode/hooks/hookWords.ts';
import { actionCommands, commandIds, contextKeys, extensionId, viewIds, walkthroughId } from '../../src/vscode/ids.ts';
import { panelWords } from '../../src/vscode/panelWords.ts';
import { teamWords } from '../../src/vscode/postgres/teamWords.ts';
import { relayPhrases } from '../../src/vscode/relay/relayWords.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, unknown>;

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription?: string;
  readonly order: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly items?: unknown;
}
type Media =
  { readonly markdown: string } | { readonly image: Readonly<Record<string, string>>; readonly altText: string };
interface Command {
  readonly command: string;
  readonly title: string;
  readonly category: string;
  readonly icon?: string;
}
interface MenuEntry {
  readonly command: string;
  readonly when: string;
  readonly group?: string;
}
interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly name: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly title: string;
      readonly description: string;
      readonly steps: readonly {
        readonly title: string;
        readonly description: string;
        readonly media: Media;
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
}
const manifest = json('package.json') as unknown as Manifest;
const { commands, menus, views, viewsContainers, viewsWelcome, walkthroughs, configuration } = manifest.contributes;

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
  ).toEqual([viewIds.panel, viewIds.sessions, viewIds.workItems]);
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
  const commandsIn = (key: string) =>
    texts.map((text) =>
      [...String(text[key.slice(1, -1)]).matchAll(/\(command:([\w.]+)\)/g)].map((match) => match[1] ?? ''),
    );
  for (const { completionEvents } of steps) {
    named.push(...completionEvents.flatMap((event) => /^onCommand:(.+)$/.exec(event)?.[1] ?? []));
  }
  for (const key of [...steps.map(({ description }) => description), ...viewsWelcome.map(({ contents }) => contents)]) {
    const [english = [], korean] = commandsIn(key);
    expect(korean, key).toEqual(english);
    named.push(...english);
  }
  expect(walkthroughs.map(({ id }) => id)).toEqual([walkthroughId]);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((command) => !known.includes(command))).toEqual([]);
  for (const { media } of steps) {
    if ('image' in media) {
      expect(Object.keys(media.image)).toEqual(['dark', 'light', 'hc', 'hcLight']);
      expect(Object.values(media.image).filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
      expect(media.altText).toMatch(/^%.+%$/);
      continue;
    }
    expect(read(media.markdown)).toMatch(/^# /);
    expect(read(media.markdown.replace(/\.md$/, '.nls.ko.md')), media.markdown).toMatch(/^# .*[가-힣]/);
  }
  const used = steps.flatMap(({ media }) => ('image' in media ? [] : [media.markdown]));
  const there = readdirSync(path.join(root, 'media/walkthrough')).filter((file) => /^[^.]+\.md$/.test(file));
  expect(there.map((file) => `media/walkthrough/${file}`).toSorted()).toEqual(used.toSorted());
});

describe('UI-1 menus', () => {
  const inMenu = (name: string) => menus[name] ?? [];

  test('UI-1 a button without a word has an icon, and two that swap never show together', () => {
    const buttons = [...inMenu('view/title'), ...inMenu('view/item/context')].filter(({ group = '' }) =>
      /^(navigation|inline)/.test(group),
    );
    expect(buttons.length).toBeGreaterThan(4);
    const icons = new Map(commands.map(({ command, icon }) => [command, icon]));
    expect(buttons.filter(({ command }) => !/^\$\([\w-]+\)$/.test(icons.get(command) ?? ''))).toEqual([]);
    const swapping = [
      [commandIds.showAllAgents, commandIds.showThisWindowsAgents, 'agentMascot.filter'],
      [commandIds.turnDoNotDisturbOff, commandIds.turnDoNotDisturbOn, 'config.agentMascot.doNotDisturb'],
      [commandIds.showHiddenMascots, commandIds.hideHiddenMascots, contextKeys.showHidden],
    ] as const;
    for (const menu of ['view/title', 'commandPalette']) {
      for (const [one, other, key] of swapping) {
        const whens = [one, other].map((id) => inMenu(menu).find(({ command }) => command === id)?.when ?? '');
        expect(
          whens.map((when) => when.includes(key)),
          `${menu} ${one}`,
        ).toEqual([true, true]);
        expect(whens[0], `${menu} ${one}`).not.toBe(whens[1]);
      }
    }
  });

  test('UI-1 the title of a view offers a command once at a time', () => {
    const whens = Map.groupBy(inMenu('view/title'), ({ command }) => command);
    const twice = [...whens].filter(([, entries]) => entries.length > 1);
    expect(twice.map(([command]) => command)).toEqual([commandIds.installHooks]);
    for (const [command, entries] of twice) {
      const clauses = entries.map(({ when }) => when.replace(`view == ${viewIds.panel} && `, ''));
      expect(clauses, command).toEqual([`!${contextKeys.installed}`, contextKeys.installed]);
    }
  });

  test('UI-1 CNV-3 the buttons of a session’s line open its conversation, not the file that its agent writes', () => {
    const buttons = inMenu('view/item/context').filter(
      ({ when, group = '' }) => when.includes(viewIds.sessions) && group.startsWith('inline'),
    );
    expect(buttons.map(({ command }) => command)).toEqual([
      commandIds.focusTerminal,
      commandIds.openConversation,
      commandIds.searchHere,
      commandIds.openConversation,
    ]);
  });

  test('UI-3 every action of a card is in the menus of a mascot too, in the panel and in the tree', () => {
    const actions = Object.values(actionCommands).toSorted();
    for (const menu of ['webview/context', 'view/item/context']) {
      const offered: readonly string[] = inMenu(menu).map(({ command }) => command);
      expect(
        actions.filter((id) => !offered.includes(id)),
        menu,
      ).toEqual([]);
    }
  });

  test('UI-1 what a menu asks the editor for is set by somebody: a view, a webview, a key or a setting of ours', () => {
    const known = [
      ...Object.values(viewIds),
      ...Object.values(contextKeys),
      ...Object.keys(configuration.properties),
    ] as readonly string[];
    const asked = Object.values(menus)
      .flat()
      .flatMap(({ when }) => [...when.matchAll(/agentMascot\.[\w.]+/g)].map(([name]) => name));
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test('GRD-2 what edits are held to is a project’s own to say, and nothing that the person does not trust says it', () => {
  const tracking = settingNames.filter((name) => name.startsWith('tracking.')).map((name) => `agentMascot.${name}`);
  expect(tracking.length).toBeGreaterThan(1);
  expect(tracking.filter((name) => configuration.properties[name]?.scope !== 'resource')).toEqual([]);
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(tracking);
});

describe('UI-6 settings', () => {
  test('UI-6 every one is known to the code, with the same default, a scope and a description', () => {
    const { settings, rejected } = readSettings({});
    expect(rejected).toEqual([]);
    const declared = Object.entries(configuration.properties);
    expect(new Set(declared.map(([, { order }]) => order)).size).toBe(declared.length);
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

  test('UI-6 the manifest lets through what the code can use, and nothing else', () => {
    const accepts = (name: string, value: unknown) => {
      const { rejected, capped } = readSettings({ [name]: value });
      return [...rejected, ...capped].length === 0;
    };
    for (const [id, setting] of Object.entries(configuration.properties)) {
      const { type, minimum, maximum, maxLength, enum: words, enumDescriptions, items } = setting;
      const name = id.slice('agentMascot.'.length);
      const long = 'x'.repeat(maxLength ?? 0);
      const good = words ??
        { boolean: [true, false], array: [[]], object: [{}], string: ['', long] }[type] ?? [minimum, maximum];
      const bad = words
        ? ['other']
        : ({ boolean: ['true'], array: ['x'], object: ['x'], string: [`${long}x`, 1] }[type] ?? [
            minimum! - 1,
            maximum! + 1,
            'x',
          ]);
      expect([good.filter((value) => !accepts(name, value)), bad.filter((value) => accepts(name, value))], id).toEqual([
        [],
        [],
      ]);
      if (words) expect(enumDescriptions?.length, id).toBe(words.length);
      if (type === 'integer') expect(accepts(name, minimum! + 0.5), id).toBe(false);
      if (type === 'array') expect(items, id).toBeDefined();
    }
  });

  test('UI-5 notices are each window’s, not being disturbed is the person’s own', () => {
    for (const [name, { scope }] of Object.entries(configuration.properties)) {
      if (name.startsWith('agentMascot.notices.')) expect(scope, name).toBe('window');
    }
    expect(configuration.properties['agentMascot.doNotDisturb']?.scope).toBe('application');
  });

  test('SEC-4 what opens the collector is set by the person for the machine, never by a workspace', () => {
    for (const [name, { scope }] of Object.entries(configuration.properties)) {
      if (name.startsWith('agentMascot.collector.')) expect(scope, name).toBe('machine');
    }
  });

  test('RLY-3 where it goes and what of it is the person’s to say on each machine, never a workspace’s', () => {
    const relay = Object.entries(configuration.properties).filter(([name]) => name.startsWith('agentMascot.relay.'));
    expect(relay.length).toBeGreaterThan(8);
    expect(relay.filter(([, { scope }]) => scope !== 'machine')).toEqual([]);
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
  const literals = ['../extension.ts', ...sources]
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...read(`src/vscode/${file}`).matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)].map((match) => match[1] ?? ''),
    );
  const topics = Object.values(topicWords).flatMap(({ title, lines }) => [title, ...lines]);
  const findings = [findingWords, refusalWords, skipWords, reportWords, relayWords, relayPhrases, teamWords].flatMap(
    (words) => Object.values(words),
  );
  // Names of products are the same in every language.
  const scopes = Object.values(hookScopes).flatMap(({ name, provider }) =>
    name === descriptors[provider].name ? [] : [name],
  );
  const hooks = [...Object.values(hookWords), ...scopes, ...topics, ...findings];
  const english = [...editorWords, ...literals, ...Object.values(panelWords), ...hooks];

  test('UI-6 the Korean bundle translates every text of the editor’s side, of the panel and of what the doctor finds, and nothing else', () => {
    expect(editorWords.length).toBeGreaterThan(15);
    const korean = json('media/l10n/bundle.l10n.ko.json');
    expect(english.filter((text) => typeof korean[text] !== 'string')).toEqual([]);
    expect(Object.keys(korean).filter((text) => !english.includes(text))).toEqual([]);
  });

  test('UI-6 whatever the manifest says to people is a key, and every translation is one', () => {
    const said = [
      ...commands.map(({ title }) => title),
      ...Object.values(views).flatMap((list) => list.map(({ name }) => name)),
      ...viewsWelcome.map(({ contents }) => contents),
      ...walkthroughs.flatMap(({ title, description, steps }) => [
        title,
        description,
        ...steps.flatMap((step) => [step.title, step.description, 'image' in step.media ? step.media.altText : '%-%']),
      ]),
      ...Object.values(configuration.properties).flatMap((setting) => [
        setting.markdownDescription ?? '',
        ...(setting.enumDescriptions ?? []),
      ]),
    ];
    expect(said.filter((text) => !/^%[^%]+%$/.test(text))).toEqual([]);
    const [english, korean] = ['package.nls.json', 'package.nls.ko.json'].map(json);
    const same = Object.keys(english ?? {}).filter((key) => english?.[key] === korean?.[key]);
    expect(same.toSorted()).toEqual(['extension.displayName', 'view.container']);
  });

  test.each(['package.nls.json', 'package.nls.ko.json'])(
    'UI-6 %s has in the steps of the walkthrough only what the editor draws there: it knows no underscores',
    (file) => {
      const steps = Object.entries(json(file)).filter(([key]) => /^walkthrough\..+\.description$/.test(key));
      expect(steps.length).toBeGreaterThan(3);
      expect(steps.filter(([, text]) => /(?<!\p{L})_[^_]+_/u.test(String(text)))).toEqual([]);
    },
  );

  test('UI-6 nothing is shown by the editor that did not come through a translation', () => {
    // A text in quotes where the editor shows one; the words themselves are in files of their own.
    const shows =
      /\b(?:(?:show(?:Information|Warning|Error)Message|setStatusBarMessage|appendText)\(|(?:title|prompt|placeHolder|tooltip|description|detail|label|text|name):|\.(?:title|text|tooltip|description|label|placeholder) =)\s*(['"`])(.*?)\1/g;
    const hasWords = (text: string) =>
      /\p{L}{2}/u.test(text.replace(/\$\{[^}]*(?:\}|$)|\$\([\w-]+\)|^\w+\.(?=\$)/g, ''));
    const found = sources
      .filter((file) => /\.ts$/.test(file) && !/(\.test|\.testkit|[wW]ords)\.ts$/.test(file))
      .flatMap((file) =>
        [...read(`src/vscode/${file}`).matchAll(shows)].map(([text, , shown = '']) => ({ file, text, shown })),
      )
      .filter(({ shown }) => hasWords(shown));
    expect(found).toEqual([]);
  });

  test('UI-6 a translation has the same places as its text', () => {
    const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).toSorted();
    for (const [text, korean] of Object.entries(json('media/l10n/bundle.l10n.ko.json'))) {
      expect(places(String(korean)), text).toEqual(places(text));
    }
  });
});
