import { describe, expect, test } from 'vitest';
import { FORUM_CHANNEL, TEXT_CHANNEL } from './fakeDiscord.testkit.ts';
import { receiver, relayTests, reply, webhook } from './relay.testkit.ts';
import { allKinds, quietPhases } from './relayWorld.testkit.ts';

const { discord, bench, begun, texts, asked } = relayTests();

const HOUR = 3_600_000;
const oops = { status: 500, body: { message: 'oops' } };

describe('RLY-2 a service that fails for a while', () => {
  test.each<[string, Parameters<typeof bench>[0], string]>([
    ['a bot', {}, `GET /channels/${TEXT_CHANNEL}`],
    ['a bot in a forum', { settings: { channels: { '*': FORUM_CHANNEL } } }, `GET /channels/${FORUM_CHANNEL}`],
    ['a forum’s webhook', { settings: { target: 'discordForum', channels: {} } }, 'GET /webhooks/555/hook-token'],
  ])(
    'RLY-2 uses up no thread of %s: it is looked whether it answers before the second start',
    async (_, parts, look) => {
      const { tell, pass, troubles } = bench({ secrets: { 'relay.discordForumUrl': discord().forumUrl }, ...parts });
      discord().next({ path: '/threads', with: oops });
      discord().next({ path: 'wait=true', with: oops });
      await tell('session_started', { source: 'startup' });
      await tell('turn_ended', reply('Done.'));
      for (let each = 0; each < 10; each++) discord().next({ with: oops });
      for (let each = 0; each < 60; each++) await pass(60_000);
      expect(asked().filter((each) => each === look).length).toBeGreaterThan(10);
      expect(asked().filter((each) => /threads|wait=true$/.test(each))).toHaveLength(2);
      expect([discord().threads.size, texts().at(-1), troubles]).toEqual([1, 'Done.', []]);
    },
  );

  test('RLY-2 a wall without a time is asked less and less often, and nothing is lost', async () => {
    const { tell, pass } = await begun();
    const page = { status: 429, headers: { 'content-type': 'text/html' }, body: '<html>error 1015</html>' };
    for (let each = 0; each < 8; each++) discord().next({ path: '/messages', with: page });
    await tell('turn_ended', reply('Done.'));
    for (let each = 0; each < 60; each++) await pass(1_000);
    expect(discord().requests.length).toBeLessThan(8);
    for (let each = 0; each < 60; each++) await pass(60_000);
    expect(texts()).toEqual(['Done.']);
  });

  test('RLY-2 a limit that never ends is not believed for ever', async () => {
    const { tell, pass } = await begun();
    const again = { status: 429, body: { message: 'slow', retry_after: 0.1, global: false } };
    for (let each = 0; each < 1_000; each++) discord().next({ path: '/messages', with: again });
    await tell('turn_ended', reply('Done.'));
    for (let each = 0; each < 600; each++) await pass(100);
    expect(discord().requests.length).toBeLessThan(20);
  });
});

