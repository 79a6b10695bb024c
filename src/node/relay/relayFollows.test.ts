import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { HEARD_KEY, readHeard } from '../../domain/relay/records.ts';
import { rankOf } from '../../domain/order.ts';
import { overriding } from '../../domain/overriding.ts';
import { withoutContent } from '../../domain/unlogged.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { type BenchParts, receiptsIn, receiver, type RelayBench, relayTests, reply, webhook } from './relay.testkit.ts';

const { bench } = relayTests();

const noon = { ...webhook.settings, quietHours: { from: 11 * 60, to: 13 * 60 } };

/** The number up to which the log was heard, as it is on the shelf. */
function heardIn({ store }: RelayBench): number | undefined {
  return readHeard(store.shelf('relay').get(HEARD_KEY)?.value)?.seq;
}

/** The next owner of the same store, a moment later. */
function after({ store, clock }: RelayBench, parts: BenchParts): RelayBench {
  clock.sleep(1);
  return bench({ ...webhook, store, clock, ...parts });
}

/** A reply of session `s` that is stored by an owner that was killed before its relay heard of it. */
async function unheard({ store, hub, clock }: RelayBench, text: string, like: AgentEvent): Promise<void> {
  const ts = new Date(clock.now()).toISOString();
  const event = { ...like, id: text, ts, event_type: 'turn_ended', payload: reply(text) } as AgentEvent;
  await store.append([{ event, keys: [], rank: rankOf(event.event_type) }]);
  hub.commit([event]);
}

describe('RLY-2 STO-6 a reply and the number of the log that tells of it are durable together', () => {
  test('RLY-2 killed after a reply was heard and before it was written: the next owner says it, once', async () => {
    const desk = receiver();
    const first: RelayBench = bench({
      ...webhook,
      send: desk.send,
      beforePut(save) {
        if (JSON.stringify(save).includes('Said once.')) first.kill();
      },
    });
    await first.tell('session_started', { source: 'startup' });
    await first.tell('turn_ended', reply('Said once.'));
    const next = after(first, { send: desk.send });
    await next.pass(60_000);
    expect([desk.kinds(), receiptsIn(next)]).toEqual([
      ['started', 'reply'],
      ['started sent', 'reply sent'],
    ]);
  });

  test('RLY-2 a disk that was full when a reply was to be written: the number stays behind until both can be', async () => {
    const desk = receiver();
    let isFull = false;
    const first = bench({
      ...webhook,
      settings: noon,
      beforePut() {
        if (isFull) throw new Error('ENOSPC');
      },
    });
    await first.tell('session_started', { source: 'startup' });
    const like = await first.tell('user_prompt', { prompt: 'go on' });
    const before = heardIn(first);
    isFull = true;
    await first.tell('turn_ended', reply('Not written.'));
    expect(heardIn(first)).toBe(before);
    isFull = false;
    await first.tell('turn_ended', reply('Written.'));
    first.kill();
    await unheard(first, 'Not heard.', like);
    const next = after(first, { send: desk.send });
    await next.pass(60_000);
    expect(desk.texts().slice(1)).toEqual(['Not written.', 'Written.', 'Not heard.']);
  });

  test('RLY-2 a number that is older than what was said: the log is heard again, and nothing is said twice', async () => {
    const desk = receiver();
    const first = bench({ ...webhook, send: desk.send });
    await first.tell('session_started', { source: 'startup' });
    await first.tell('user_prompt', { prompt: 'go on' });
    await first.tell('turn_ended', reply('One.'));
    await first.tell('user_prompt', { prompt: 'go on' });
    await first.tell('turn_ended', reply('Two.'));
    await first.close();
    await first.store.shelf('relay').put([{ key: HEARD_KEY, value: { seq: 0 } }]);
    const next = after(first, { send: desk.send });
    await next.tell('notification', { notification_type: 'other' });
    await next.pass(60_000);
    expect(desk.kinds()).toEqual(['started', 'reply', 'reply']);
    expect(heardIn(next)).toBeLessThanOrEqual(next.store.changes.lastSeq());
  });

  test('STO-6 2,000 events without a message: the durable number is never more than 1,000 behind, and up to date after a close', async () => {
    const owner = bench({ ...webhook, send: receiver().send });
    await owner.tell('session_started', { source: 'startup' });
    for (let each = 0; each < 2_000; each++) {
      await owner.commit('tool_started', { tool_name: 'Read', tool_use_id: `t${each}` });
      expect(owner.store.changes.lastSeq() - (heardIn(owner) ?? 0)).toBeLessThanOrEqual(1_001);
    }
    await owner.close();
    expect(heardIn(owner)).toBe(owner.store.changes.lastSeq());
  });

  test('STO-6 an event without a message costs no write', async () => {
    let puts = 0;
    const owner = bench({ ...webhook, send: receiver().send, beforePut: () => void puts++ });
    await owner.tell('session_started', { source: 'startup' });
    const before = puts;
    for (let each = 0; each < 20; each++) await owner.tell('notification', { notification_type: 'other' });
    expect(puts).toBe(before);
  });
});

