import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createListeners } from '../../app/listeners.ts';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { sessionEventSchema } from '../../protocol/sessionEvent.ts';
import { agentSchema, type Snapshot, snapshotSchema } from '../../protocol/state.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { createSeats } from './seats.ts';
import { type Message, sseReader } from './sse.testkit.ts';
import { createSseHub } from './sseHub.ts';
import { createStateText } from './stateText.ts';

const start = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/p', source: 'startup' };
const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };
const begun = { hook_event_name: 'SubagentStart', session_id: 's', agent_id: 'a', agent_type: 'Explore' };
const done = { hook_event_name: 'SubagentStop', session_id: 's', agent_id: 'a', agent_type: 'Explore' };
const over = { hook_event_name: 'SessionEnd', session_id: 's', reason: 'clear' };

const ending: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ending.splice(0).reverse()) await end();
});

async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  ending.push(() => parts.collector.close());
  const read = async (lastEventId?: string) => {
    const reader = await sseReader(parts.collector.port, parts.token, lastEventId);
    ending.push(reader.end);
    return reader;
  };
  return { ...parts, read };
}

const told = (type: string) => (messages: readonly Message[]) =>
  messages.some(({ data }) => data['event_type'] === type);

test('COL-7 EVT-1 a reader of server-sent events gets the state, then who comes and goes and what happens', async () => {
  const { read, post, hub } = await setUp();
  const reader = await read();
  expect([reader.status, reader.headers['content-type'], reader.headers['cache-control']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'no-store',
  ]);
  for (const hook of [start, prompt, begun, done, over]) await post(hook);
  const [first, ...rest] = await reader.until(told('session_end'));
  expect(reader.seen.retry).toBeGreaterThan(0);
  expect(first?.event).toBe('snapshot');
  expect(snapshotSchema.parse(first?.data['state']).revision).toBe(first?.data['revision']);
  const story = rest.filter(({ event }) => event === 'session.event').map(({ data }) => sessionEventSchema.parse(data));
  expect(story.map(({ event_type: type, summary }) => [type, summary])).toEqual([
    ['session_start', 'Session started (startup)'],
    ['user_request', 'hello'],
    ['agent_activated', 'Explore began'],
    ['agent_deactivated', 'Explore ended'],
    ['session_end', 'Session ended (clear)'],
  ]);
  const agents = rest.filter(({ event }) => event !== 'session.event');
  for (const { data } of agents) expect(agentSchema.safeParse(data).success).toBe(true);
  expect(agents.filter(({ data }) => data['id'] === 's/a').map(({ event }) => event)).toEqual([
    'agent-appeared',
    'agent-departed',
  ]);
  const state = new Map(agents.map(({ data: { revision: _, ...agent } }) => [agent['id'], agent]));
  expect([...state.values()]).toEqual(JSON.parse(JSON.stringify(hub.snapshot().agents)));
});

test('COL-7 wherever a reader was cut off, it comes again by its last id and misses nothing', async () => {
  const { read, post } = await setUp();
  const whole = await read();
  for (const hook of [start, prompt, begun, done, { ...begun, agent_id: 'b' }, over]) await post(hook);
  const all = [...(await whole.until(told('session_end')))];
  expect(all.some(({ id }) => id === undefined)).toBe(true);
  for (let cut = 1; cut <= all.length; cut++) {
    const again = await read(whole.lastId(cut));
    const last = all.length;
    const repeats = all.slice(0, cut).length - 1 - all.slice(0, cut).findLastIndex(({ id }) => id !== undefined);
    const expected = all.slice(cut - repeats, last);
    const got = expected.length === 0 ? [] : await again.until((messages) => messages.length >= expected.length);
    expect(got, `after ${cut} of ${last}`).toEqual(expected);
    expect(again.messages.some(({ event }) => event === 'snapshot')).toBe(false);
    again.end();
    await again.closed;
  }
});

test('COL-7 the last id of a reader that has missed nothing brings only what is new', async () => {
  const { read, post } = await setUp();
  const first = await read();
  await post(prompt);
  await first.until(told('user_request'));
  const second = await read(first.lastId());
  await post({ ...prompt, prompt: 'more' });
  const messages = await second.until(told('user_request'));
  expect(messages.at(-1)?.data['summary']).toBe('more');
  expect(messages.some(({ event }) => event === 'snapshot')).toBe(false);
});

test('COL-7 an id that is not ours, too old or of the future is answered with a snapshot', async () => {
  const { read, post } = await setUp();
  const first = await read();
  await post(prompt);
  await first.until(told('user_request'));
  const [generation, revision, number, tag] = (first.lastId() ?? '').split('-');
  const ids = [
    `2-${revision}-${number}-${tag}`,
    `${generation}-${revision}-${number}-other`,
    `${generation}-${revision}-${Number(number) + 1}-${tag}`,
    `${generation}-${revision}-999999999999999-${tag}`,
    `${generation}-${revision}--1-${tag}`,
    'garbage',
    '1-2',
    '',
    '-'.repeat(10_000),
    'ü',
  ];
  for (const id of ids) {
    const reader = await read(id);
    const [message] = await reader.until((messages) => messages.length > 0);
    expect([id.slice(0, 40), message?.event]).toEqual([id.slice(0, 40), 'snapshot']);
  }
});

