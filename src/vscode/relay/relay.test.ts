import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import type { SecretName, Secrets } from '../../app/outletPorts.ts';
import type { RelayKit, RelaySettings, Tested } from '../../app/relay/relayPorts.ts';
import { englishRelayWord } from '../../domain/relay/relayWords.ts';
import { readSettings } from '../../protocol/settings.ts';
import { clearEditor, editor, FakeUri, followLink, goBack, settled } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { forgetSecrets, relayCommands } from './relayCommands.ts';
import { previewText } from './relayPreview.ts';
import { relayRules } from './relayRules.ts';
import { createRelayTroubles } from './relayTroubles.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

const kept = new Map<SecretName, string>();
let tested: Tested;
beforeEach(() => {
  clearEditor();
  kept.clear();
  asked.length = 0;
  tested = { kind: 'done' };
});

function settingsOf(raw: Readonly<Record<string, unknown>> = {}) {
  const { settings } = readSettings(raw);
  return relayRules({ current: () => settings, onChange: () => ({ dispose: () => undefined }) });
}

const secrets: Secrets = {
  get: (name) => Promise.resolve(kept.get(name)),
  set: (name, value) => Promise.resolve(void kept.set(name, value)),
  delete: (name) => Promise.resolve(void kept.delete(name)),
  onChange: () => ({ dispose: () => undefined }),
};

function kitWith(rules = settingsOf()): RelayKit {
  return {
    ...{ rules, secrets, word: englishRelayWord },
    channelOf: (project) => (project.includes('harbour') ? '4711' : undefined),
    sendTest: (project) => {
      asked.push(`test ${project}`);
      return Promise.resolve(tested);
    },
  };
}

/** What the preview was asked for, and for which project a test went. */
const asked: string[] = [];

function commands(kit = kitWith(), holder = 'Test Code') {
  const owner = { instance: 'i', generation: 1, app: holder, version: '1', startedAt: '' };
  const source = {
    snapshot: () => ({ ...aSnapshot([aSession({ id: 'abc' })], []), owner }),
    status: () => 'live' as const,
    onChange: () => ({ dispose: () => undefined }),
  };
  const tracking = (folder: string) =>
    Promise.resolve({
      mode: 'off' as const,
      autoCreate: false,
      gaps: 0,
      project: folder.replace('/packages/cart', ''),
    });
  const preview = {
    show: (id: string) =>
      Promise.resolve(void asked.push(`preview ${id}, kept: ${kept.size}, set: ${editor.settings.size}`)),
  };
  return relayCommands({ kit, source, collector: { tracking: tracking as never }, preview });
}

const token = ['MTIzNDU2Nzg5MDEyMzQ1Njc4', 'GabcDE', 'a-token-as-a-bot-has-one_of-its-own'].join('.');
const channel = '123456789012345678';

test('RLY-1 setting up asks step by step, keeps the token as a secret after the last yes, and offers a test', async () => {
  editor.folders.push({ name: 'cart', uri: new FakeUri('file', '/work/shop/packages/cart') });
  editor.answers.push('Discord, by a bot', token, '/work/shop', channel, 'Turn On', 'Send Test Message');
  await commands()[commandIds.setUpChatRelay]();
  expect([...kept]).toEqual([['relay.discordToken', token]]);
  expect([...editor.settings]).toEqual([
    ['agentMascot.relay.channels', { '/work/shop': channel }],
    ['agentMascot.relay.target', 'discord'],
  ]);
  // A channel is found by the project, which the folder is only a part of.
  expect(asked).toEqual(['test /work/shop']);
  expect(JSON.stringify(editor.shown)).not.toContain(token);
  const question = editor.shown.find((line) => line.includes('Turn the chat relay on?'));
  expect(question).toContain(
    `To: Discord, by a bot · ${channel}\nOf: /work/shop\nWhat: start of the session, reply, permission`,
  );
  expect(editor.shown.at(-1)).toBe('info: The test message arrived.');
});

