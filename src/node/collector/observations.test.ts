import { expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { eventsOf, recording } from '../../domain/recordings.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { observationSchema, type Statistics, statisticsSchema, type ToolObservation } from '../../protocol/reading.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { withPayload } from '../../domain/event.testkit.ts';

type Lab = Awaited<ReturnType<typeof collectorUnderTest>>;

const START = Date.UTC(2026, 0, 1);

async function hook(lab: Lab, at: number, hook_event_name: string, fields: JsonObject = {}): Promise<void> {
  const _meta = { delivery_id: `d${at}-${hook_event_name}`, collected_at: new Date(START + at).toISOString() };
  await lab.post({ hook_event_name, session_id: 's', cwd: '/p', ...fields, _meta });
}

const bash = (id: string) => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { command: `echo ${id}` } });

async function pages(lab: Lab, id: string, limit: number): Promise<readonly (readonly ToolObservation[])[]> {
  const all: ToolObservation[][] = [];
  for (let cursor = ''; ;) {
    const answer = await lab.get(`/api/sessions/${id}/observations?limit=${limit}${cursor}`);
    expect(answer.status).toBe(200);
    const { items, next } = answer.json() as { items: ToolObservation[]; next: string | null };
    all.push(items.map((item) => observationSchema.parse(item)));
    if (next === null) return all;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

test('CNV-1 observations come in pages, oldest first, each with its end wherever that stands', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'UserPromptSubmit', { prompt: 'go' });
  for (let index = 0; index < 7; index++) await hook(lab, 100 + index, 'PreToolUse', bash(`t${index}`));
  for (let index = 6; index >= 0; index--)
    await hook(lab, 900 - index * 100, 'PostToolUse', { ...bash(`t${index}`), tool_response: { stdout: `${index}`, stderr: '' } }); // prettier-ignore
  const told = await pages(lab, 's', 3);
  expect(told.map((items) => items.map(({ response, durationMs }) => `${response} ${durationMs}`))).toEqual([
    ['0 800', '1 699', '2 598'],
    ['3 497', '4 396', '5 295'],
    ['6 194'],
  ]);
  await lab.collector.close();
});

test('CNV-1 the pages of a recorded session hold what it holds as a whole', async () => {
  const lab = await collectorUnderTest();
  const events = eventsOf(recording('claude/2.1.327/p-subs.jsonl'));
  await lab.store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  lab.hub.commit(events);
  const id = events[0]?.session_id ?? '';
  const [whole = []] = await pages(lab, id, 500);
  expect(whole.map(({ skillName, agentId }) => `${skillName} ${agentId.endsWith('/main')}`).toSorted()).toEqual([
    'Agent true',
    'Agent true',
    'Bash false',
    'Read false',
  ]);
  for (const limit of [1, 2, 3]) expect((await pages(lab, id, limit)).flat()).toEqual(whole);
  await lab.collector.close();
});

test('CNV-1 a page of a long session reads no more of it than its own calls', async () => {
  const read: number[] = [];
  const readFrom = (store: EventStore): EventStore => ({
    ...store,
    eventsPage: (id, page) => {
      const found = store.eventsPage(id, page);
      read.push(found.items.length);
      return found;
    },
  });
  const lab = await collectorUnderTest({ readFrom });
  const [prompt, ...rest] = eventsOf(recording('claude/2.1.327/p-single.jsonl'));
  const call = rest.filter(({ event_type: type }) => type === 'tool_started' || type === 'tool_succeeded');
  const events = Array.from({ length: 2_000 }, (_, turn) =>
    [prompt, ...call].map((event, step) => again(event as AgentEvent, turn, step)),
  ).flat();
  await lab.store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  lab.hub.commit(events);
  const id = events[0]?.session_id ?? '';
  const first = (await lab.get(`/api/sessions/${id}/observations?limit=20`)).json() as { next: string };
  read.length = 0;
  const answer = await lab.get(`/api/sessions/${id}/observations?limit=20&cursor=${encodeURIComponent(first.next)}`);
  expect([(answer.json()['items'] as unknown[]).length, read.reduce((sum, count) => sum + count, 0) <= 200]).toEqual([20, true]); // prettier-ignore
  await lab.collector.close();
});

test('CNV-1 the end of a call is looked for no further than a few pages of large events go', async () => {
  let read = 0;
  const readFrom = (store: EventStore): EventStore => ({
    ...store,
    eventsPage: (id, page) => {
      const found = store.eventsPage(id, page);
      read += found.items.length;
      return found;
    },
  });
  const lab = await collectorUnderTest({ readFrom });
  const [prompt, ...rest] = eventsOf(recording('claude/2.1.327/p-single.jsonl'));
  const started = rest.find(({ event_type: type }) => type === 'tool_started') as AgentEvent;
  const others = Array.from({ length: 400 }, (_, index) => ({
    ...again(prompt as AgentEvent, 1, index),
    event_type: 'notification' as const,
    payload: {},
    raw: { text: 'x'.repeat(60_000) },
  }));
  const events = [again(started, 0, 0), ...others];
  await lab.store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  lab.hub.commit(events);
  const answer = await lab.get(`/api/sessions/${started.session_id}/observations?limit=1`);
  expect([(answer.json()['items'] as unknown[]).length, read < 300]).toEqual([1, true]);
  await lab.collector.close();
});

function again(event: AgentEvent, turn: number, step: number): AgentEvent {
  const id = `t${turn}`;
  return {
    ...withPayload(event, { ...wordsOf(event.payload), tool_use_id: id }),
    id: `${turn}-${step}`,
    ts: new Date(START + turn * 1_000 + step).toISOString(),
  };
}

test('CNV-1 who asks for another session’s page, or one of nowhere, is told', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'PreToolUse', bash('t'));
  await hook(lab, 1, 'PreToolUse', bash('u'));
  const { next } = (await lab.get('/api/sessions/s/observations?limit=1')).json() as { next: string };
  await hook(lab, 2, 'PreToolUse', { ...bash('t'), session_id: 's2' });
  const asked = [`/api/sessions/nobody/observations`, `/api/sessions/s2/observations?cursor=${next}`, `/api/sessions/s/observations?cursor=x`, '/api/sessions/nobody/statistics']; // prettier-ignore
  const statuses = [];
  for (const path of asked) statuses.push((await lab.get(path)).status);
  expect(statuses).toEqual([404, 400, 400, 404]);
  await lab.collector.close();
});

test('CNV-2 statistics go on with their session and are final at its end', async () => {
  const lab = await collectorUnderTest();
  const ask = async (): Promise<Statistics> =>
    statisticsSchema.parse((await lab.get('/api/sessions/s/statistics')).json());
  await hook(lab, 0, 'SessionStart', { source: 'startup' });
  await hook(lab, 1_000, 'UserPromptSubmit', { prompt: 'go' });
  expect(await ask()).toMatchObject({ prompts: 1, final: false, endReason: null, durationMs: 1_000 });
  await hook(lab, 2_000, 'Stop', { last_assistant_message: 'done' });
  await hook(lab, 9_000, 'SessionEnd', { reason: 'clear' });
  expect(await ask()).toEqual({
    prompts: 1,
    replies: 1,
    toolCalls: 0,
    failures: 0,
    subagents: 0,
    tokensIn: 0,
    tokensOut: 0,
    durationMs: 9_000,
    endReason: 'clear',
    final: true,
  });
  await lab.collector.close();
});
