import { expect, test } from 'vitest';
import type { RelaySettings } from '../../app/relay/relayPorts.ts';
import { relayKinds } from '../../protocol/relay.ts';
import { receiver, type RelayBench, relayTests, reply, webhook } from './relay.testkit.ts';

const { discord, bench, begun, texts } = relayTests();

const noon = { quietHours: { from: 11 * 60, to: 13 * 60 } };

function waiting({ store }: RelayBench): readonly string[] {
  const kept = store.shelf('relay').after(undefined, 999);
  return kept.filter(({ key }) => key.startsWith('m/')).map(({ session }) => String(session));
}

test('RLY-3 HKI-9 of a project that is excluded while its messages wait nothing leaves any more', async () => {
  const desk = receiver();
  const owner = bench({ ...webhook, settings: { ...webhook.settings, ...noon }, send: desk.send });
  const { tell, pass, excluded, hub } = owner;
  await tell('session_started', { source: 'startup' });
  await tell('turn_ended', reply('Of the excluded project.'));
  await tell('session_started', {}, { session_id: 'other', project: { path: '/work/api' } });
  await tell('turn_ended', reply('Of another.'), { session_id: 'other', project: { path: '/work/api' } });
  excluded.add('/work/shop');
  // As the sweep does it a second later: its words are gone from the queue at once, though it is quiet.
  hub.leave(['s']);
  await pass(0);
  expect(waiting(owner)).toEqual(['other', 'other']);
  await pass(3_600_000);
  expect(desk.texts()).toEqual(['👋 A Claude Code session in api', 'Of another.']);
});

test('RLY-3 what the person has chosen no more does not leave, though it was chosen while it was queued', async () => {
  const desk = receiver();
  const { tell, pass, change } = bench({ ...webhook, settings: { ...webhook.settings, ...noon }, send: desk.send });
  await tell('session_started', { source: 'startup' });
  await tell('turn_ended', reply('Chosen then.'));
  const send = Object.fromEntries(relayKinds.map((kind) => [kind, kind !== 'reply'])) as RelaySettings['send'];
  change({ ...noon, send });
  await pass(3_600_000);
  expect(desk.texts()).toEqual(['👋 A Claude Code session in shop']);
});

test('RLY-3 HKI-9 it is asked right before a request leaves, and what is on its way is not repeated', async () => {
  const { tell, pass, excluded, until } = await begun();
  discord().next({ path: '/messages', with: 'drop' });
  await tell('turn_ended', reply('On its way.'));
  excluded.add('/work/shop');
  await tell('turn_ended', reply('Not any more.'));
  await until(() => discord().requests.length === 3);
  for (let each = 0; each < 5; each++) await pass(60_000);
  expect([texts(), discord().requests.length]).toEqual([[], 3]);
});

test('RLY-3 HKI-9 before it is known what is excluded nothing leaves, and where that can’t be read neither', async () => {
  const desk = receiver();
  let known: (folders: readonly string[]) => void = () => undefined;
  const exclusions = new Promise<readonly string[]>((resolve) => (known = resolve));
  const { tell, pass, log } = bench({ ...webhook, send: desk.send, exclusions: () => exclusions });
  await tell('session_started', { source: 'startup' });
  await tell('turn_ended', reply('Done.'));
  await pass(60_000);
  expect(desk.got).toEqual([]);
  known([]);
  await pass(0);
  expect(desk.kinds()).toEqual(['started', 'reply']);

  const never = receiver();
  const unread = bench({ ...webhook, send: never.send, exclusions: () => Promise.reject(new Error('EIO')) });
  await unread.tell('session_started', { source: 'startup' });
  await unread.pass(60_000);
  expect(never.got).toEqual([]);
  expect(unread.log.lines.join()).toContain('what is excluded: Error: EIO');
  expect(log.lines).toEqual([]);
});

test('RLY-2 RLY-3 what can’t be read while the editor starts is asked for again, and then what waited goes out', async () => {
  const desk = receiver();
  let canRead = false;
  const owner = bench({
    ...webhook,
    send: desk.send,
    exclusions: () => (canRead ? Promise.resolve([]) : Promise.reject(new Error('locked'))),
  });
  await owner.tell('session_started', { source: 'startup' });
  await owner.pass(120_000);
  expect(desk.got).toEqual([]);
  canRead = true;
  await owner.pass(60_000);
  expect(desk.kinds()).toEqual(['started']);
});

