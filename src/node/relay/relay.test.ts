import { describe, expect, test } from 'vitest';
import { TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { relayTests } from './relay.testkit.ts';
import { allKinds } from './relayWorld.testkit.ts';

const { discord, bench, begun, texts, asked } = relayTests();

describe('RLY-1', () => {
  test('RLY-1 a session gets a thread, its replies in it, and a line for what else it comes to', async () => {
    const { tell, pass } = await begun();
    await tell('user_prompt', { prompt: 'add a cart' });
    await pass(3_000);
    await tell('turn_ended', { reason: 'completed', message: 'The **cart** is there. @everyone look' });
    await tell('session_ended', { reason: 'exit' });

    expect(discord().requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', `/channels/${TEXT_CHANNEL}`, null],
      ['POST', `/channels/${TEXT_CHANNEL}/threads`, { name: 'shop · s', auto_archive_duration: 1440, type: 11 }],
      said('▶️ Working'),
      said('The **cart** is there. @everyone look'),
      said('🏁 The session ended'),
    ]);
    expect(discord().requests.map(({ headers }) => headers['authorization'])).toEqual(
      Array(5).fill('Bot bot-token-of-the-test'),
    );
    expect(discord().requests[0]?.headers['user-agent']).toMatch(/^DiscordBot \(https:\/\/\S+, 1\.2\.3\)$/);
  });

  function said(content: string) {
    const nonce = expect.stringMatching(/^[0-9a-f]{24}$/);
    return [
      'POST',
      '/channels/7001/messages',
      { content, nonce, enforce_nonce: true, allowed_mentions: { parse: [] } },
    ];
  }

  test.each([
    [1_900, 1_900],
    [1_901, 1_903],
    [30_000, 1_903],
  ])('RLY-1 a reply of %i characters is sent as %i', async (length, sent) => {
    const { tell } = await begun();
    await tell('turn_ended', { reason: 'completed', message: `${'ab c '.repeat(6_000).slice(0, length - 1)}.` });
    const last = texts().at(-1) ?? '';
    expect(last).toHaveLength(sent);
    expect(last.endsWith('...')).toBe(length > 1_900);
  });

  test('RLY-1 a wait is said after five seconds, once, and not where it was answered before', async () => {
    const { tell, pass } = await begun({ settings: { send: { ...onlyWaits } } });
    const call = { tool_name: 'Bash', target: 'npm publish', tool_use_id: 't1' };
    await tell('agent_blocked', { ...call, wait: 'permission' });
    await pass(4_900);
    expect(texts()).toEqual([]);
    await pass(200);
    expect(texts()).toEqual(['🔐 Needs your permission: Bash `npm publish`']);
    await tell('tool_succeeded', call);
    await tell('agent_blocked', { ...call, tool_use_id: 't2', wait: 'permission' });
    await pass(1_000);
    await tell('tool_succeeded', { ...call, tool_use_id: 't2' });
    await pass(60_000);
    expect(texts()).toHaveLength(1);
  });

  const onlyWaits = {
    ...allKinds,
    ...{ reply: false, failed: false, phase: false, ended: false },
  };

  test('RLY-1 a forum channel of a bot gets a post that begins with a line', async () => {
    const { tell } = await begun({ settings: { channels: { '/work': '2000', '*': '9' } } });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    expect(discord().requests[1]?.body).toEqual({
      name: 'shop · s',
      auto_archive_duration: 1440,
      message: { content: '👋 A Claude Code session in shop', allowed_mentions: { parse: [] } },
    });
    expect(texts()).toEqual(['👋 A Claude Code session in shop', 'Done.']);
  });

  test('RLY-1 a forum webhook needs no bot', async () => {
    const { tell } = await begun({
      settings: { target: 'discordForum', channels: {} },
      secrets: { 'relay.discordForumUrl': discord().forumUrl },
    });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    expect(discord().requests.map(({ path, body }) => [path, body])).toEqual([
      [
        '/webhooks/555/hook-token?wait=true',
        { content: '👋 A Claude Code session in shop', thread_name: 'shop · s', allowed_mentions: { parse: [] } },
      ],
      ['/webhooks/555/hook-token?wait=true&thread_id=7001', { content: 'Done.', allowed_mentions: { parse: [] } }],
    ]);
  });
});

