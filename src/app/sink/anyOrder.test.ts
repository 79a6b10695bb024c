import { expect, test } from 'vitest';
import { anEvent } from '../../domain/event.testkit.ts';
import { interactionOf } from '../../domain/interactions.ts';
import { noCallsYet, readObservations } from '../../domain/observations.ts';
import { rankOf } from '../../domain/order.ts';
import { rowOf } from '../../domain/restore.ts';
import { callRow, eventRow, saidRow } from '../../domain/postgres/rows.ts';
import { withoutContent } from '../../domain/unlogged.ts';
import { sessionEventOf } from '../../domain/sessionEvents.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { type FakeTeamDatabase, fakeTeamDatabase, quietMachine, unreachable } from './sink.testkit.ts';
import { randomFrom } from '../../domain/random.testkit.ts';

const seeds = Number(process.env['SINK_SEEDS'] ?? 30);
const first = Number(process.env['SINK_SEED'] ?? 1);

const sessions = ['a', 'b', 'c'];
const takenBack = new Set(['user_prompt', 'tool_succeeded', 'tool_failed']);

/** A conversation in which calls overlap, are given up, end late or twice, or never. */
function conversation(random: () => number, session: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  const open: string[] = [];
  const over: string[] = [];
  const add = (type: AgentEvent['event_type'], payload: AgentEvent['payload'], changes: Partial<AgentEvent> = {}) => {
    const at = events.length;
    const of = { session_id: session, agent_id: `${session}/main`, id: `${session}-${at}` };
    events.push(anEvent(at, type, payload, { ...of, ...changes }));
  };
  const call = (id: string) => ({ tool_use_id: id, tool_name: 'Bash', target: id });
  const end = (id: string, changes: Partial<AgentEvent> = {}) =>
    random() < 0.5
      ? add('tool_succeeded', call(id), { raw: { tool_response: { stdout: `of ${id}` } }, ...changes })
      : add(
          'tool_failed',
          { ...call(id), exit_code: 1, error_message: 'exit 1' },
          { raw: { error: 'exit 1' }, ...changes },
        );
  for (let step = 0; step < 60; step++) {
    const chance = random();
    if (chance < 0.2) add('user_prompt', { prompt: `${session} asks ${step}` });
    else if (chance < 0.35) add('turn_ended', { message: `${session} says ${step}` });
    else if (chance < 0.65) {
      const id = `${session}-call-${step}`;
      open.push(id);
      add('tool_started', call(id), { raw: { tool_input: { command: id } } });
    } else if (chance < 0.95 && open.length > 0) {
      const [id = ''] = open.splice(Math.floor(random() * open.length), 1);
      over.push(id);
      end(id);
    } else if (over.length > 0) end(over.at(-1) ?? '', { source: 'transcript' });
  }
  return events;
}

/** What the stored events tell when they are read once, from beginning to end. */
function expected(events: readonly AgentEvent[], name: 'interactions' | 'session_events') {
  if (name === 'session_events')
    return events.flatMap((event) => sessionEventOf(event, () => true) ?? []).map((each) => eventRow(each, 'user'));
  const reader = readObservations(noCallsYet);
  for (const event of events) reader.take(event, true);
  const said = events.flatMap((event) => interactionOf(event) ?? []);
  return [...said.map((each) => saidRow(each, 'user')), ...reader.items(false).map((each) => callRow(each, 'user'))];
}

/** The order in which a row names things tells nothing. */
const inOrder = (_: string, value: unknown): unknown =>
  isJsonObject(value as Json)
    ? Object.fromEntries(Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const asTold = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row, inOrder)).toSorted();

async function play(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const chance = (share: number) => random() < share;
  const store = memoryStore();
  const database: FakeTeamDatabase = fakeTeamDatabase();
  const coming = new Map(sessions.map((id) => [id, conversation(random, id)]));
  const withheld: AgentEvent[] = [];
  let erasedAt = '2026-01-01T00:00:00.000Z';

  async function owner(): Promise<void> {
    const one = quietMachine(database, { store, random });
    const copying = one.start();
    for (let turns = 0; turns < 6; turns++) {
      const batch: AgentEvent[] = [];
      for (const [id, events] of coming)
        for (const event of events.splice(0, Math.floor(random() * 8)))
          if (chance(0.15)) withheld.push(event);
          else if (chance(0.97) || id !== 'c') batch.push(event);
      if (chance(0.4)) batch.push(...withheld.splice(0, 3));
      // A row is made anew of whole hooks alone, which these are not.
      const isKnown = batch.every((event) => store.session(event.session_id) !== undefined);
      if (chance(0.8) || !isKnown) await one.say(batch);
      // Stored, and the process ends before anybody is told.
      else await store.append(batch.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
      if (chance(0.15)) database.refuseWith(unreachable);
      if (chance(0.15)) database.loseNextAnswer();
      if (chance(0.5)) await one.pass(Math.floor(random() * 20_000), 1_000);
      else for (let turn = random() * 30; turn > 0; turn--) await Promise.resolve();
      database.refuseWith(undefined);
      if (chance(0.08)) database.restoreTo(Math.floor(random() * 3));
      // What changes the store is told right after, or the process ends in between.
      if (chance(0.08)) {
        const words = store.events('a').filter(({ event_type: type }) => takenBack.has(type));
        const event = words[Math.floor(random() * words.length)];
        const state = one.hub.state('a');
        if (event && state) {
          const unlogged = [...(state.unlogged ?? []), { from: event.ts, to: event.ts, isPrivate: true as const }];
          await store.rewrite({ events: [withoutContent(event, true)], rows: [rowOf({ ...state, unlogged })] });
          if (chance(0.4)) break;
          one.hub.remake(['a']);
        }
      }
      if (chance(0.06)) {
        const last = store.events('b').at(-1)?.ts ?? '';
        // By one clock, which goes on.
        erasedAt = last > erasedAt ? last : new Date(Date.parse(erasedAt) + 1).toISOString();
        await store.erase({ sessions: ['b'] });
        if (chance(0.3)) break;
        one.hub.erase(['b']);
      }
    }
    await copying.close();
  }

  for (let life = 0; life < 4; life++) await owner();
  const last = quietMachine(database, { store, random });
  await last.say([...withheld, ...[...coming.values()].flat()]);
  const copying = last.start();
  await last.pass(60_000, 1_000);
  expect(last.standings.at(-1)?.kind).toBe('upToDate');
  await copying.close();
  for (const name of ['interactions', 'session_events'] as const)
    for (const id of sessions) {
      const there = database
        .ids(name)
        .map((key) => database.row(name, key))
        .filter((row) => row?.['session_id'] === id);
      expect(asTold(there), `seed ${seed}, ${name} of ${id}`).toEqual(asTold(expected(store.events(id), name)));
    }
}

test.each(Array.from({ length: seeds }, (_, n) => first + n))(
  'SNK-1 CNV-4 whatever comes when, and whoever dies when, in the end the database tells what is stored (seed %i)',
  play,
);
