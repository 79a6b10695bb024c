import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendTest } from '../../app/relay/sendTest.ts';
import type { RelaySettings } from '../../app/relay/relayPorts.ts';
import { BOT_TOKEN, type FakeDiscord, FORUM_CHANNEL, startFakeDiscord, TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { relaySettings, relayWorld } from './relayWorld.testkit.ts';

let discord: FakeDiscord;
beforeEach(async () => {
  discord = await startFakeDiscord();
});
afterEach(() => discord.close());

const bot = (channel: string): Partial<RelaySettings> => ({ target: 'discord', channels: { '*': channel } });

function tested(settings: Partial<RelaySettings>, project = '/work/shop') {
  const secrets = { 'relay.discordToken': BOT_TOKEN, 'relay.discordForumUrl': discord.forumUrl };
  const world = relayWorld({ ...relaySettings, ...settings }, secrets, { api: discord.api });
  return sendTest(world, project, 'Hello.', Date.UTC(2026, 0, 1));
}

const asked = () => discord.requests.map(({ method, path }) => `${method} ${path}`);

test('RLY-1 the test message goes as replies go: into a thread of its own', async () => {
  expect(await tested(bot(TEXT_CHANNEL))).toMatchObject({ kind: 'done' });
  expect(asked()).toEqual([
    `GET /channels/${TEXT_CHANNEL}`,
    `POST /channels/${TEXT_CHANNEL}/threads`,
    'POST /channels/7001/messages',
  ]);
  expect(discord.messages).toEqual([{ channel: '7001', content: 'Hello.' }]);
});

test('RLY-1 in a forum it is a post, which the bot answers in', async () => {
  expect(await tested(bot(FORUM_CHANNEL))).toMatchObject({ kind: 'done' });
  expect(discord.messages).toEqual([
    { channel: '7001', content: 'Hello.' },
    { channel: '7001', content: '✅' },
  ]);
});

test('RLY-1 by a forum’s webhook it is a post', async () => {
  expect(await tested({ target: 'discordForum' })).toMatchObject({ kind: 'done' });
  expect(discord.messages).toEqual([{ channel: '7001', content: 'Hello.' }]);
});

test.each([
  ['begin threads', '/threads'],
  ['write in them', '/messages'],
])('RLY-2 a bot that may not %s fails the test', async (_, path) => {
  discord.next({ path, with: { status: 403, body: { message: 'Missing Permissions', code: 50013 } } });
  expect(await tested(bot(TEXT_CHANNEL))).toMatchObject({ kind: 'refused', why: 'missingPermission' });
});

test('RLY-1 what was not set up is not tried', async () => {
  expect(await tested({ target: 'off' })).toEqual({ kind: 'off' });
  expect(await tested({ target: 'webhook' })).toEqual({ kind: 'noSecret' });
  expect(await tested({ target: 'discord', channels: { '/elsewhere': TEXT_CHANNEL } })).toEqual({ kind: 'noChannel' });
  expect(discord.requests).toEqual([]);
});