describe('RLY-2 a clock that is set back', () => {
  test('RLY-2 keeps the order, and nobody waits until it is that late again', async () => {
    const desk = receiver();
    let isUp = false;
    const { tell, pass, clock } = bench({
      ...webhook,
      send: (...request) => (isUp ? desk.send(...request) : Promise.resolve({ kind: 'unsent', why: 'ENOTFOUND' })),
    });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', reply('One.'));
    await pass(240_000);
    await tell('agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'npm publish', tool_use_id: 't' });
    clock.sleep(-HOUR);
    await tell('turn_ended', reply('Two.'));
    isUp = true;
    for (let each = 0; each < 6; each++) await pass(60_000);
    expect(desk.texts().slice(1)).toEqual(['One.', '🔐 Needs your permission: Bash `npm publish`', 'Two.']);
  });

  test('RLY-2 keeps the order also for the next owner', async () => {
    const desk = receiver();
    const first = bench({ ...webhook, send: () => Promise.resolve({ kind: 'unsent', why: 'ENOTFOUND' }) });
    await first.tell('session_started', { source: 'startup' });
    await first.tell('turn_ended', reply('One.'));
    first.clock.sleep(-HOUR);
    await first.tell('turn_ended', reply('Two.'));
    first.kill();
    const next = bench({ ...webhook, send: desk.send, store: first.store, clock: first.clock });
    await next.pass(1_000);
    expect(desk.texts().slice(1)).toEqual(['One.', 'Two.']);
  });

  test('RLY-2 leaves the next owner no nonce of which it knows how old it is', async () => {
    const first = await begun();
    discord().next({ path: '/messages', with: 'drop' });
    await first.tell('turn_ended', reply('Perhaps.'));
    first.kill();
    first.clock.sleep(-HOUR);
    const next = bench({ store: first.store, clock: first.clock });
    for (let each = 0; each < 5; each++) await next.pass(60_000);
    expect([texts(), discord().requests.length]).toEqual([[], 3]);
  });

  test('RLY-2 does not make a nonce live again', async () => {
    const { tell, pass, clock } = await begun();
    discord().next({ path: '/messages', with: 'drop' });
    await tell('turn_ended', reply('Perhaps.'));
    clock.sleep(-HOUR);
    await tell('turn_ended', reply('For sure.'));
    for (let each = 0; each < 5; each++) await pass(60_000);
    expect(texts()).toEqual(['For sure.']);
  });
});

describe('RLY-1 who waits', () => {
  const waits = { ...webhook, settings: { ...webhook.settings, send: { ...quietPhases, started: false } } };

  test('RLY-1 two agents that wait at the same moment are two waits', async () => {
    const desk = receiver();
    const { tell, pass } = bench({ ...waits, send: desk.send });
    await tell('session_started', { source: 'startup' });
    await tell('agent_started', { agent_type: 'helper' }, { agent_id: 's/helper' });
    await tell('agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'one', tool_use_id: 't1' });
    await pass(1_000);
    const second = { wait: 'permission', tool_name: 'Bash', target: 'two', tool_use_id: 't2' };
    await tell('agent_blocked', second, { agent_id: 's/helper' });
    await pass(10_000);
    expect(desk.texts()).toEqual(['🔐 Needs your permission: Bash `one`', '🔐 Needs your permission: Bash `two`']);
  });

  test('RLY-1 the next call, asked for seconds after the last was answered, is a wait of its own', async () => {
    const desk = receiver();
    const { tell, pass } = bench({ ...waits, send: desk.send });
    const call = { tool_name: 'Bash', target: 'one', tool_use_id: 't1' };
    await tell('session_started', { source: 'startup' });
    await tell('agent_blocked', { ...call, wait: 'permission' });
    await pass(1_000);
    await tell('tool_succeeded', call);
    await tell('agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'two', tool_use_id: 't2' });
    await pass(10_000);
    expect(desk.texts()).toEqual(['🔐 Needs your permission: Bash `two`']);
  });

  test('RLY-1 a wait that lasts is said once, whatever else is said meanwhile', async () => {
    const desk = receiver();
    const { tell, pass, relay } = bench({ ...waits, send: desk.send });
    await tell('session_started', { source: 'startup' });
    await tell('agent_blocked', { wait: 'permission', tool_name: 'Bash', target: 'one', tool_use_id: 't1' });
    await pass(6_000);
    for (let each = 0; each < 30; each++) {
      expect(await relay.sendToSessionThread('s', `Note ${each}`)).toBe(true);
      await tell('notification', { notification_type: 'other' });
    }
    await pass(6_000);
    expect(desk.kinds().filter((kind) => kind === 'permission')).toHaveLength(1);
  });
});

test('RLY-2 what one batch tells out of order is said in order', async () => {
  const desk = receiver();
  const { tell, store, hub, clock, pass } = bench({
    ...webhook,
    settings: { ...webhook.settings, send: allKinds },
    send: desk.send,
  });
  const first = await tell('session_started', { source: 'startup' });
  const at = (seconds: number) => new Date(clock.now() + seconds * 1_000).toISOString();
  const made = (id: string, seconds: number) =>
    ({ ...first, id, ts: at(seconds), event_type: 'turn_ended', payload: reply(id) }) as typeof first;
  const events = [made('Two.', -10), made('One.', -20)];
  await store.append(events.map((event) => ({ event, keys: [], rank: 0 })));
  hub.commit(events);
  await pass(0);
  expect(desk.texts().filter((text) => text.endsWith('.'))).toEqual(['One.', 'Two.']);
});

test('RLY-2 another webhook’s forum has threads of its own', async () => {
  const settings = { target: 'discordForum', channels: {} } as const;
  const owner = await begun({ settings, secrets: { 'relay.discordForumUrl': discord().forumUrl } });
  await owner.tell('turn_ended', reply('In the first.'));
  // The fake knows one webhook; by another number it is another.
  owner.changeSecret('relay.discordForumUrl', discord().forumUrl.replace('/555/', '/777/'));
  await owner.pass(0);
  await owner.tell('turn_ended', reply('In the second.'));
  expect(asked()).toEqual([
    'POST /webhooks/555/hook-token?wait=true',
    'POST /webhooks/555/hook-token?wait=true&thread_id=7001',
    'POST /webhooks/777/hook-token?wait=true',
  ]);
});

test('RLY-2 what the last owner stored and did not tell on is caught up, but for what it was told with other settings', async () => {
  const desk = receiver();
  const first = bench({ ...webhook, send: desk.send });
  await first.tell('session_started', { source: 'startup' });
  await first.tell('turn_ended', reply('Said.'));
  await first.pass(1_000);
  first.kill();
  const unheard = (id: string, ts: number) =>
    first.store.append([
      {
        event: {
          ...{ id, version: '1.1', ts: new Date(ts).toISOString(), event_type: 'turn_ended', source: 'hook' },
          ...{ provider: 'claude', workspace_id: 'w', terminal_session_id: 't', session_id: 's', agent_id: 's/main' },
          ...{ severity: 'info', payload: reply(id), raw: {}, project: { path: '/work/shop' } },
        } as Parameters<typeof first.hub.commit>[0][number],
        keys: [],
        rank: 0,
      },
    ]);
  await unheard('Caught up.', first.clock.now());
  first.clock.sleep(2_000);
  const second = bench({ ...webhook, send: desk.send, store: first.store, clock: first.clock });
  await second.pass(0);
  expect(desk.texts().slice(1)).toEqual(['Said.', 'Caught up.']);
  second.change({ target: 'off' });
  await second.pass(1_000);
  await unheard('While it was off.', first.clock.now());
  await second.pass(1_000);
  second.change({ target: 'webhook' });
  await second.pass(1_000);
  second.kill();
  const third = bench({ ...webhook, send: desk.send, store: first.store, clock: first.clock });
  await third.pass(60_000);
  expect(desk.texts()).toHaveLength(3);
});
