import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import type { SecretName, Secrets } from '../../app/outletPorts.ts';
import type { RelayKit, RelaySettings, Tested } from '../../app/relay/relayPorts.ts';
import { englishRelayWord } from '../../domain/relay/relayWords.ts';
import { readSettings } from '../../protocol/settings.ts';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
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
    sendTest: () => Promise.resolve(tested),
  };
}

function commands(kit = kitWith()) {
  const source = {
    snapshot: () => aSnapshot([], []),
    status: () => 'live' as const,
    onChange: () => ({ dispose: () => undefined }),
  };
  return relayCommands({ kit, source, preview: { show: () => Promise.resolve() } });
}

const token = 'a-token-as-a-bot-has-one';

test('RLY-1 setting up asks for kind, token and channel, keeps the token as a secret, and offers a test', async () => {
  editor.folders.push({ name: 'shop', uri: new FakeUri('file', '/work/shop') });
  editor.answers.push('Discord, by a bot', token, '/work/shop', '1234567890', 'Send Test Message');
  await commands()[commandIds.setUpChatRelay]();
  expect([...kept]).toEqual([['relay.discordToken', token]]);
  expect([...editor.settings]).toEqual([
    ['agentMascot.relay.channels', { '/work/shop': '1234567890' }],
    ['agentMascot.relay.target', 'discord'],
  ]);
  expect(JSON.stringify(editor.shown)).not.toContain(token);
  expect(editor.shown.at(-1)).toBe('info: The test message arrived.');
});

test('RLY-1 whoever leaves in the middle of setting up changes nothing', async () => {
  editor.answers.push('Discord, by a bot', token, '-');
  await commands()[commandIds.setUpChatRelay]();
  expect([kept.size, editor.settings.size]).toEqual([0, 0]);
});

test('RLY-2 a test that fails says why, and what to do', async () => {
  tested = { kind: 'refused', ends: 'thread', why: 'missingPermission' };
  editor.answers.push('Set Up Chat Relay…');
  await commands()[commandIds.testChatRelay]();
  expect(editor.shown.at(-1)).toMatch(/^warning: The test message was not sent: the bot lacks a permission/);
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
    'warning: The chat relay can’t send: the service does not accept the token; set the chat relay up with another.',
    'warning: The chat relay can’t send to channel 4711: the bot can’t see the channel; invite it there.',
    'warning: The chat relay gave up messages: it could not be sent for hours.',
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
  const items = [said('1', 'hello', 'user'), said('2', `Here: ${secret}\n\`\`\`\ncode\n\`\`\``)];
  const text = await previewText(
    {
      kit: kitWith(settingsOf({ 'relay.target': 'discord', 'relay.send.permission': false })),
      source: { snapshot: () => aSnapshot([session], agents) },
      collector: {
        session: () => Promise.resolve({ ...session, agents }),
        list: (() => Promise.resolve({ items, next: null })) as never,
      },
    },
    'abc',
  );
  expect(text).not.toContain(secret);
  expect(text).toContain('channel: `4711`; thread: `harbour · abc`');
  expect(text).toMatch(/````\nHere: \S+\n```\ncode\n```\n````/);
  expect(text).toMatch(
    /permission · .* \(not chosen in the settings, so not sent\)\n\n```\n🔐 Needs your permission: Bash `npm publish`\n```/,
  );
  expect(text).not.toContain('hello');
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
