import { createHmac } from 'node:crypto';
import { postWebhook } from '../../domain/relay/requests.ts';
import { describe, expect, test } from 'vitest';
import type { SendRequest } from '../../app/relay/relayPorts.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { receiver, relayTests, reply, type RelayBench, webhook } from './relay.testkit.ts';
import { allKinds, quietPhases } from './relayWorld.testkit.ts';

const { discord, bench, texts } = relayTests();

describe('RLY-2 the same reply never twice', () => {
  /** The first owner dies in the middle of the request that carries the reply. */
  async function killedAt(carriedOut: boolean): Promise<RelayBench> {
    const first = bench({ settings: { send: quietPhases } });
    await first.tell('session_started', { source: 'startup' });
    await first.until(() => discord().threads.size === 1);
    discord().next({ path: '/messages', with: 'drop', carriedOut });
    const store = first.store;
    // The request leaves, and its answer finds nobody.
    const gone = first.tell('turn_ended', reply('Said once.'));
    await first.until(() => discord().requests.length === 3);
    first.kill();
    await gone;
    return bench({ store: store, clock: first.clock, settings: { send: quietPhases } });
  }

  test.each([[true], [false]])(
    'RLY-2 killed while a reply is on its way (taken: %s): the next owner repeats it by its nonce, and it is there once',
    async (carriedOut) => {
      const next = await killedAt(carriedOut);
      await next.until(() => discord().requests.length === 4);
      await next.pass(60_000);
      expect(texts()).toEqual(['Said once.']);
      expect(discord().requests).toHaveLength(4);
    },
  );

  test('RLY-2 a takeover after the life of the nonce does not say it again', async () => {
    const first = bench({ settings: { send: quietPhases } });
    await first.tell('session_started', { source: 'startup' });
    await first.until(() => discord().threads.size === 1);
    discord().next({ path: '/messages', with: 'hang', carriedOut: true });
    void first.tell('turn_ended', reply('Said once.'));
    await first.until(() => discord().messages.length === 1);
    first.kill();
    first.clock.sleep(121_000);
    const next = bench({ store: first.store, clock: first.clock, settings: { send: quietPhases } });
    await next.pass(60_000);
    expect([texts(), discord().requests.length]).toEqual([['Said once.'], 3]);
    const receipts = (next.store.shelf('relay').get('s/s')?.value as JsonObject)['receipts'] as readonly JsonObject[];
    expect(receipts.map(({ kind, state }) => [kind, state])).toEqual([
      ['started', 'sent'],
      ['reply', 'unknown'],
    ]);
  });

  test('RLY-2 killed before anything left: the next owner sends it', async () => {
    let isUp = false;
    const desk = receiver();
    const down: SendRequest = (request, abandon) =>
      isUp ? desk.send(request, abandon) : Promise.resolve({ kind: 'unsent', why: 'ECONNREFUSED' });
    const first = bench({ ...webhook, send: down });
    await first.tell('session_started', { source: 'startup' });
    await first.tell('turn_ended', reply('Waits.'));
    first.kill();
    isUp = true;
    const next = bench({ ...webhook, send: down, store: first.store, clock: first.clock });
    await next.until(() => desk.got.length === 2);
    expect(desk.kinds()).toEqual(['started', 'reply']);
  });

  test('RLY-2 killed after it was sent: the next owner has nothing to do, also when retention stores the event anew', async () => {
    const desk = receiver();
    const first = bench({ ...webhook, send: desk.send });
    await first.tell('session_started', { source: 'startup' });
    const event = await first.tell('turn_ended', reply('Done.'));
    first.kill();
    const next = bench({ ...webhook, send: desk.send, store: first.store, clock: first.clock });
    await next.store.trim({ sessionId: 's', strip: [event.id] });
    await next.tell('notification', { notification_type: 'other' });
    await next.pass(60_000);
    expect(desk.kinds()).toEqual(['started', 'reply']);
  });

  test.each([
    [false, 1],
    [true, 2],
  ])('RLY-2 a webhook that hangs at a kill is asked again only if it ignores repeats (%s)', async (ignores, times) => {
    const desk = receiver();
    const settings = { ...webhook.settings, webhookIgnoresRepeats: ignores };
    const first = bench({ ...webhook, settings, send: desk.send });
    await first.tell('session_started', { source: 'startup' });
    desk.hang = true;
    void first.tell('turn_ended', reply('Done.'));
    await first.until(() => desk.got.length === 2);
    first.kill();
    desk.hang = false;
    const next = bench({ ...webhook, settings, send: desk.send, store: first.store, clock: first.clock });
    await next.pass(60_000);
    expect(desk.kinds().filter((kind) => kind === 'reply')).toHaveLength(times);
    expect(new Set(desk.got.slice(1).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('RLY-2 hooks and a transcript that tell one reply make one message', async () => {
    const desk = receiver();
    const { tell, clock, pass } = bench({ ...webhook, send: desk.send });
    const byTranscript = { message: 'Done.  ' };
    await tell('session_started', { source: 'startup' });
    const ts = new Date(clock.now()).toISOString();
    await tell('turn_ended', reply('Done.'));
    await tell('last_reply_found', byTranscript, { source: 'transcript' });
    await pass(1_000);
    await tell('user_prompt', { prompt: 'again' });
    await tell('last_reply_found', byTranscript, { source: 'transcript', ts });
    await pass(1_000);
    await tell('turn_ended', reply('Done.'));
    expect(desk.kinds()).toEqual(['started', 'reply', 'reply']);
  });
});

describe('RLY-3', () => {
  test('RLY-3 what leaves is masked again', async () => {
    const desk = receiver();
    const { tell } = bench({ ...webhook, send: desk.send });
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await tell('session_started', { source: 'startup' });
    // As an older release may have stored it.
    await tell('turn_ended', reply(`Your token is ${secret}. <!channel> & so on`));
    expect(desk.got[1]?.body).not.toContain(secret);
    expect((JSON.parse(desk.got[1]?.body ?? '') as JsonObject)['text']).toMatch(
      /^Your token is \S+ &lt;!channel&gt; &amp; so on$/,
    );
  });

  test('RLY-3 of private turns and of what is not logged nothing leaves', async () => {
    const desk = receiver();
    const { tell, pass } = bench({ ...webhook, settings: { ...webhook.settings, send: allKinds }, send: desk.send });
    await tell('session_started', { source: 'startup', unlogged: true });
    await tell('user_prompt', { unlogged: true, private: true });
    await tell('agent_blocked', { wait: 'permission', tool_name: 'Bash', unlogged: true });
    await tell('turn_ended', { reason: 'completed', unlogged: true });
    await pass(60_000);
    expect(desk.got).toEqual([]);
  });

  test('RLY-3 a private prompt that came late takes back what still waits', async () => {
    const desk = receiver();
    const { tell, takeBack, pass } = bench({
      ...webhook,
      settings: { ...webhook.settings, quietHours: { from: 11 * 60, to: 13 * 60 } },
      send: desk.send,
    });
    await tell('session_started', { source: 'startup' });
    await pass(1_000);
    await takeBack(await tell('turn_ended', reply('Of the private prompt.')));
    for (let each = 0; each < 3; each++) await pass(3_600_000);
    expect(desk.kinds()).toEqual(['started']);
  });

  test('RLY-3 a folder that is off, and one without a channel, tell nothing', async () => {
    const desk = receiver();
    const settings = { ...webhook.settings, channels: { '/work': 'team', '/work/shop': 'off' } };
    const { tell } = bench({ ...webhook, settings, send: desk.send });
    await tell('session_started', { source: 'startup' });
    await tell('session_started', { source: 'startup' }, { session_id: 'other', project: { path: '/home/x' } });
    await tell('session_started', { source: 'startup' }, { session_id: 'third', project: { path: '/work/api' } });
    expect(desk.events().map(({ event }) => event['session'])).toEqual(['third']);
  });

  test('RLY-3 what was erased is not sent any more', async () => {
    const desk = receiver();
    const { tell, hub, store, pass } = bench({
      ...webhook,
      settings: { ...webhook.settings, quietHours: { from: 11 * 60, to: 13 * 60 } },
      send: desk.send,
    });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', reply('Gone.'));
    await store.erase({ sessions: ['s'] });
    hub.erase(['s']);
    for (let each = 0; each < 3; each++) await pass(3_600_000);
    expect(desk.got).toEqual([]);
    expect(
      store
        .shelf('relay')
        .after(undefined, 10)
        .map(({ key }) => key),
    ).toEqual(['on']);
  });

  test('RLY-3 what is off is not sent, also what waited when it was turned off', async () => {
    const desk = receiver();
    const { tell, change, pass } = bench({
      ...webhook,
      settings: { ...webhook.settings, quietHours: { from: 11 * 60, to: 13 * 60 } },
      send: desk.send,
    });
    await tell('session_started', { source: 'startup' });
    await tell('turn_ended', reply('Waits.'));
    change({ target: 'off' });
    await pass(60_000);
    change({ target: 'webhook', quietHours: undefined });
    await pass(60_000);
    expect(desk.got).toEqual([]);
  });
});

test('RLY-1 in quiet hours it is quiet, but for waits that may be said; what waits is said when they end', async () => {
  const desk = receiver();
  const { tell, pass } = bench({
    ...webhook,
    settings: { ...webhook.settings, quietHours: { from: 11 * 60, to: 20 * 60 }, quietLetsWaits: true },
    send: desk.send,
  });
  await tell('session_started', { source: 'startup' });
  await tell('turn_ended', reply('In the night.'));
  await pass(1_000);
  await tell('agent_blocked', { wait: 'question', message: 'Which one?', tool_name: 'AskUserQuestion' });
  await pass(5_000);
  expect(desk.kinds()).toEqual(['question']);
  for (let each = 0; each < 8; each++) await pass(3_600_000);
  expect(desk.kinds()).toEqual(['question', 'started', 'reply']);
});

test('RLY-1 what a spool kept over night is no news', async () => {
  const desk = receiver();
  const { tell, clock } = bench({ ...webhook, send: desk.send });
  const ts = new Date(clock.now() - 6 * 60_000).toISOString();
  await tell('session_started', { source: 'startup' }, { ts });
  await tell('turn_ended', reply('Of yesterday.'), { ts });
  expect(desk.got).toEqual([]);
});

test('RLY-1 a webhook can tell that it was us', async () => {
  const desk = receiver();
  const { tell, clock } = bench({ ...webhook, send: desk.send });
  await tell('session_started', { source: 'startup' });
  const event = await tell('turn_ended', reply('Done.'));
  const { url, headers = {}, body = '' } = desk.got[1] ?? {};
  const timestamp = String(clock.now() / 1000);
  expect(url).toBe('https://example.test/hook');
  expect(JSON.parse(body)).toEqual({
    text: 'Done.',
    event: {
      ...{ id: event.id, kind: 'reply', at: event.ts, session: 's' },
      ...{ project: '/work/shop', agent: 'claude', channel: '' },
    },
  });
  expect(headers['x-agent-mascot-timestamp']).toBe(timestamp);
  expect(headers['x-agent-mascot-signature']).toBe(
    `v1=${createHmac('sha256', 'of the test').update(`${timestamp}.${body}`).digest('hex')}`,
  );
});

test('RLY-2 what an agent’s own session id is made of keeps no message back', async () => {
  const of = (id: string) =>
    postWebhook(
      { id, kind: 'started', at: '', session: '세션', project: '', agent: '', channel: '', text: 'x' },
      { url: 'https://example.test/hook', secret: '', version: '1', sign: () => '', now: 0 },
    );
  const [asked, again, other] = [of('started/세션\n1'), of('started/세션\n1'), of('started/plain')];
  expect(asked.headers['idempotency-key']).toMatch(/^[!-~]+$/);
  expect(asked.headers['idempotency-key']).toBe(again.headers['idempotency-key']);
  expect(other.headers['idempotency-key']).toBe('started/plain');
});

test('RLY-2 the queue is bounded, and says what it gave up', async () => {
  const { tell, troubles, store } = bench({
    ...webhook,
    send: () => Promise.resolve({ kind: 'unsent', why: 'ENOTFOUND' }),
  });
  for (let each = 0; each < 130; each++) await tell('turn_ended', reply(`Number ${each}.`));
  expect(store.shelf('relay').count()).toBeLessThanOrEqual(103);
  expect(troubles).toEqual([{ why: 'full', channel: undefined }]);
});

test('RLY-1 of a thousand events a few are said', async () => {
  const bot = bench();
  await bot.tell('session_started', { source: 'startup' });
  let events = 1;
  while (events < 1_000) {
    await bot.tell('user_prompt', { prompt: 'go on' });
    await bot.pass(30_000);
    for (let call = 0; call < 20; call++) {
      const tool = { tool_name: 'Edit', target: '/work/shop/a.ts', tool_use_id: `t${events}` };
      await bot.tell('tool_started', tool);
      await bot.pass(500);
      await bot.tell('tool_succeeded', tool);
      events += 2;
    }
    await bot.tell('turn_ended', reply(`Turn of ${events}.`));
    await bot.pass(30_000);
    events += 2;
  }
  // Its channel, its thread, and two messages a turn: that it works, and what it says.
  expect([events, discord().requests.length]).toEqual([1_009, 2 + 2 * 24]);
});
