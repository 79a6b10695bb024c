import { expect, test } from 'vitest';
import type { AgentEvent } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { rankOf } from '../../domain/order.ts';
import { anEvent } from '../../domain/event.testkit.ts';
import { reportSchema } from '../../protocol/report.ts';
import { collectorUnderTest } from './collector.testkit.ts';

type Lab = Awaited<ReturnType<typeof collectorUnderTest>>;

const START = Date.UTC(2026, 0, 1);

async function hook(lab: Lab, at: number, hook_event_name: string, fields: JsonObject = {}): Promise<void> {
  const _meta = { delivery_id: `d${at}`, collected_at: new Date(START + at * 1_000).toISOString() };
  await lab.post({ hook_event_name, session_id: 's', cwd: '/p', ...fields, _meta });
}

async function reportIn(lab: Lab) {
  const answer = await lab.get('/api/sessions/s/report');
  expect(answer.status).toBe(200);
  return reportSchema.parse(answer.json());
}

async function keep(lab: Lab, events: readonly AgentEvent[]): Promise<void> {
  await lab.store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  lab.hub.commit(events);
}

const bash = (id: string, command: string) => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { command } });

test('EVT-1 a session’s report is made of what is stored, as JSON and as Markdown', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'SessionStart', { source: 'startup' });
  await hook(lab, 1, 'UserPromptSubmit', { prompt: 'Fix the light' });
  await hook(lab, 2, 'PreToolUse', bash('t1', 'npm test'));
  await hook(lab, 3, 'PostToolUseFailure', { ...bash('t1', 'npm test'), error: 'Exit code 1\n1 failed' });
  const edited = { tool_name: 'Edit', tool_use_id: 't2', tool_input: { file_path: '/p/a.ts' } };
  await hook(lab, 4, 'PreToolUse', edited);
  await hook(lab, 5, 'PostToolUse', { ...edited, tool_response: {} });
  await hook(lab, 6, 'Stop', { last_assistant_message: 'Fixed.' });
  const report = await reportIn(lab);
  expect(report).toMatchObject({
    requests: { items: [{ text: 'Fix the light' }], left: 0 },
    files: { items: [{ path: 'a.ts', edits: 1 }] },
    failures: { items: [{ kind: 'check', check: 'test', what: 'npm test', times: 1 }] },
    statistics: { prompts: 1, toolCalls: 2, failures: 1 },
    turn: { ended: 'completed' },
    complete: true,
  });
  const markdown = await lab.get('/api/sessions/s/report?format=markdown');
  expect([markdown.status, markdown.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(markdown.text).toMatch(/^# Session report: Fix the light\n[^]*- Test: `npm test` · [^]*> Fixed\.\n$/);
  await lab.collector.close();
});

test('EVT-1 EVT-4 a report is of a session that there is, in a form that there is', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'SessionStart', { source: 'startup' });
  const [none, odd] = [
    await lab.get('/api/sessions/nobody/report'),
    await lab.get('/api/sessions/s/report?format=pdf'),
  ];
  expect([none.status, none.json()]).toEqual([404, { error: 'no session has this id' }]);
  expect([odd.status, odd.json()]).toEqual([400, { error: 'bad query: format must be json or markdown' }]);
  await lab.collector.close();
});

test('CNV-1 EVT-1 what hook and transcript both told stands in the report once', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'SessionStart', { source: 'startup' });
  await keep(lab, [
    anEvent(1, 'user_prompt', { prompt: 'Fix it' }),
    anEvent(2, 'prompt_found', { prompt: 'Fix it' }, { ts: '2026-01-01T00:00:01.002Z', source: 'transcript' }),
    anEvent(3, 'prompt_found', { prompt: 'And that' }, { ts: '2026-01-01T00:10:00.000Z', source: 'transcript' }),
  ]);
  expect((await reportIn(lab)).requests.items.map(({ text }) => text)).toEqual(['Fix it', 'And that']);
  await lab.collector.close();
});

test('GRD-1 EVT-1 work items of other projects are none of a report’s', async () => {
  const lab = await collectorUnderTest();
  await hook(lab, 0, 'SessionStart', { source: 'startup' });
  const start = async (body: JsonObject) => {
    const answer = await lab.ask('POST', '/api/work-items', JSON.stringify({ id: 'light', start: true, ...body }));
    expect(answer.status).toBe(200);
  };
  await start({ project: '/q', title: 'Of another' });
  await start({ project: '/p', title: 'The light', session: 's' });
  const { workItems } = await reportIn(lab);
  expect(workItems.items).toEqual([
    {
      id: 'light',
      title: 'The light',
      status: 'running',
      moves: [expect.objectContaining({ what: 'started' })],
      files: 0,
    },
  ]);
  await lab.collector.close();
});