test('COL-7 EVT-1 a reader that comes again to another owner gets what happened meanwhile once, then the state', async () => {
  const before = await setUp();
  const first = await before.read();
  await before.post(start);
  await first.until(told('session_start'));
  const place = first.lastId();
  await before.post(prompt);
  await before.collector.close();
  const after = await setUp({ store: before.store });
  await after.post({ ...prompt, prompt: 'more' });
  const again = await after.read(place);
  const messages = await again.until((all) => all.some(({ event }) => event === 'snapshot'));
  expect(messages.map(({ event, data }) => [event, data['summary']])).toEqual([
    ['session.event', 'hello'],
    ['session.event', 'more'],
    ['snapshot', undefined],
  ]);
  const last = await after.read(again.lastId());
  await after.post(over);
  const [next] = await last.until((all) => all.length > 0);
  expect(next?.event).not.toBe('snapshot');
});

test('COL-7 CNV-4 a reader that comes again after an erasure is told nothing of what was erased', async () => {
  const before = await setUp();
  const first = await before.read();
  const place = first.lastId();
  await before.post(prompt);
  await before.collector.close();
  await before.store.erase({ sessions: 'all' });
  const after = await setUp({ store: before.store });
  const [message] = await (await after.read(place)).until((all) => all.length > 0);
  expect(message?.event).toBe('snapshot');
});

test('COL-7 SEC-1 the event stream is refused like everything else, and only GET works', async () => {
  const { ask } = await setUp();
  const answers = [
    await ask('GET', '/api/events', undefined, { authorization: undefined }),
    await ask('GET', '/api/events', undefined, { origin: 'https://evil.example' }),
    await ask('HEAD', '/api/events'),
    await ask('POST', '/api/events', '{}'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 403, 405, 405]);
});

test('COL-7 closing the collector ends the streams at once', async () => {
  const { read, collector } = await setUp();
  const reader = await read();
  await reader.until((messages) => messages.length > 0);
  await collector.close();
  await reader.closed;
});

/** A hub of its own over a source whose every change is a megabyte. */
async function bigChanges() {
  const log = logLines();
  const patches = createListeners(log);
  const agents = [{ id: 'a', name: 'x'.repeat(1024 * 1024) }] as unknown as Snapshot['agents'];
  const owner = { instance: 'i', generation: 1, app: '', version: '', startedAt: '' };
  const state: Snapshot = { revision: 0, owner, sessions: [], agents: [], workItems: [], guardGaps: [] };
  const source = {
    snapshot: () => state,
    status: () => 'live' as const,
    onChange: patches.add,
    onSessionEvents: () => ({ dispose: () => undefined }),
    storyTo: () => 0,
    storyAfter: () => [],
    tell: (revision: number) =>
      patches.tell({
        type: 'patch',
        patch: {
          revision,
          sessions: [],
          agents,
          removedSessions: [],
          removedAgents: [],
          workItems: [],
          removedWorkItems: [],
          events: [{ name: 'agent-update', id: 'a' }],
        },
      }),
  };
  const hub = createSseHub({ source, stateText: createStateText(source), seats: createSeats(2), log });
  const gone = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.socket.once('close', () => gone.resolve());
    hub.join(undefined)?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => {
    hub.dispose();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, source, log, left: () => gone.promise };
}

describe('COL-7 readers that do not read', () => {
  test('COL-7 one that takes nothing is dropped for its backlog, and nobody waits for it', async () => {
    const { port, source, log, left } = await bigChanges();
    const stuck = connect(port, '127.0.0.1').on('error', () => undefined);
    ending.push(() => stuck.destroy());
    stuck.pause();
    stuck.write('GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n');
    const reader = await sseReader(port, '');
    ending.push(reader.end);
    await reader.until((messages) => messages.length > 0);
    let told = 0;
    while (log.lines.length === 0 && told < 100) {
      source.tell(++told);
      const heard = told;
      await reader.until((messages) => messages.length > heard);
    }
    await left();
    expect([log.lines.length, told > 8, told < 30]).toEqual([1, true, true]);
    source.tell(++told);
    await reader.until((messages) => messages.length === told + 1);
  });

  test('COL-7 one that took nothing since the last heartbeat is gone by the next; the others hear one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { read, post } = await setUp();
    const reader = await read();
    await reader.until((messages) => messages.length > 0);
    vi.advanceTimersByTime(15_000);
    await post(prompt);
    await reader.until(told('user_request'));
    expect(reader.seen.comments).toBe(1);
    // Nothing of the second heartbeat has left when the third comes: both in one turn.
    vi.advanceTimersByTime(15_000);
    vi.advanceTimersByTime(15_000);
    await reader.closed;
  });

  test('COL-7 plain readers of both streams share their number; one that leaves makes room', async () => {
    const { read, ask } = await setUp();
    const readers = await Promise.all(Array.from({ length: 64 }, () => read()));
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
    const refused = await ask('GET', '/api/events');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    readers[0]?.end();
    await readers[0]?.closed;
    let status: number | undefined = 503;
    while (status === 503) status = (await ask('GET', '/api/events')).status;
    expect(status).toBe(200);
  });

  test('COL-7 a stream that would wait behind another on one connection ends both, and no place is lost', async () => {
    const { collector, token, ask } = await setUp();
    const one = `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (let round = 0; round < 10; round++) {
      const socket = connect(collector.port, '127.0.0.1').on('error', () => undefined);
      socket.write(one.repeat(10));
      await once(socket.resume(), 'close');
      // The server sees the end of the older connection before it answers on a newer one.
      await ask('GET', '/health');
    }
    expect((await ask('GET', '/api/events')).status).toBe(200);
  });
});
