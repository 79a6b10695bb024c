import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import { reportSchema } from '../protocol/report.ts';
import type { WorkItem } from '../protocol/work.ts';
import { aSession, anAgent } from '../../test/webview/fixtures.ts';
import { anEvent } from './event.testkit.ts';
import { interactionOf } from './interactions.ts';
import { eventsOf, recordings } from './recordings.testkit.ts';
import { readReport, type Reported } from './report.ts';
import { reportText } from './reportText.ts';
import { englishReport } from './reportWords.ts';

const session = aSession({
  id: 's',
  title: 'Fix the light',
  project: '/p',
  cwd: '/p',
  model: 'opus',
  startedAt: '2026-01-01T00:00:00.000Z',
  lastEventAt: '2026-01-01T00:01:30.000Z',
  endedAt: '2026-01-01T00:01:30.000Z',
  endReason: 'other',
  state: 'completed',
  phase: null,
});

function reportOf(events: readonly AgentEvent[], reported: Partial<Reported> = {}, complete = true) {
  const reader = readReport(['/p']);
  for (const event of events) {
    const interaction = interactionOf(event);
    if (interaction) reader.said(interaction);
  }
  for (const event of events) reader.take(event);
  // It is sent as JSON, by its schema.
  return reportSchema.parse(
    JSON.parse(JSON.stringify(reader.report({ session, agents: [], items: [], ...reported }, complete))),
  );
}

const textOf = (...args: Parameters<typeof reportOf>) => reportText(reportOf(...args), englishReport('UTC'));

let at = 0;
const next = (type: AgentEvent['event_type'], payload: JsonObject = {}, changes: Partial<AgentEvent> = {}) =>
  anEvent(++at, type, payload, changes);
const notice = (type: EventType, payload: JsonObject = {}) => next(type, payload);

let calls = 0;
interface Ended {
  readonly failed?: JsonObject;
  readonly fields?: JsonObject;
  readonly changes?: Partial<AgentEvent>;
}
function call(tool_name: string, mood: string, target: string, { failed, fields = {}, changes = {} }: Ended = {}) {
  const payload = { tool_name, mood, target, tool_use_id: `c${++calls}`, ...fields };
  return [
    next('tool_started', payload, changes),
    failed
      ? next('tool_failed', { ...payload, exit_code: null, error_message: '', ...failed }, changes)
      : next('tool_succeeded', payload, changes),
  ];
}
const run = (command: string, ended?: Ended) => call('Bash', 'running', command, ended);
const edit = (file: string, ended?: Ended) => call('Edit', 'writing', file, ended);
const unlogged = { unlogged: true };

