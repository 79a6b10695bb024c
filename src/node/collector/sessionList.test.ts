import { afterEach, expect, test } from 'vitest';
import type { EventStore } from '../../app/ports.ts';
import { collectorUnderTest } from './collector.testkit.ts';

const HOUR = 3_600_000;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

interface Line {
  readonly id: string;
  readonly hours: number;
  readonly cwd: string;
  readonly title: string;
  readonly provider?: string;
}

const lines: readonly Line[] = [
  { id: 'new', hours: 1, cwd: '/p/orchard', title: 'Tidy the build' },
  { id: 'day', hours: 20, cwd: '/p/harbour', title: 'Write about BUILDS' },
  { id: 'odd', hours: 30, cwd: '/p/orchard', title: 'Say "hello"', provider: 'codex' },
  { id: 'old', hours: 300, cwd: '/p/orchard', title: '빌드 정리' },
];

async function setUp() {
  let rowsRead = 0;
  const readFrom = (store: EventStore): EventStore => ({
    ...store,
    sessions: (page) => {
      const part = store.sessions(page);
      rowsRead += part.items.length;
      return part;
    },
  });
  const parts = await collectorUnderTest({ readFrom });
  opened.push(parts.collector);
  const now = parts.clock.now();
  const at = (hours: number) => new Date(now - hours * HOUR).toISOString();
  for (const { id, hours, cwd, title, provider = 'claude' } of lines) {
    const answer = await parts.post({
      ...{ session_id: id, cwd, hook_event_name: 'UserPromptSubmit', prompt: title },
      _meta: { collected_at: at(hours), provider },
    });
    expect(answer.status, answer.text).toBe(200);
  }
  async function ids(query: Readonly<Record<string, string>>): Promise<unknown> {
    const answer = await parts.get(`/api/sessions?${new URLSearchParams(query).toString()}`);
    if (answer.status !== 200) return answer.json();
    return (answer.json()['items'] as { id: string }[]).map(({ id }) => id);
  }
  return { ...parts, at, ids, rowsRead: () => rowsRead };
}

test('CNV-3 the list of sessions holds those that are asked for, newest first, live ones and those of long ago', async () => {
  const { ids, at } = await setUp();
  expect(await ids({})).toEqual(['new', 'day', 'odd', 'old']);
  expect(await ids({ project: '/p/orchard' })).toEqual(['new', 'odd', 'old']);
  expect(await ids({ provider: 'codex' })).toEqual(['odd']);
  expect(await ids({ title: 'build' })).toEqual(['new', 'day']);
  expect(await ids({ title: 'say "HELLO"' })).toEqual(['odd']);
  expect(await ids({ title: '정리' })).toEqual(['old']);
  expect(await ids({ from: at(20) })).toEqual(['new', 'day']);
  expect(await ids({ from: at(30), to: at(1) })).toEqual(['day', 'odd']);
  expect(await ids({ project: '/p/orchard', provider: 'claude', to: at(100) })).toEqual(['old']);
  expect(await ids({ project: '/p' })).toEqual([]);
});

test('CNV-3 a filtered list is the same in pages of any size', async () => {
  const { get } = await setUp();
  for (const limit of [1, 2, 3]) {
    const found: string[] = [];
    let next = '';
    do {
      const answer = (await get(`/api/sessions?project=%2Fp%2Forchard&limit=${limit}${next}`)).json();
      found.push(...(answer['items'] as { id: string }[]).map(({ id }) => id));
      next = answer['next'] === null ? '' : `&cursor=${encodeURIComponent(String(answer['next']))}`;
    } while (next !== '');
    expect(found).toEqual(['new', 'odd', 'old']);
  }
});

test('CNV-3 what is older than asked for is not read', async () => {
  const { ids, at, rowsRead, store } = await setUp();
  for (let index = 0; index < 500; index++) {
    const id = `ancient${index}`;
    store.saveSessions([{ id, lastEventAt: at(1_000 + index), reducer: 0, json: '{}' }]);
  }
  expect(await ids({ from: at(25), limit: '500' })).toEqual(['new', 'day']);
  expect(rowsRead()).toBeLessThan(100);
});

test.each([
  ['from=yesterday', 'from must be a moment like 2026-01-31T00:00:00Z'],
  ['to=2026-01-31', 'to must be a moment like 2026-01-31T00:00:00Z'],
  [`title=${'x'.repeat(201)}`, 'title'],
])('CNV-3 %s is refused, with what to do', async (query, words) => {
  const { get } = await setUp();
  const answer = await get(`/api/sessions?${query}`);
  expect([answer.status, answer.json()]).toEqual([400, { error: expect.stringContaining(words) as string }]);
});