test('RLY-1 setting up tells where a token and an ID are found, and what is none', async () => {
  const clientSecret = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF';
  const link = `https://discord.com/channels/876543210987654321/${channel}`;
  editor.answers.push('Discord, by a bot', followLink, clientSecret, `Bot ${token}`, token);
  editor.answers.push('Those of all projects', followLink, '#general', '12345', link, 'Turn On', '-');
  await commands()[commandIds.setUpChatRelay]();
  expect(editor.shown.map((line) => line.replace('input: Set Up Chat Relay [] ', '').slice(0, 60))).toEqual([
    'pick: Set Up Chat Relay',
    'The bot’s token. It is made in Discord’s Developer Portal: y',
    'page: discord.com/developers/applications',
    ...[
      'wrong: This is no bot’s token: that has three parts with dot',
      'wrong: This is no bot’s token: that has three parts with dot',
    ],
    'pick: Set Up Chat Relay',
    'The channel’s ID or link. In Discord, turn on Developer Mode',
    'page: support.discord.com/hc/articles/206346498',
    ...[
      'wrong: This is no ID of a channel: that is a number of 17 to',
      'wrong: This is no ID of a channel: that is a number of 17 to',
    ],
    expect.stringMatching(/^warning: Turn the chat relay on\?/),
    expect.stringMatching(/^info: The chat relay is on/),
  ]);
  expect(editor.settings.get('agentMascot.relay.channels')).toEqual({ '*': channel });
});

test('RLY-1 one can go back at each step, and finds what was answered there', async () => {
  kept.set('relay.webhookSecret', 'of before');
  const [wrong, url] = ['https://example.com/wrong', 'https://example.com/hook'];
  editor.answers.push('Discord, by a bot', goBack, 'Any webhook', wrong, goBack, url, '', 'Turn On', '-');
  await commands()[commandIds.setUpChatRelay]();
  const inputs = editor.shown.filter((line) => line.startsWith('input'));
  expect(inputs[3]).toContain(`[${wrong}]`);
  // Left empty: the one that was there stays.
  expect([...kept]).toEqual([
    ['relay.webhookSecret', 'of before'],
    ['relay.webhookUrl', url],
  ]);
  expect([...editor.settings]).toEqual([['agentMascot.relay.target', 'webhook']]);
});

test.each([
  ['at a question', ['Discord, by a bot', token, '-']],
  ['at the channel', ['Discord, by a bot', token, 'Those of all', '-']],
  ['at the last question', ['Discord, by a bot', token, 'Those of all', channel, '-']],
  ['after the preview', ['Discord, by a bot', token, 'Those of all', channel, 'Show What Would Be Sent', '-']],
])('RLY-1 RLY-3 whoever leaves setting up %s has changed nothing', async (_, answers) => {
  editor.answers.push(...answers);
  await commands()[commandIds.setUpChatRelay]();
  expect([kept.size, editor.settings.size]).toEqual([0, 0]);
});

test('RLY-2 whoever was refused hears of a set-up that changes nothing, and of a test that arrived', async () => {
  const url = 'https://example.com/hook';
  kept.set('relay.webhookUrl', url);
  const stored: string[] = [];
  const kit = kitWith(settingsOf({ 'relay.target': 'webhook' }));
  const secrets = { ...kit.secrets, set: (name: SecretName) => Promise.resolve(void stored.push(name)) };
  const { [commandIds.setUpChatRelay]: setUp, [commandIds.testChatRelay]: test } = commands({ ...kit, secrets });
  editor.answers.push('Any webhook', '', '', 'Turn On', '-');
  await setUp();
  expect(stored).toEqual(['relay.webhookUrl']);
  await test();
  tested = { kind: 'again', why: 'HTTP 502' };
  await test();
  expect(stored).toEqual(['relay.webhookUrl', 'relay.webhookUrl']);
});

test('RLY-1 turned off here, it is said that another editor goes by its own settings', async () => {
  editor.answers.push('-');
  await commands(kitWith(), 'Another Editor')[commandIds.turnChatRelayOff]();
  expect(editor.shown[0]).toContain('Another Editor holds the history now and goes by its own settings');
});

test('RLY-3 what would be sent can be looked at before the last yes, while all is off', async () => {
  editor.answers.push('Any webhook', 'https://example.com/hook', '', 'Show What Would Be Sent', 'Turn On', '-');
  await commands()[commandIds.setUpChatRelay]();
  expect(asked).toEqual(['preview abc, kept: 0, set: 0']);
  expect(editor.settings.get('agentMascot.relay.target')).toBe('webhook');
});

test('RLY-1 where another program holds the history the person is told that nothing is sent from there', async () => {
  await commands(kitWith(), 'Another Editor')[commandIds.testChatRelay]();
  await commands(kitWith(), 'headless')[commandIds.testChatRelay]();
  expect(editor.shown).toEqual([
    'info: The test message arrived. Another Editor holds the history now: from there nothing is sent, unless the chat relay is set up there, too.',
    'info: The test message arrived. A collector without an editor holds the history now, and sends nothing. End it, and this editor takes over.',
  ]);
});