describe('EVT-1 the report of a session', () => {
  test('EVT-1 what was asked stands in it in order, beginning and end of a long session, what was cut is said', () => {
    const prompts = Array.from({ length: 250 }, (_, index) => next('user_prompt', { prompt: `ask ${index}` }));
    const long = next('user_prompt', { prompt: 'x'.repeat(3_000) });
    const { requests } = reportOf([next('user_prompt', { prompt: 'a', synthetic: true }), ...prompts, long]);
    expect([requests.items.length, requests.left]).toEqual([200, 51]);
    expect(requests.items.slice(38, 42).map(({ text }) => text)).toEqual(['ask 38', 'ask 39', 'ask 91', 'ask 92']);
    expect(requests.items.at(-1)).toEqual({ ts: long.ts, text: 'x'.repeat(2_000), cut: true });
  });

  test('EVT-1 files are told once each from the project on, with their edits, and so is each command with its last outcome', () => {
    const twice = edit('/p/src/a.ts');
    const { files, commands, failures, mended } = reportOf([
      ...twice,
      // A hook that is installed twice tells everything twice.
      ...twice,
      ...edit('/p/src/a.ts'),
      ...edit('/elsewhere/b.ts'),
      ...edit('/p/denied.ts', { failed: { denied: true } }),
      ...run('npm test', { failed: { exit_code: 1, check: 'test' } }),
      ...run('npm test'),
      ...run('serve', { fields: { detached: true } }),
      ...run('ls nowhere', { failed: { exit_code: 2, error_message: 'no such\nfile' } }),
      ...run('sleep 9', { failed: { interrupt: true } }),
      ...call('mcp__db__query', 'running', 'users'),
      ...call('Read', 'reading', '/p/c.ts'),
    ]);
    expect(files).toEqual({
      items: [
        { path: '/elsewhere/b.ts', edits: 1 },
        { path: 'src/a.ts', edits: 2 },
      ],
      left: 0,
    });
    expect(commands.items.map(({ ts: _ts, ...command }) => command)).toEqual([
      { text: 'npm test', outcome: 'succeeded', times: 2, failures: 1 },
      { text: 'serve', outcome: 'started', times: 1, failures: 0 },
      { text: 'ls nowhere', outcome: 'failed', exitCode: 2, times: 1, failures: 1 },
    ]);
    expect([failures.items, mended]).toEqual([
      [expect.objectContaining({ kind: 'call', what: 'ls nowhere', message: 'no such file', times: 1 })],
      1,
    ]);
  });

  test('EVT-1 what one source called done another may know to have failed', () => {
    const [start, end] = run('make');
    const late = { ...end!, id: 'late', event_type: 'tool_failed' as const, source: 'transcript' as const };
    const { commands } = reportOf([start!, end!, { ...late, payload: { ...late.payload, exit_code: 2 } }]);
    expect(commands.items).toEqual([
      expect.objectContaining({ outcome: 'failed', exitCode: 2, times: 1, failures: 1 }),
    ]);
  });

  test('EVT-1 failed checks, calls and turns stand in it unless they went well later', () => {
    const { failures, turn } = reportOf([
      next('user_prompt', { prompt: 'go' }),
      ...run('npm run build', { failed: { exit_code: 1, check: 'build', error_message: 'first' } }),
      ...run('npm run build', { failed: { exit_code: 1, check: 'build', error_message: 'again' } }),
      ...run('eslint .', { failed: { exit_code: 1, check: 'quality' } }),
      ...run('eslint .'),
      ...edit('/p/a.ts', { failed: { error_message: 'not found' } }),
      next('turn_ended', { reason: 'failed', error: 'rate_limit', message: 'Wait.' }),
      next('turn_ended', { reason: 'failed', error: 'rate_limit' }, { source: 'transcript' }),
    ]);
    expect(failures.items.map(({ kind, check, what, message, times }) => [kind, check, what, message, times])).toEqual([
      ['check', 'build', 'npm run build', 'again', 2],
      ['call', undefined, 'Edit /p/a.ts', 'not found', 1],
      ['turn', undefined, 'rate_limit', 'Wait.', 1],
    ]);
    expect(turn).toEqual({ ended: 'failed', error: 'rate_limit' });
  });

  test('EVT-1 EVT-3 decisions, escalations, edits outside of work items and gaps of the guard stand in it', () => {
    const { decisions, untracked } = reportOf([
      notice('decision', { summary: 'Use SQLite', details: 'It is there.', work_item: 'db' }),
      notice('escalation', { summary: 'A key is needed' }),
      notice('untracked_edit', { tool_name: 'Edit', target: '/p/a.ts', decision: 'denied' }),
      notice('untracked_edit', { tool_name: 'Write', decision: 'warned' }),
      notice('guard_gap', { tool_name: 'Edit', target: '/p/b.ts' }),
      notice('notification', { notification_type: 'idle_prompt' }),
    ]);
    expect(decisions.items.map(({ ts: _ts, ...decision }) => decision)).toEqual([
      { type: 'decision', summary: 'Use SQLite', details: 'It is there.', workItem: 'db' },
      { type: 'escalation', summary: 'A key is needed' },
    ]);
    expect(untracked.items.map(({ what, tool, target }) => [what, tool, target])).toEqual([
      ['denied', 'Edit', 'a.ts'],
      ['warned', 'Write', undefined],
      ['gap', 'Edit', 'b.ts'],
    ]);
  });

  test('EVT-1 GRD-1 work items stand in it that were started, ended, freed or edited for', () => {
    const item = (id: string, changes: Partial<WorkItem> = {}): WorkItem => ({
      ...{ key: id, id, title: `Title of ${id}`, status: 'done', dependencies: [], project: '/p', createdAt: '' },
      ...{ workers: [], sessions: [], files: [], touches: [], ...changes },
    });
    const { workItems } = reportOf(
      [
        notice('work_started', { work_item: 'a', title: 'then' }),
        ...edit('/p/x.ts', { fields: { work_item: 'a' } }),
        ...edit('/p/y.ts', { fields: { work_item: 'b' } }),
        notice('work_ended', { work_item: 'a', status: 'done' }),
        notice('dependency_resolved', { work_item: 'c', title: 'C', ended: 'a' }),
        notice('work_ended', { work_item: 'd', status: 'cancelled' }),
      ],
      {
        items: [
          item('a'),
          item('other'),
          item('told', { status: 'running', touches: [{ session: 's', files: ['1', '2'] }] }),
        ],
      },
    );
    expect(workItems.items.map(({ moves, ...rest }) => ({ ...rest, moves: moves.map(({ what }) => what) }))).toEqual([
      { id: 'a', title: 'Title of a', status: 'done', moves: ['started', 'done'], files: 1 },
      { id: 'c', title: 'C', moves: ['freed'], files: 0 },
      { id: 'd', moves: ['cancelled'], files: 0 },
      { id: 'b', moves: [], files: 1 },
      { id: 'told', title: 'Title of told', status: 'running', moves: [], files: 2 },
    ]);
  });

  test('EVT-1 who took part stands in it, with their calls and their end', () => {
    const scout = { agent_id: 's/a' };
    const { agents } = reportOf(
      [...run('ls', { changes: scout }), ...run('pwd', { changes: scout }), next('agent_stopped', {}, scout)],
      {
        agents: [
          anAgent({ id: 's/main', sessionId: 's', name: 'Juno' }),
          anAgent({ id: 's/a', sessionId: 's', name: 'Waffle', kind: 'subagent', type: 'Explore', task: 'look' }),
        ],
      },
    );
    expect(agents.items).toEqual([
      expect.objectContaining({ name: 'Waffle', type: 'Explore', task: 'look', calls: 2, endedAt: expect.any(String) }),
    ]);
  });

  test('EVT-1 CNV-4 turns that were not kept are named as such, and nothing else of them', () => {
    const report = reportOf([
      next('user_prompt', { ...unlogged, private: true }),
      ...call('Bash', 'running', '', { fields: unlogged }),
      ...call('Bash', 'running', '', { fields: unlogged, failed: { exit_code: 1, error_message: '' } }),
      next('turn_ended', { reason: 'completed', ...unlogged }),
      next('user_prompt', unlogged),
      ...edit('/p/a.ts', { fields: unlogged }),
    ]);
    expect(report.requests.items.map(({ text, unlogged: why }) => [text, why])).toEqual([
      ['', 'private'],
      ['', 'off'],
    ]);
    expect([report.commands.items, report.failures.items, report.unkept]).toEqual([
      [],
      [],
      { calls: 3, missing: false },
    ]);
    const text = reportText(report, englishReport('UTC'));
    expect(text).toContain('_A private prompt: it is not kept, nor what was answered to it · 2026-01-01 ');
    expect(text).toContain('_A prompt while logging was off: it is not kept');
    expect(text).toContain('Tool calls in turns that were not kept: 3. Nothing more is told of them.');
  });

  test('EVT-1 STO-4 that what was said is gone is told, and that a session is longer than what is read', () => {
    const counted = (prompts: number) => ({ session: { ...session, counts: { ...session.counts, prompts } } });
    const text = textOf([], counted(3), false);
    expect(text).toContain('What was said in this session is not stored');
    expect(text).toContain('_The session is longer than what is read for a report: what came last is not in it._');
    expect(textOf([], counted(0))).toContain('Nothing was asked.');
  });

  test('EVT-1 a long session takes no more room than a report has', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => [
      ...edit(`/p/f${index}.ts`),
      ...run(`step ${index}`, { failed: { exit_code: 1 } }),
      notice('untracked_edit', { decision: 'warned', target: `${index}` }),
      notice('decision', { summary: `${index}` }),
    ]).flat();
    const report = reportOf(many);
    const sizes = [report.files, report.commands, report.failures, report.untracked, report.decisions];
    expect(sizes.map(({ items, left }) => [items.length, items.length + left])).toEqual([
      [200, 3_000],
      [60, 3_000],
      [60, 3_000],
      [100, 3_000],
      [100, 3_000],
    ]);
    expect(report.commands.items.at(-1)?.text).toBe('step 2999');
  });

  test.each(recordings())('EVT-1 of the recording $name a report can be made', (played) => {
    const report = reportOf(eventsOf(played));
    expect(reportText(report, englishReport('UTC'))).toMatch(/^# Session report/);
  });
});