test('RLY-3 a private prompt that is told while a request is being made ready holds it up', async () => {
  const desk = receiver();
  let isReady = false;
  const owner = bench({
    ...webhook,
    send: desk.send,
    beforePut(save) {
      const texts = JSON.stringify(save);
      if (isReady || !texts.includes('"trying"') || !texts.includes('private')) return;
      isReady = true;
      return owner.takeBack(owner.store.events('s').at(-1)!);
    },
  });
  const { tell, pass } = owner;
  await tell('session_started', { source: 'startup' });
  await pass(1_000);
  await tell('turn_ended', reply('Of the private prompt.'));
  await pass(60_000);
  expect([isReady, desk.kinds(), waiting(owner)]).toEqual([true, ['started'], []]);
});

test('RLY-3 a private prompt that is told while the answer is out: it is not repeated', async () => {
  const owner = await begun();
  const { tell, takeBack, pass } = owner;
  discord().next({ path: '/messages', with: 'drop' });
  await takeBack(await tell('turn_ended', reply('Of the private prompt.')));
  for (let each = 0; each < 5; each++) await pass(60_000);
  expect([discord().requests.length, waiting(owner)]).toEqual([3, []]);
});

test('RLY-3 words that were taken back right before a crash are not sent by the next owner', async () => {
  const desk = receiver();
  const settings = { ...webhook.settings, ...noon };
  const first = bench({ ...webhook, settings, send: desk.send });
  await first.tell('session_started', { source: 'startup' });
  await first.pass(1_000);
  const event = await first.tell('turn_ended', reply('Of the private prompt.'));
  first.kill();
  await first.takeBack(event);
  const next = bench({ ...webhook, settings, send: desk.send, store: first.store, clock: first.clock });
  for (let each = 0; each < 3; each++) await next.pass(3_600_000);
  expect(desk.kinds()).toEqual(['started']);
});

test('RLY-3 CNV-4 nor what somebody asks who was sent for by a private turn, though the turn is over', async () => {
  const desk = receiver();
  const settings = { ...webhook.settings, ...noon };
  const first = bench({ ...webhook, settings, send: desk.send });
  await first.tell('session_started', { source: 'startup' });
  const sentFor = await first.tell('agent_started', { agent_type: 'helper' }, { agent_id: 's/helper' });
  const { ts } = await first.tell('user_prompt', { prompt: 'in public' });
  await first.pass(1_000);
  const call = { wait: 'permission', tool_name: 'fire_person', tool_use_id: 't1' };
  await first.tell('agent_blocked', call, { agent_id: 's/helper' });
  first.kill();
  const unlogged = [{ from: '2026-01-01T11:00:00.000Z', to: ts, isPrivate: true as const }];
  const agents = first.hub
    .state('s')!
    .agents.map((each) => (each.agent.id === 's/helper' ? { ...each, unlogged: true as const } : each));
  await first.takeBack(sentFor, { agents, unlogged });
  const next = bench({ ...webhook, settings, send: desk.send, store: first.store, clock: first.clock });
  for (let each = 0; each < 3; each++) await next.pass(3_600_000);
  expect(desk.kinds()).not.toContain('permission');
});

test('RLY-3 what waits for another channel is not said in the new one, also where it may have been said', async () => {
  const { tell, change, pass } = await begun();
  discord().next({ path: '/messages', with: 'drop', carriedOut: true });
  await tell('turn_ended', reply('In the old one.'));
  change({ channels: { '*': '2000' } });
  await tell('turn_ended', reply('In the new one.'));
  await pass(60_000);
  expect(texts().filter((text) => text.startsWith('In'))).toEqual(['In the old one.', 'In the new one.']);
});

test('RLY-3 all is erased: also what waits of a session that is not live any more', async () => {
  const desk = receiver();
  const first = bench({ ...webhook, settings: { ...webhook.settings, ...noon }, send: desk.send });
  await first.tell('session_started', { source: 'startup' });
  await first.tell('turn_ended', reply('Gone.'));
  first.hub.leave(['s']);
  await first.store.erase({ sessions: 'all' });
  first.hub.erase(first.hub.sessionIds());
  for (let each = 0; each < 3; each++) await first.pass(3_600_000);
  expect(desk.got).toEqual([]);
});

test('RLY-2 another bot knows nothing of the first one’s nonces: what may have been said is not said by it', async () => {
  const { tell, changeSecret, pass } = await begun();
  discord().next({ path: '/messages', with: 'drop', carriedOut: true });
  await tell('turn_ended', reply('Said once.'));
  changeSecret('relay.discordToken', 'of-another-bot');
  await pass(0);
  await pass(60_000);
  expect(texts()).toEqual(['Said once.']);
  expect(discord().requests.filter(({ path }) => path.endsWith('/messages'))).toHaveLength(1);
});