test('RLY-2 a test that fails says why, and what to do', async () => {
  tested = { kind: 'refused', ends: 'thread', why: 'missingPermission' };
  editor.answers.push('Set Up Chat Relay…');
  await commands()[commandIds.testChatRelay]();
  expect(editor.shown.at(-1)).toMatch(/^warning: The test message did not go through: a permission is missing/);
  expect(editor.executed.map(([id]) => id)).toContain(commandIds.setUpChatRelay);
});

test('RLY-3 turning it off asks whether the secrets go, and removing everything takes all of them', async () => {
  kept.set('relay.discordToken', token).set('postgres.url', 'postgres://x');
  editor.answers.push('Delete Them');
  await commands()[commandIds.turnChatRelayOff]();
  expect([[...editor.settings], [...kept.keys()]]).toEqual([[['agentMascot.relay.target', 'off']], ['postgres.url']]);
  await forgetSecrets(secrets);
  expect(kept.size).toBe(0);
});

test('RLY-2 what it can’t get out of by itself is said with what to do', async () => {
  const tell = createRelayTroubles({ warn: () => undefined });
  editor.answers.push('-', '-', '-');
  tell({ why: 'token' });
  tell({ why: 'missingAccess', channel: '4711' });
  tell({ why: 'old' });
  await settled();
  expect(editor.shown.map((line) => line.split(' | ')[0])).toEqual([
    'warning: The chat relay can’t send: the service does not let us in; check the token or URL and whether it may post there, and enter it again in the set-up.',
    'warning: The chat relay can’t send to channel 4711: the bot can’t see the channel; invite it to the server, and give it View Channels there.',
    'warning: The chat relay gave up messages: it could not be sent for six hours; send a test message, which says what is wrong.',
  ]);
});

test('RLY-3 the preview shows what would leave, masked, with what is not chosen, and closes no fence', async () => {
  const session = { ...aSession({ id: 'abc' }), project: '/code/harbour', title: '' };
  const wait = { kind: 'permission' as const, since: '2026-01-01T00:00:02.000Z', tool: 'Bash', target: 'npm publish' };
  const agents = [{ ...anAgent({ id: 'abc/main', sessionId: 'abc' }), wait }];
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const said = (id: string, content: string, role = 'assistant') =>
    ({
      id,
      sessionId: 'abc',
      agentId: 'abc/main',
      role,
      content,
      skillName: '',
      ts: '2026-01-01T00:00:01.000Z',
    }) as never;
  const items = [said('1', 'hello', 'user'), said('2', `Here <b>: ${secret}\n\`\`\`\ncode\n\`\`\``)];
  const shown = (target: string) =>
    previewText(
      {
        kit: kitWith(settingsOf({ 'relay.target': target, 'relay.send.permission': false })),
        source: { snapshot: () => aSnapshot([session], agents) },
        collector: {
          session: () => Promise.resolve({ ...session, agents }),
          list: (() => Promise.resolve({ items, next: null })) as never,
        },
        clock: { now: () => Date.parse('2026-01-01T00:00:03.000Z') },
      },
      'abc',
    );
  const text = await shown('discord');
  expect(text).not.toContain(secret);
  expect(text).toContain('channel: `4711`; thread: `harbour · abc`');
  expect(text).toMatch(/````\nHere <b>: \S+\n```\ncode\n```\n````/);
  expect(text).toMatch(
    /permission · .* \(not chosen in the settings, so not sent\)\n\n```\n🔐 Needs your permission: Bash `npm publish`\n```/,
  );
  expect(text).not.toContain('hello');
  expect(text).toMatch(/^reply · \d\d:\d\d:\d\d$/m);
  // What is posted to a webhook has no thread, and is written as Slack wants it.
  expect(await shown('webhook')).toMatch(/channel: `4711`\n[^]*Here &lt;b&gt;: /);
});

test('RLY-1 the settings are read as they are meant', () => {
  const now: RelaySettings = settingsOf({
    'relay.target': 'webhook',
    'relay.channels': { '*': '1', broken: 7 },
    'relay.quietHours': '22:00-07:30',
    'relay.send.phase': false,
  }).current();
  expect([now.target, now.channels, now.quietHours, now.send.phase, now.send.reply]).toEqual([
    'webhook',
    { '*': '1' },
    { from: 22 * 60, to: 7 * 60 + 30 },
    false,
    true,
  ]);
  expect(readSettings({ 'relay.quietHours': '25:00-07:00' }).rejected[0]).toMatch(/22:00-07:00/);
});