describe('EVT-1 the report as Markdown', () => {
  test('EVT-1 it reads from what was asked to how it ended', () => {
    at = 0;
    const text = textOf(
      [
        next('user_prompt', { prompt: 'Fix the light.\n\n# please' }),
        notice('work_started', { work_item: 'light', title: 'The light' }),
        ...edit('/p/src/a.ts', { fields: { work_item: 'light' } }),
        ...run('npm test', { failed: { exit_code: 1, check: 'test', error_message: '1 failed' } }),
        notice('decision', { summary: 'Use a lamp', details: 'It is bright.', work_item: 'light' }),
        notice('escalation', { summary: 'Who pays?' }),
        notice('guard_gap', { tool_name: 'Edit', target: '/p/b.ts' }),
        next('turn_ended', { reason: 'completed', message: 'Fixed.' }),
      ],
      {
        agents: [
          anAgent({
            ...{ id: 's/a', sessionId: 's', name: 'Waffle', kind: 'subagent', type: 'Explore', task: 'look' },
            startedAt: '2026-01-01T00:00:05.000Z',
          }),
        ],
        session: {
          ...session,
          counts: { ...session.counts, prompts: 1, replies: 1, toolCalls: 2, failures: 1, subagents: 1 },
        },
      },
    );
    expect(text).toBe(`# Session report: Fix the light

- Project: \`/p\`
- Agent: Claude Code · \`opus\`
- When: 2026-01-01 00:00:00 UTC – 2026-01-01 00:01:30 UTC, 1 min
- Statistics: prompts: 1 · replies: 1 · tool calls: 2 (1 failed) · sub-agents: 1
- Session: \`s\`

## What was asked

**2026-01-01 00:00:01**

> Fix the light.
>
> # please

## What was done

### Files edited: 1

- \`src/a.ts\`

### Commands run: 1

- \`npm test\` · failed, exit 1

## What failed

- Test: \`npm test\` · 2026-01-01 00:00:06 · 1 failed

## What was decided

**Use a lamp** · 2026-01-01 00:00:07 · for \`light\`

> It is bright.

## What was put before you

**Who pays\\?** · 2026-01-01 00:00:08

## Work items

- \`light\` The light · started 2026-01-01 00:00:02 · files edited for it: 1

## Who took part

- **Waffle** (Explore) · look · 2026-01-01 00:00:05 · tool calls: 0

## Edits outside of work items

- Edit \`b.ts\` · judged by nobody: the guard could not be asked · 2026-01-01 00:00:09

## How it ended

The session has ended: \`other\`.

**Last words** · 2026-01-01 00:00:10

> Fixed.
`);
  });

  test('SEC-5 EVT-1 nothing that agents or people wrote becomes a heading, a link, HTML or a command', () => {
    const evil = '# h\n[x](command:y) <img src=x> `c` ![p](http://q)';
    const text = textOf(
      [
        next('user_prompt', { prompt: evil }),
        ...edit(`/p/${evil}`),
        ...run(evil, { failed: { exit_code: 1, error_message: evil } }),
        notice('decision', { summary: evil, details: evil, work_item: evil }),
        notice('work_started', { work_item: evil, title: evil }),
        notice('untracked_edit', { tool_name: evil, target: evil }),
        next('turn_ended', { reason: 'failed', error: evil }),
      ],
      {
        session: { ...session, title: evil, endReason: evil, model: evil, provider: evil, worktree: evil },
        agents: [anAgent({ id: 's/a', sessionId: 's', kind: 'subagent', name: evil, type: evil, task: evil })],
      },
    );
    // Code can't be anything else, and quotations end what they open.
    const rest = text
      .split('\n')
      .filter((line) => !line.startsWith('> '))
      .join('\n')
      .replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
    expect(rest).not.toMatch(/(?<!\\)<img|(?<!\\)\]\(|command(?<!\\):y|^# h/m);
    expect(text.match(/^#+ .*/gm)).toEqual([
      '# Session report: \\# h \\[x\\](command\\:y) \\<img src=x\\> \\`c\\` !\\[p\\](http\\://q)',
      ...['## What was asked', '## What was done', '### Files edited: 1', '### Commands run: 1', '## What failed'],
      ...['## What was decided', '## Work items', '## Who took part', '## Edits outside of work items'],
      '## How it ended',
    ]);
  });
});
