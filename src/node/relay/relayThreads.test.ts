import { describe, expect, test } from 'vitest';
import { FORBIDDEN_CHANNEL, TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { createSendRequest } from './sendRequest.ts';
import { receiptsIn, type RelayBench, relayTests, reply } from './relay.testkit.ts';
import { quietPhases } from './relayWorld.testkit.ts';

const { discord, bench, begun, texts, asked } = relayTests();

const MINUTE = 60_000;
const oops = { status: 500, body: { message: 'oops' } };
const mayNot = { status: 403, body: { message: 'Missing Permissions', code: 50013 } };

describe('RLY-2 a session of which nothing more is said', () => {
  test('RLY-2 once the person may have mended it, it goes on; what was not said meanwhile says why', async () => {
    const owner = bench({ settings: { send: quietPhases } });
    discord().next({ path: '/threads', with: mayNot });
    await owner.tell('session_started', { source: 'startup' });
    await owner.tell('turn_ended', reply('One.'));
    await owner.pass(4 * MINUTE);
    await owner.tell('turn_ended', reply('Two.'));
    expect(asked().filter((each) => each.endsWith('/threads'))).toHaveLength(1);
    await owner.pass(MINUTE);
    await owner.tell('turn_ended', reply('Three.'));
    expect(texts()).toEqual(['Three.']);
    const gaveUp = ['started', 'reply', 'reply'].map((kind) => `${kind} givenUp missingPermission`);
    expect(receiptsIn(owner)).toEqual([...gaveUp, 'reply sent']);
    expect(owner.log.lines.filter((line) => line.includes('gave up a message (reply)'))).toHaveLength(2);
  });

  test('RLY-2 a thread that could not be begun twice is begun again after an hour', async () => {
    const owner = bench({ settings: { send: quietPhases } });
    for (let each = 0; each < 2; each++) discord().next({ path: '/threads', with: oops });
    await owner.tell('session_started', { source: 'startup' });
    for (let each = 0; each < 5; each++) await owner.pass(MINUTE);
    await owner.tell('turn_ended', reply('One.'));
    for (let each = 0; each < 60; each++) await owner.pass(MINUTE);
    await owner.tell('turn_ended', reply('Two.'));
    expect(texts()).toEqual(['Two.']);
    expect(receiptsIn(owner)).toEqual(['started givenUp unanswered', 'reply givenUp unanswered', 'reply sent']);
    expect(owner.troubles).toEqual([{ why: 'unanswered', channel: '1000' }]);
  });

  test('RLY-2 nor does another owner begin it sooner', async () => {
    const first = bench({ settings: { send: quietPhases } });
    for (let each = 0; each < 2; each++) discord().next({ path: '/threads', with: oops });
    await first.tell('session_started', { source: 'startup' });
    for (let each = 0; each < 5; each++) await first.pass(MINUTE);
    await first.close();
    const next = bench({ settings: { send: quietPhases }, store: first.store, clock: first.clock });
    await next.tell('turn_ended', reply('One.'));
    await next.pass(MINUTE);
    expect(asked().filter((each) => each.endsWith('/threads'))).toHaveLength(2);
  });

  test('RLY-2 of a channel that refuses it is told once, whatever another one takes', async () => {
    const channels = { '/work/shop': FORBIDDEN_CHANNEL, '/work/api': TEXT_CHANNEL };
    const owner = bench({ settings: { channels, send: quietPhases } });
    const other = { session_id: 'other', project: { path: '/work/api' } };
    await owner.tell('session_started', { source: 'startup' });
    for (let each = 0; each < 4; each++) {
      await owner.tell('turn_ended', reply(`Shop ${each}.`));
      await owner.tell('turn_ended', reply(`Api ${each}.`), other);
      for (let minute = 0; minute < 6; minute++) await owner.pass(MINUTE);
    }
    expect(texts()).toHaveLength(4);
    expect(owner.troubles).toEqual([{ why: 'missingPermission', channel: FORBIDDEN_CHANNEL }]);
  });

  test('RLY-2 a thread that somebody locked stays so, whatever is changed', async () => {
    const owner = await begun({ settings: { send: quietPhases } });
    discord().threads.get('7001')!.locked = true;
    await owner.tell('turn_ended', reply('One.'));
    owner.change({ quietLetsWaits: true });
    await owner.tell('turn_ended', reply('Two.'));
    expect(receiptsIn(owner).slice(1)).toEqual(['reply givenUp locked', 'reply givenUp locked']);
    expect(discord().requests).toHaveLength(3);
  });

  test('RLY-2 a thread that somebody deleted stays so, and each reply says it', async () => {
    const owner = await begun({ settings: { send: quietPhases } });
    discord().threads.get('7001')!.deleted = true;
    await owner.tell('turn_ended', reply('One.'));
    for (let each = 0; each < 70; each++) await owner.pass(MINUTE);
    await owner.tell('turn_ended', reply('Two.'));
    expect(receiptsIn(owner).slice(1)).toEqual(['reply givenUp threadGone', 'reply givenUp threadGone']);
    expect(discord().requests).toHaveLength(3);
  });
});

test.each([
  ['a bot', '/threads', {}],
  [
    'a forum’s webhook',
    'wait=true',
    { settings: { target: 'discordForum', channels: {}, send: quietPhases } as const },
  ],
])('RLY-2 %s begins no third thread of a session, however often it is killed meanwhile', async (_, path, parts) => {
  const given = { ...parts, secrets: { 'relay.discordForumUrl': discord().forumUrl } };
  let owner: RelayBench | undefined;
  for (let each = 0; each < 5; each++) {
    const killed: RelayBench = bench({
      ...given,
      ...(owner ? { store: owner.store, clock: owner.clock } : {}),
      async send(request, abandon) {
        const heard = await createSendRequest()(request, abandon);
        if (request.url.endsWith(path)) killed.kill();
        return heard;
      },
    });
    if (!owner) await killed.tell('session_started', { source: 'startup' });
    for (let wait = 0; wait < 3; wait++) await killed.pass(MINUTE);
    owner = killed;
  }
  expect(discord().threads.size).toBe(2);
});

test('RLY-2 a disk that is full for a while uses up no thread', async () => {
  let isFull = true;
  const owner = bench({
    settings: { send: quietPhases },
    beforePut(save) {
      if (isFull && JSON.stringify(save).includes('"starts"')) throw new Error('ENOSPC');
    },
  });
  await owner.tell('session_started', { source: 'startup' });
  for (let each = 0; each < 10; each++) await owner.pass(MINUTE);
  isFull = false;
  discord().next({ path: '/threads', with: oops });
  await owner.tell('turn_ended', reply('Done.'));
  for (let each = 0; each < 10; each++) await owner.pass(MINUTE);
  expect([texts(), owner.troubles]).toEqual([['Done.'], []]);
});