describe('RLY-2 what the service says', () => {
  test('RLY-2 a rate limit of a route holds up that route, for as long as was said', async () => {
    const { tell, pass } = await begun();
    discord().next({
      path: '/messages',
      with: {
        status: 429,
        headers: { 'retry-after': '65', 'x-ratelimit-bucket': 'abcd', 'x-ratelimit-scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: 64.57, global: false },
      },
    });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    await tell('session_started', { source: 'startup' }, { session_id: 'other' });
    expect(asked().slice(2)).toEqual(['POST /channels/7001/messages', `POST /channels/${TEXT_CHANNEL}/threads`]);
    await pass(64_560);
    expect(texts()).toEqual([]);
    await pass(20);
    expect(texts()).toEqual(['Done.']);
  });

  test('RLY-2 a global rate limit holds up everything', async () => {
    const { tell, pass } = await begun();
    const body = { message: 'You are being rate limited.', retry_after: 2.5, global: true };
    discord().next({ with: { status: 429, headers: { 'x-ratelimit-global': 'true' }, body } });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    await tell('session_started', { source: 'startup' }, { session_id: 'other' });
    const before = discord().requests.length;
    await pass(2_400);
    expect(discord().requests).toHaveLength(before);
    await pass(200);
    expect(texts()).toEqual(['Done.']);
    expect(discord().threads.size).toBe(2);
  });

  test('RLY-2 a limit that is used up is not run into', async () => {
    const { tell, pass } = await begun();
    const headers = { 'x-ratelimit-bucket': 'abcd', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' };
    discord().next({ path: '/messages', carriedOut: true, with: { status: 200, headers, body: { id: '1' } } });
    await tell('turn_ended', { reason: 'completed', message: 'One.' });
    await tell('turn_ended', { reason: 'completed', message: 'Two.' });
    expect(texts()).toEqual(['One.']);
    await pass(1_500);
    expect(texts()).toEqual(['One.', 'Two.']);
    expect(discord().requests).toHaveLength(4);
  });

  test('RLY-2 an error of the server is tried again, with the same nonce, and makes one message', async () => {
    const { tell, pass } = await begun();
    discord().next({ path: '/messages', carriedOut: true, with: { status: 500, body: { message: 'oops' } } });
    discord().next({ path: '/messages', with: { status: 502 } });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    await pass(2_000);
    await pass(4_000);
    const nonces = discord()
      .requests.slice(2)
      .map(({ body }) => (body as { nonce: string }).nonce);
    expect(nonces).toHaveLength(3);
    expect(new Set(nonces).size).toBe(1);
    expect(texts()).toEqual(['Done.']);
  });

  test('RLY-2 what has no answer is tried again within the life of its nonce, and never after', async () => {
    const { tell, pass, log } = await begun();
    for (let each = 0; each < 12; each++) discord().next({ path: '/messages', with: 'drop', carriedOut: true });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    for (let each = 0; each < 20; each++) await pass(60_000);
    expect(texts()).toEqual(['Done.']);
    expect(discord().requests.length).toBeLessThan(10);
    expect(log.lines.filter((line) => line.includes('not known whether'))).toHaveLength(1);
  });

  test('RLY-2 nobody there: nothing is lost, and it is asked less and less often', async () => {
    let tries = 0;
    const { tell, pass, troubles, until } = bench({
      send: () => {
        tries++;
        return Promise.resolve({ kind: 'unsent', why: 'ECONNREFUSED' });
      },
    });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    for (let each = 0; each < 60; each++) await pass(60_000);
    expect(tries).toBeLessThan(25);
    expect(troubles).toEqual([]);
    for (let each = 0; each < 6 * 60; each++) await pass(60_000);
    await until(() => troubles.length > 0);
    expect(troubles).toEqual([{ why: 'old', channel: undefined }]);
  });

  test('RLY-2 a thread that was deleted or locked stays so, and the next session has its own', async () => {
    const { tell, troubles } = await begun();
    const thread = discord().threads.get('7001')!;
    thread.archived = true;
    await tell('turn_ended', { reason: 'completed', message: 'It wakes up.' });
    expect([texts(), thread.archived]).toEqual([['It wakes up.'], false]);

    Object.assign(thread, { archived: true, locked: true });
    await tell('turn_ended', { reason: 'completed', message: 'Refused.' });
    const before = discord().requests.length;
    await tell('turn_ended', { reason: 'completed', message: 'Never asked.' });
    expect(discord().requests).toHaveLength(before);

    await tell('session_started', { source: 'startup' }, { session_id: 'next' });
    const [, second] = [...discord().threads.values()];
    second!.deleted = true;
    await tell('turn_ended', { reason: 'completed', message: 'Gone.' }, { session_id: 'next' });
    await tell('turn_ended', { reason: 'completed', message: 'Gone, too.' }, { session_id: 'next' });
    expect(texts()).toEqual(['It wakes up.']);
    expect(discord().threads.size).toBe(2);
    // Who deletes or locks it knows.
    expect(troubles).toEqual([]);
  });

  test('RLY-2 a missing permission is told once, and nothing is asked again of that session', async () => {
    const { tell, troubles, change, pass } = bench({ settings: { channels: { '*': '3000' } } });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    await pass(60_000);
    expect(asked()).toEqual(['GET /channels/3000', 'POST /channels/3000/threads']);
    expect(troubles).toEqual([{ why: 'missingPermission', channel: '3000' }]);
    change({});
    await tell('turn_ended', { reason: 'completed', message: 'Asked again after a change.' });
    expect(discord().requests).toHaveLength(4);
  });

  test('RLY-2 a token that is wrong stops everything until it is another', async () => {
    const { tell, troubles, changeSecret, pass, until } = bench({ secrets: { 'relay.discordToken': 'wrong' } });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', { reason: 'completed', message: 'Done.' });
    await pass(60_000);
    expect(discord().requests).toHaveLength(1);
    expect(troubles).toEqual([{ why: 'token', channel: undefined }]);
    changeSecret('relay.discordToken', 'bot-token-of-the-test');
    await until(() => texts().length === 1);
    expect(texts()).toEqual(['Done.']);
  });

  test('RLY-2 without a thread a message is skipped in silence, and the phase is right', async () => {
    const { tell, relay, hub } = bench({ settings: { channels: { '/elsewhere': TEXT_CHANNEL } } });
    await tell('session_started', { source: 'startup' });
    await tell('user_prompt', { prompt: 'go' });
    expect(await relay.sendToSessionThread('s', 'Hello')).toBe(false);
    expect(hub.snapshot().sessions[0]?.phase).toBe('busy');
    expect(discord().requests).toEqual([]);
  });

  test('RLY-2 sendToSessionThread tells whether it was said', async () => {
    const { relay, tell } = await begun();
    expect(await relay.sendToSessionThread('s', 'Hello')).toBe(true);
    expect(await relay.sendToSessionThread('nobody', 'Hello')).toBe(false);
    discord().threads.get('7001')!.deleted = true;
    expect(await relay.sendToSessionThread('s', 'Hello again')).toBe(false);
    await tell('session_ended', {});
    expect(texts()).toEqual(['Hello']);
  });
});
