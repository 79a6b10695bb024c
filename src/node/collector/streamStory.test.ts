import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { readerFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import { collectorUnderTest, streamReader } from './collector.testkit.ts';

const start = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/p', source: 'startup' };
const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };
const over = { hook_event_name: 'SessionEnd', session_id: 's', reason: 'clear' };

const call = { session_id: 's', cwd: '/p', tool_use_id: 't', tool_input: { command: 'npm test' }, tool_name: 'Bash' };
const failed = { ...call, hook_event_name: 'PostToolUseFailure', error: 'Exit code 1\nno' };

const hello = { type: 'hello', protocol: WIRE_VERSION, app: 'test', version: '1' };

const ending: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ending.splice(0).reverse()) await end();
});

async function setUp(options: Parameters<typeof collectorUnderTest>[0] = {}) {
  const parts = await collectorUnderTest(options);
  ending.push(() => parts.collector.close());
  const join = async (role?: 'reader' | 'follower', record?: number) => {
    const reader = await streamReader(parts.collector.port, { authorization: `Bearer ${parts.token}` });
    ending.push(() => reader.socket.terminate());
    await reader.until(1);
    if (role === undefined) return reader;
    reader.socket.send(JSON.stringify({ ...hello, role, record }));
    await heard(reader);
    return reader;
  };
  return { ...parts, join };
}

/** What it said before has been taken in, and what it was sent before has come. */
async function heard({ socket }: Awaited<ReturnType<typeof streamReader>>): Promise<void> {
  const answered = once(socket, 'pong');
  socket.ping();
  await answered;
}

test('EVT-1 COL-7 a reader of the WebSocket is told what happens in the sessions, as it happens', async () => {
  const { join, post, get } = await setUp();
  const reader = await join('reader');
  for (const hook of [start, prompt, failed, over]) await post(hook);
  const story = await reader.untilTold(4);
  expect(story.map(({ event_type: type, severity }) => `${type} ${severity}`)).toEqual([
    'session_start info',
    'user_request info',
    'test_failed error',
    'session_end info',
  ]);
  const stored = (await get('/api/sessions/s/session-events')).json();
  expect(stored['items']).toEqual(story);
});

test('EVT-1 COL-7 a reader that comes again to another owner and says its record is told what happened meanwhile, once', async () => {
  const before = await setUp();
  const first = await before.join('reader');
  await before.post(start);
  await first.untilTold(1);
  const record = before.hub.storyTo();
  await before.post(prompt);
  await before.collector.close();
  const after = await setUp({ store: before.store });
  await after.post(failed);
  const again = await after.join('reader', record);
  await after.post(over);
  const story = await again.untilTold(3);
  expect(story.map(({ event_type: type }) => type)).toEqual(['user_request', 'test_failed', 'session_end']);
});

test('EVT-1 COL-7 HKI-9 a reader that comes again is told nothing of what is shown no more, nor twice what was stored anew', async () => {
  const before = await setUp();
  await before.post(start);
  await before.post({ ...start, session_id: 'hidden' });
  const record = 0;
  await before.collector.close();
  const after = await setUp({ store: before.store });
  after.hub.leave(['hidden']);
  const ids = after.store.events('s').map(({ id }) => id);
  await after.store.trim({ sessionId: 's', strip: ids });
  await after.post(over);
  const again = await after.join('reader', record);
  await heard(again);
  // Its first telling went with the payload; what is left is no news.
  expect(again.story.map(({ session_id: id, event_type: type }) => `${id} ${type}`)).toEqual(['s session_end']);
});

test('EVT-1 COL-7 of several that happened at once only the last says that all were told', async () => {
  const { post, join, hub, store } = await setUp();
  await post(start);
  const reader = await join('reader');
  const records: (number | undefined)[] = [];
  reader.socket.on('message', (data) => {
    const frame = readerFrameSchema.parse(JSON.parse((data as Buffer).toString()));
    if (frame.type === 'session-event') records.push(frame.record);
  });
  const [first] = store.events('s');
  const events = ['one', 'two'].map((id) => ({ ...first!, id, ts: new Date().toISOString() }));
  await store.append(events.map((event) => ({ event, keys: [event.id], rank: 1 })));
  hub.commit(events);
  await reader.untilTold(2);
  expect(records).toEqual([undefined, hub.storyTo()]);
});

test('EVT-1 COL-7 a window that follows, which may be older, is told the state alone', async () => {
  const { join, post } = await setUp();
  const [window, reader] = [await join('follower'), await join('reader')];
  for (const hook of [start, prompt]) await post(hook);
  await reader.untilTold(2);
  expect((await window.until(3)).map(({ type }) => type)).toEqual(['snapshot', 'patch', 'patch']);
  await heard(window);
  expect(window.story).toEqual([]);
});

test('EVT-1 COL-7 a window that has not said yet that it follows is told nothing either', async () => {
  const { join, post } = await setUp();
  const window = await join();
  await post(start);
  await window.until(2);
  window.socket.send(
    JSON.stringify({ type: 'hello', protocol: WIRE_VERSION, role: 'follower', app: 'test', version: '1' }),
  );
  await heard(window);
  await post(prompt);
  await window.until(3);
  await heard(window);
  expect(window.story).toEqual([]);
});

test('EVT-1 COL-7 a plain reader says nothing, and is told of the time since it came once it is sure to be no window', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { join, post } = await setUp();
  const reader = await join();
  await post(start);
  await heard(reader);
  expect(reader.story).toEqual([]);
  vi.advanceTimersByTime(2_000);
  await reader.untilTold(1);
  await post(prompt);
  expect((await reader.untilTold(2)).map(({ event_type: type }) => type)).toEqual(['session_start', 'user_request']);
});

test('EVT-1 COL-7 of what is erased meanwhile nobody is told', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { join, post, hub } = await setUp();
  const reader = await join();
  await post(start);
  await reader.until(2);
  hub.erase(['s']);
  await reader.until(3);
  vi.advanceTimersByTime(2_000);
  await heard(reader);
  expect(reader.story).toEqual([]);
});
