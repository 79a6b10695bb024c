import { describe, expect, test } from 'vitest';
import { HELD_KEY, RELAY_SHELF } from '../../domain/relay/records.ts';
import { BOT_TOKEN, FORUM_CHANNEL, TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { meanwhile, receiptsIn, receiver, type RelayBench, relayTests, reply, webhook } from './relay.testkit.ts';
import { quietPhases } from './relayWorld.testkit.ts';

const { discord, bench, begun, texts, asked } = relayTests();

const down = () => Promise.resolve({ kind: 'unsent', why: 'ENOTFOUND' } as const);

describe('RLY-2 STO-1 an owner in whose editor the relay is off', () => {
  async function waiting(): Promise<RelayBench> {
    const first = bench({ ...webhook, send: down });
    await first.tell('session_started', { source: 'startup' });
    await first.tell('turn_ended', reply('Waits.'));
    await first.close();
    const off = bench({
      ...webhook,
      settings: { target: 'off', send: { ...quietPhases, reply: false } },
      store: first.store,
      clock: first.clock,
    });
    await off.pass(60_000);
    await off.tell('user_prompt', { prompt: 'go on' });
    expect(off.log.lines).toEqual([]);
    return off;
  }

  test('RLY-2 STO-1 leaves what waits to the next one that sends', async () => {
    const off = await waiting();
    await off.close();
    const desk = receiver();
    const third = bench({ ...webhook, send: desk.send, store: off.store, clock: off.clock });
    await third.pass(0);
    expect(desk.kinds()).toEqual(['started', 'reply']);
  });

  test('RLY-2 STO-1 whatever else is set there', async () => {
    const off = await waiting();
    off.change({ quietLetsWaits: true });
    off.changeSecret('relay.discordToken', 'of another profile');
    await off.pass(0);
    expect(receiptsIn(off)).toEqual([]);
  });

  test('RLY-3 where it is turned on nothing of before is said', async () => {
    const off = await waiting();
    off.change({ target: 'webhook' });
    await off.pass(60_000);
    expect(receiptsIn(off)).toEqual(['started withdrawn turnedOff', 'reply withdrawn turnedOff']);
  });
});

describe('RLY-3 the channel is another while an answer is out', () => {
  /** And something comes of the session, which belongs to the new one from then on. */
  async function move(owner: RelayBench): Promise<void> {
    owner.change({ channels: { '*': FORUM_CHANNEL } });
    await owner.commit('user_prompt', { prompt: 'go on' });
  }

  test.each([
    ['a thread is begun', `/channels/${TEXT_CHANNEL}/threads`],
    ['its channel is looked at', `/channels/${TEXT_CHANNEL}`],
  ])('RLY-3 while %s: what comes goes to the new one', async (_, path) => {
    const owner: RelayBench = bench({
      settings: { send: quietPhases },
      send: meanwhile(path, () => move(owner)),
    });
    await owner.tell('session_started', { source: 'startup' });
    await owner.tell('turn_ended', reply('Done.'));
    await owner.pass(60_000);
    const [last] = [...discord().threads.keys()].slice(-1);
    expect(asked().at(-1)).toBe(`POST /channels/${last}/messages`);
    expect(texts()).toEqual(['👋 A Claude Code session in shop', 'Done.']);
    expect(owner.troubles).toEqual([]);
  });

  test('RLY-3 while a reply is refused in the old thread: the new one is not closed for it', async () => {
    const owner: RelayBench = await begun({ send: meanwhile('/channels/7001/messages', () => move(owner)) });
    discord().threads.get('7001')!.deleted = true;
    await owner.tell('turn_ended', reply('In the old one.'));
    await owner.tell('turn_ended', reply('In the new one.'));
    await owner.pass(60_000);
    expect(texts().at(-1)).toBe('In the new one.');
  });

  test('RLY-2 a no to the old token does not stop the new one', async () => {
    const owner: RelayBench = bench({
      settings: { send: quietPhases },
      secrets: { 'relay.discordToken': 'of before' },
      send: meanwhile(`/channels/${TEXT_CHANNEL}`, async () => owner.changeSecret('relay.discordToken', BOT_TOKEN)),
    });
    await owner.tell('session_started', { source: 'startup' });
    await owner.tell('turn_ended', reply('Done.'));
    await owner.pass(60_000);
    expect([texts(), owner.troubles]).toEqual([['Done.'], []]);
  });
});

test('RLY-2 a limit of the URL of before does not hold the new one up', async () => {
  const desk = receiver();
  let isFirst = true;
  const owner: RelayBench = bench({
    ...webhook,
    async send(request, abandon) {
      if (!isFirst) return desk.send(request, abandon);
      isFirst = false;
      owner.changeSecret('relay.webhookUrl', 'https://example.test/other');
      await Promise.resolve();
      return { kind: 'answer', status: 429, headers: { 'retry-after': '3600' }, body: '' };
    },
  });
  await owner.tell('session_started', { source: 'startup' });
  await owner.pass(1_000);
  expect(desk.got.map(({ url }) => url)).toEqual(['https://example.test/other']);
});

test('RLY-2 an owner with another bot does not repeat what the first one may have said', async () => {
  const first = await begun({ settings: { send: quietPhases } });
  discord().next({ path: '/messages', with: 'drop', carriedOut: true });
  await first.tell('turn_ended', reply('Said once.'));
  first.kill();
  const next = bench({
    settings: { send: quietPhases },
    secrets: { 'relay.discordToken': 'of-another-bot' },
    store: first.store,
    clock: first.clock,
  });
  await next.pass(60_000);
  expect(asked().filter((each) => each.endsWith('/messages'))).toHaveLength(1);
  expect(receiptsIn(next).at(-1)).toBe('reply unknown interruptedTry');
});

test('RLY-3 before the secrets of another target are read nothing goes to the one before', async () => {
  let isLocked = false;
  const desk = receiver();
  const owner = bench({
    ...webhook,
    send: desk.send,
    beforeSecret() {
      if (isLocked) throw new Error('the keyring is locked');
    },
  });
  await owner.tell('session_started', { source: 'startup' });
  isLocked = true;
  owner.change({ target: 'discord', channels: { '*': TEXT_CHANNEL } });
  await owner.tell('turn_ended', reply('For the channel.'));
  for (let each = 0; each < 3; each++) await owner.pass(60_000);
  expect(desk.kinds()).toEqual(['started']);
});

test('RLY-1 RLY-2 what waits says why nothing is sent now, and says it no more once it is', async () => {
  const held: unknown[] = [];
  const owner = bench({ settings: { send: quietPhases }, secrets: { 'relay.discordToken': 'wrong' } });
  const look = () => held.push(owner.store.shelf(RELAY_SHELF).get(HELD_KEY)?.value);
  await owner.tell('session_started', { source: 'startup' });
  look();
  owner.change({ quietHours: { from: 11 * 60, to: 13 * 60 } });
  owner.changeSecret('relay.discordToken', BOT_TOKEN);
  await owner.pass(0);
  look();
  for (let each = 0; each < 3; each++) discord().next({ with: { status: 500 } });
  owner.change({ quietHours: undefined });
  await owner.pass(0);
  look();
  for (let each = 0; each < 5; each++) await owner.pass(60_000);
  look();
  expect(held).toEqual(['token', 'quietHours', 'notAnswering', undefined]);
  expect(discord().threads.size).toBe(1);
});