describe('RLY-3 where the relay was off', () => {
  test('RLY-3 turned off and on again: what was stored between is not said, nor by the next owner', async () => {
    const desk = receiver();
    const owner = bench({ ...webhook, send: desk.send });
    const like = await owner.tell('session_started', { source: 'startup' });
    owner.change({ target: 'off' });
    expect(heardIn(owner)).toBeDefined();
    await owner.tell('turn_ended', reply('Between.'));
    expect(heardIn(owner)).toBeUndefined();
    owner.change({ target: 'webhook' });
    await owner.tell('turn_ended', reply('After it.'));
    owner.kill();
    await unheard(owner, 'Not heard.', like);
    const next = after(owner, { send: desk.send });
    await next.pass(60_000);
    expect(desk.texts().slice(1)).toEqual(['After it.', 'Not heard.']);
  });

  test('RLY-3 STO-1 an owner with the relay off between two that send: its time is not told, and what it took back is not sent', async () => {
    const desk = receiver();
    const first = bench({ ...webhook, settings: noon, send: desk.send });
    await first.tell('session_started', { source: 'startup' });
    await first.pass(1_000);
    await first.tell('turn_ended', reply('Waits.'));
    await first.pass(1_000);
    const event = await first.tell('turn_ended', reply('Of the private prompt.'));
    await first.close();
    const off = after(first, { settings: { ...noon, target: 'off' } });
    await off.pass(1_000);
    await off.takeBack(event, { unlogged: [{ from: event.ts, to: new Date(off.clock.now()).toISOString() }] });
    await off.pass(1_000);
    await off.tell('user_prompt', { prompt: 'in public' });
    await off.tell('turn_ended', reply('While it was off.'));
    await off.close();
    const last = after(off, { settings: { ...noon, quietHours: undefined }, send: desk.send });
    await last.tell('turn_ended', reply('On again.'));
    await last.pass(60_000);
    expect(desk.texts().slice(1)).toEqual(['Waits.', 'On again.']);
  });

  test('RLY-3 CNV-4 a session that is erased while the relay is off leaves nothing that could be written when it is on again', async () => {
    const owner = bench({ ...webhook, send: receiver().send });
    await owner.tell('session_started', { source: 'startup' });
    owner.change({ target: 'off' });
    await owner.pass(0);
    await owner.store.erase({ sessions: ['s'] });
    owner.hub.erase(['s']);
    await owner.pass(0);
    owner.change({ target: 'webhook' });
    await owner.pass(60_000);
    expect(
      owner.store
        .shelf('relay')
        .after(undefined, 10)
        .map(({ key }) => key),
    ).toEqual([HEARD_KEY]);
  });

  test('RLY-3 the note of an earlier release has no number: what was stored before is old', async () => {
    const desk = receiver();
    const first = bench({ ...webhook, send: desk.send });
    const like = await first.tell('session_started', { source: 'startup' });
    first.kill();
    await unheard(first, 'Of before.', like);
    const since = new Date(first.clock.now()).toISOString();
    await first.store.shelf('relay').put([{ key: HEARD_KEY, value: { since } }]);
    const next = after(first, { send: desk.send });
    await next.tell('turn_ended', reply('Of now.'));
    expect([desk.texts().slice(1), heardIn(next)]).toEqual([['Of now.'], expect.any(Number)]);
  });
});

test('RLY-3 CNV-4 words that were taken back while no relay ran are not sent before the log is heard to its end', async () => {
  const desk = receiver();
  const first = bench({ ...webhook, settings: noon, send: desk.send });
  const like = await first.tell('session_started', { source: 'startup' });
  await first.pass(1_000);
  const event = await first.tell('turn_ended', reply('Of the private prompt.'));
  first.kill();
  for (let each = 0; each < 100; each++) {
    const of = { ...like, id: `e${each}`, session_id: 'other', agent_id: 'other/main' };
    await first.store.append([{ event: of, keys: [], rank: 0 }]);
  }
  await first.store.rewrite({ events: [withoutContent(event, true)], rows: [] });
  const store = overriding<EventStore>(first.store, {
    changes: {
      ...first.store.changes,
      after(seq) {
        const [next] = first.store.changes.after(seq).changes;
        return next ? { changes: [next], upTo: next.seq } : first.store.changes.after(seq);
      },
    },
  });
  const next = bench({ ...webhook, store, clock: first.clock, send: desk.send });
  let turns = 0;
  await next.until(() => ++turns > 10);
  expect(desk.got).toEqual([]);
  await next.pass(60_000);
  expect(desk.events().map(({ event: { session, kind } }) => [session, kind])).toEqual([['s', 'started']]);
});

test('CNV-4 after all was erased the relay goes on from there, also when it is killed', async () => {
  const desk = receiver();
  const first = bench({ ...webhook, send: desk.send });
  const like = await first.tell('session_started', { source: 'startup' });
  await first.store.erase({ sessions: 'all' });
  first.hub.erase(['s']);
  await first.pass(0);
  first.kill();
  await unheard(first, 'Since then.', like);
  const next = after(first, { send: desk.send });
  await next.tell('notification', { notification_type: 'other' });
  expect(desk.texts()).toContain('Since then.');
});
