import { expect, test } from 'vitest';
import { HELD_KEY } from '../../domain/relay/records.ts';
import { receiver, relayTests, type RelayBench, type BenchParts, reply, webhook } from '../relay/relay.testkit.ts';
import { openIn, silentLog, temporaryFolder } from '../store/store.testkit.ts';
import { idleParts } from './routeWorld.testkit.ts';
import { startCollector } from './server.ts';

const { bench, begun, texts } = relayTests();

const token = 'a-token-of-the-test';
const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

/** The collector's own routes over an owner with a relay. */
async function serving({ hub, store, notes, clock }: RelayBench) {
  const collector = await startCollector({
    ...{ ...idleParts(), source: hub, store, notes, log: silentLog, now: clock.now, version: '9.9.9', port: 0 },
    ...{ token: () => token, unauthenticatedIngest: () => false },
  });
  const authorization = `Bearer ${token}`;
  async function ask(path: string, body?: unknown, headers: Record<string, string> = { authorization }) {
    const sent = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${collector.url}${path}`, body === undefined ? { headers } : sent);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  return { ask, [Symbol.asyncDispose]: () => collector.close() };
}

const NOTES = '/api/sessions/s/notes';

test('RLY-2 a note is said in the session’s thread, masked, and it is told that it was', async () => {
  await using lab = await serving(await begun());
  expect(await lab.ask(NOTES, { text: `Deployed with ${secret}` })).toEqual({ status: 200, body: { said: true } });
  expect(texts()).toEqual(['Deployed with «masked:github-token»']);
});

test.each<[string, BenchParts, string?]>([
  ['the relay is off', { settings: { target: 'off' } }],
  ['notes are not chosen', { settings: { send: { ...webhook.settings.send, note: false } } }],
  ['its project has no channel', { settings: { channels: {} } }],
  ['nothing lets it in', { secrets: { 'relay.discordToken': '' } }],
  ['it is quiet', { settings: { quietHours: { from: 11 * 60, to: 13 * 60 } } }],
  ['nobody sits before it', {}, 'headless'],
])('RLY-2 false at once where %s', async (_, parts, surface = 'terminal') => {
  const owner = bench(parts);
  await owner.tell('session_started', { source: 'startup', surface });
  await using lab = await serving(owner);
  expect(await lab.ask(NOTES, { text: 'Hello' })).toEqual({ status: 200, body: { said: false } });
  expect(texts()).toEqual([]);
});

test('RLY-2 false where no answer comes in time, and then it is not said later', async () => {
  const desk = receiver();
  let isUp = true;
  const owner = bench({
    ...webhook,
    send: (...request) => (isUp ? desk.send(...request) : Promise.resolve({ kind: 'unsent', why: 'ECONNREFUSED' })),
  });
  await owner.tell('session_started', { source: 'startup' });
  await using lab = await serving(owner);
  isUp = false;
  const asked = lab.ask(NOTES, { text: 'Too late' });
  await owner.until(() =>
    owner.store
      .shelf('relay')
      .after('m/', 9)
      .some(({ key }) => key.startsWith('m/')),
  );
  await owner.pass(15_000);
  expect(await asked).toEqual({ status: 200, body: { said: false } });
  isUp = true;
  await owner.pass(600_000);
  expect(desk.kinds()).toEqual(['started']);
});

test('RLY-2 a script that talks on does not push replies out of the queue', async () => {
  const owner = bench({ ...webhook, send: () => Promise.resolve({ kind: 'unsent', why: 'ECONNREFUSED' }) });
  await owner.tell('session_started', { source: 'startup' });
  await owner.tell('turn_ended', reply('Done.'));
  await owner.pass(2_000);
  const said = Array.from({ length: 500 }, (_, each) => owner.notes.say('s', `Number ${each}`));
  await owner.pass(15_000);
  expect(new Set(await Promise.all(said))).toEqual(new Set([false]));
  expect(
    owner.store
      .shelf('relay')
      .after('m/', 999)
      .filter(({ key }) => key.startsWith('m/')),
  ).toHaveLength(2);
});

test('RLY-2 who has no token leaves no note, and bad input is told what is wrong', async () => {
  await using lab = await serving(await begun());
  expect((await lab.ask(NOTES, { text: 'Hello' }, {})).status).toBe(401);
  expect(await lab.ask('/api/sessions/nobody/notes', { text: 'Hello' })).toMatchObject({ status: 404 });
  for (const body of [{}, { text: '' }, { text: 7 }, { text: 'x'.repeat(8_001) }, { text: 'Hello', to: 'all' }]) {
    const answer = await lab.ask(NOTES, body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^(?:text|the body): /) } });
  }
  expect(texts()).toEqual([]);
});

test('RLY-1 what a chat was told of a session is read from the store’s own shelf', async () => {
  await using folder = await temporaryFolder();
  const desk = receiver();
  const { store } = await openIn(folder.path);
  const owner = bench({ ...webhook, store, send: desk.send });
  await owner.tell('session_started', { source: 'startup' });
  const event = await owner.tell('turn_ended', reply('Done.'));
  await owner.until(() => desk.got.length === 2);
  desk.status = 429;
  const later = await owner.tell('turn_ended', reply('Not yet.'));
  await owner.until(() => desk.got.length === 3);
  await owner.close();
  await store.close();

  const again = await openIn(folder.path, { generation: 2 });
  const next = bench({ ...webhook, settings: { ...webhook.settings, target: 'off' }, store: again.store });
  await next.until(() => again.store.shelf('relay').get(HELD_KEY) !== undefined);
  await using lab = await serving(next);
  const deliveries = async () => (await lab.ask('/api/sessions/s/deliveries')).body;
  const at = event.ts;
  expect(await deliveries()).toEqual({
    items: [
      { kind: 'started', at, state: 'sent', when: at },
      { kind: 'reply', at, event: event.id, state: 'sent', when: at },
      { kind: 'reply', at: later.ts, event: later.id, state: 'waiting', why: 'off' },
    ],
  });
  // What an owner wrote of why it sends nothing says nothing of one that has no relay at all.
  await again.store.shelf('relay').put([{ key: HELD_KEY, value: 'notAnswering' }]);
  await next.close();
  expect(await deliveries()).toMatchObject({ items: [{}, {}, { state: 'waiting', why: 'off' }] });
  expect(await lab.ask('/api/sessions/nobody/deliveries')).toMatchObject({ status: 404 });
  await again.store.close();
});
