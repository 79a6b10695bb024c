import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import { wordsOf, type EventType } from '../protocol/eventPayloads.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type SessionEvent, sessionEventSchema } from '../protocol/sessionEvent.ts';
import { anEvent } from './event.testkit.ts';
import { normalize } from './normalize.ts';
import { readHook } from './readHook.ts';
import { observed } from './observed.ts';
import { codexTranscript } from './providers/codex/transcript.ts';
import { eventsOf, type Recording, recording, recordings, recordingsFolder, providerOf } from './recordings.testkit.ts';
import { reduceAll } from './reduce.ts';
import { sessionEventOf } from './sessionEvents.ts';
import { correctionsOf } from './transcript/corrections.ts';
import { factsInLine } from './transcript/read.ts';
import { withoutContent } from './unlogged.ts';

const anybody = () => true;

function toldOf(event: AgentEvent): SessionEvent | undefined {
  const told = sessionEventOf(event, anybody);
  return told && sessionEventSchema.parse(told);
}

const noticed = (type: EventType, payload: JsonObject = {}) => toldOf(anEvent(1, type, payload));
const line = ({ event_type: type, severity, summary }: SessionEvent) => `${type} ${severity}: ${summary}`;
const linesOf = (recorded: Recording) =>
  eventsOf(recorded)
    .flatMap((event) => toldOf(event) ?? [])
    .map(line);

describe('EVT-1 edits, as real agents tell of them', () => {
  const edits = (name: string) =>
    eventsOf(recording(name))
      .flatMap((event) => toldOf(event) ?? [])
      .filter(({ event_type: type }) => type === 'file_edit')
      .map(({ summary, details, severity }) => ({ summary, severity, ...details }));

  test.each<[string, readonly [tool: string, summary: string, files: string][]]>([
    [
      'claude/2.1.327/p-files.jsonl',
      [
        ['Edit', 'Edited hello.txt', '/home/dev/project/hello.txt'],
        ['Write', 'Edited new.txt', '/home/dev/project/new.txt'],
      ],
    ],
    ['codex/codex-exec-patch.jsonl', [['apply_patch', 'Edited added.txt and 1 more', 'added.txt\nnotes.txt']]],
    ['copilot/copilot-tui-permission-approve.jsonl', [['create', 'Edited cop.txt', '/home/dev/project/cop.txt']]],
    ['gemini/gemini-tui-permission-approve.jsonl', [['write_file', 'Edited gem.txt', '/home/dev/project/gem.txt']]],
  ])('EVT-1 file_edit: %s', (name, expected) => {
    expect(edits(name)).toEqual(expected.map(([tool, summary, files]) => ({ summary, severity: 'info', tool, files })));
  });

  test.each([
    'codex/codex-exec-badpatch.jsonl',
    'copilot/copilot-tui-permission-cancel.jsonl',
    'claude/2.1.327/p-denyrule.jsonl',
  ])('EVT-1 what was not written is no edit: %s', (name) => expect(edits(name)).toEqual([]));

  test('EVT-1 nothing of what is read, run or searched is an edit, and no recorded command is a failed check', () => {
    const moods = new Map<string, number>();
    for (const recorded of recordings()) {
      for (const event of eventsOf(recorded)) {
        const told = toldOf(event);
        if (told?.event_type === 'file_edit') expect(wordsOf(event.payload)['mood']).toBe('writing');
        if (told) moods.set(told.event_type, (moods.get(told.event_type) ?? 0) + 1);
      }
    }
    expect(['build_failed', 'test_failed', 'quality_warning'].filter((type) => moods.has(type))).toEqual([]);
    expect(moods.get('file_edit')).toBeGreaterThan(8);
  });

  test('EVT-1 a compaction that was recorded has its beginning and its end, of Claude Code and of Codex', () => {
    const claude = 'claude/2.1.327/interactive-commands-compact-clear-model-exit-resume.jsonl';
    const compactions = (name: string) =>
      linesOf(recording(name)).filter((words) => /^(?:checkpoint|compact)/.test(words));
    expect(compactions(claude)).toEqual([
      'checkpoint_created info: Compaction begins (manual)',
      'compact info: The conversation was compacted',
    ]);
    expect(compactions('codex/codex-exec-autocompact.jsonl').slice(0, 2)).toEqual([
      'checkpoint_created info: Compaction begins (auto)',
      'compact info: The conversation was compacted',
    ]);
  });
});

/** The recorded failure of a shell command, as that agent's own payload tells it, of another command. */
function failing(name: string, command: string, output?: string): AgentEvent | undefined {
  const recorded = recording(name);
  const ends = /^(?:PostToolUse(?:Failure)?|postToolUse|AfterTool)$/;
  const raw = recorded.hooks.find(
    ({ event, payload }) => ends.test(event) && JSON.stringify(payload).includes('exit 3'),
  );
  if (!raw) throw new Error(`${name} has no failed command`);
  const text = JSON.stringify(raw.payload);
  const inPlace = (words: string) => JSON.stringify(words).slice(1, -1);
  const other = text
    .replaceAll(/(?:echo oops >&2|cat nope\.txt); exit 3/g, inPlace(command))
    .replaceAll(/oops(?=")/g, inPlace(output ?? 'oops'));
  const meta = { collected_at: '2026-01-01T00:00:00.000Z', event: raw.event };
  const read = readHook({ ...(JSON.parse(other) as JsonObject), _meta: meta }, providerOf(recorded));
  if (!read.ok) throw new Error(read.error);
  return normalize(read.hook, { receivedAt: meta.collected_at, project: undefined }).events[0];
}

describe('EVT-1 failed checks, as real agents tell of failed commands', () => {
  const agents = [
    'claude/2.0.77/p-fail.jsonl',
    'claude/2.1.100/p-fail.jsonl',
    'claude/2.1.327/p-fail.jsonl',
    'copilot/copilot-fail.jsonl',
    'gemini/gemini-fail.jsonl',
  ].flatMap((name) =>
    recording(name).hooks.some(({ payload }) => JSON.stringify(payload).includes('exit 3')) ? [name] : [],
  );

  test.each(agents)('EVT-1 build_failed, test_failed and quality_warning: %s', (name) => {
    const told = (command: string) => {
      const event = failing(name, command);
      return event && toldOf(event);
    };
    expect(
      [told('npm run build'), told('cd web && npm test'), told('npx eslint .')].map((each) => each && line(each)),
    ).toEqual([
      'build_failed error: Build failed (exit 3): npm run build',
      'test_failed error: Tests failed (exit 3): cd web && npm test',
      'quality_warning warn: Linter or type checker failed (exit 3): npx eslint .',
    ]);
    expect(told('npm test')?.details).toMatchObject({ command: 'npm test', exit_code: '3' });
    expect([told('cat nope.txt'), told('echo "npm test"'), told('npm run build && npm test')]).toEqual(
      Array(3).fill(undefined),
    );
  });

  test('EVT-1 what a command printed at its end says which of its parts failed', () => {
    const output = `${'line\\n'.repeat(2_000)} Tests  1 failed | 2 passed (3)`;
    const event = failing('claude/2.1.327/p-fail.jsonl', 'npm run build && npm test', output);
    expect(event && toldOf(event)?.event_type).toBe('test_failed');
  });

  test('EVT-1 lines that are shown as one are read as they were written', () => {
    const event = failing('claude/2.1.327/p-fail.jsonl', 'npm test\ngit status');
    expect([event && wordsOf(event.payload)['target'], event && toldOf(event)]).toEqual([
      'npm test git status',
      undefined,
    ]);
  });

  test.each<[string, JsonObject]>([
    ['never ran', { denied: true }],
    ['was broken off', { interrupt: true }],
    ['was not kept', { unlogged: true }],
  ])('EVT-1 a call that %s has found out nothing', (_what, payload) => {
    const command = { tool_name: 'Bash', mood: 'running', target: 'npm test', exit_code: 1, error_message: '' };
    expect(toldOf(anEvent(1, 'tool_failed', { ...command, ...payload }))).toBeUndefined();
  });
});

describe('EVT-1 failed checks of Codex, whose hooks call every command a success', () => {
  const rollout = path.join(recordingsFolder, 'codex/transcripts/codex-exec-fail.jsonl');

  function toldOfRollout(command: string, output = 'no'): SessionEvent | undefined {
    const text = readFileSync(rollout, 'utf8')
      .replaceAll('cat does-not-exist.txt; exit 3', JSON.stringify(command).slice(1, -1))
      .replaceAll('cat: does-not-exist.txt: No such file or directory', output);
    const facts = text.split('\n').flatMap((written) => factsInLine(codexTranscript, written));
    const reader = { state: undefined, agentId: 's/main', toolOf: () => 'Bash', failsSilently: true };
    const corrections = facts.flatMap((fact) =>
      correctionsOf(fact, { ...reader, newMessage: false, isMain: true, fresh: true }),
    );
    const failed = corrections.filter(({ type }) => type === 'tool_failed');
    expect(failed).toHaveLength(1);
    return failed
      .map((each) => ({ ...each, provider: 'codex', sessionId: 's', agentId: 's/main', source: 'transcript' as const }))
      .flatMap((seen) => observed(seen, { project: undefined, receivedAt: '2027-01-01T00:00:00.000Z' }).events)
      .map(toldOf)[0];
  }

  test('EVT-1 the rollout tells which command it was, and so what has failed', () => {
    expect(toldOfRollout('cat does-not-exist.txt; exit 3')).toBeUndefined();
    expect(toldOfRollout('npm test')).toMatchObject({
      event_type: 'test_failed',
      summary: 'Tests failed (exit 3): npm test',
      details: { tool: 'Bash', command: 'npm test', exit_code: '3', error: 'exit code 3' },
    });
    expect(toldOfRollout('npm run build && npm test')).toBeUndefined();
    expect(toldOfRollout('npm run build && npm test', '# fail 2')?.event_type).toBe('test_failed');
  });

  test('MSK-1 its command is masked as a command', () => {
    const told = toldOfRollout('DB_PASSWORD=hunter2hunter2 npm test');
    expect(told?.event_type).toBe('test_failed');
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });
});

describe('EVT-1 what the collector itself tells of', () => {
  const work = { work_item: 'login', title: 'Mend the login' };
  test.each<[string, EventType, JsonObject, Partial<SessionEvent>]>([
    [
      'work_start',
      'work_started',
      work,
      { summary: 'Work started: Mend the login', severity: 'info', details: { title: 'Mend the login' } },
    ],
    [
      'work_end',
      'work_ended',
      { ...work, status: 'done' },
      { summary: 'Work done: Mend the login', details: { title: 'Mend the login', status: 'done' } },
    ],
    [
      'work_end',
      'work_ended',
      { work_item: 'login', status: 'cancelled' },
      { summary: 'Work cancelled: login', details: { status: 'cancelled' } },
    ],
    [
      'dependency_resolved',
      'dependency_resolved',
      { ...work, ended: 'schema' },
      {
        summary: 'Nothing more to wait for after schema: Mend the login',
        details: { title: 'Mend the login', ended: 'schema' },
      },
    ],
    [
      'decision',
      'decision',
      { summary: 'Use  sql.js', details: 'No native\nmodule', work_item: 'login' },
      { summary: 'Use sql.js', severity: 'info', details: { summary: 'Use  sql.js', details: 'No native\nmodule' } },
    ],
    [
      'escalation',
      'escalation',
      { summary: 'The schema is wrong', work_item: 'login' },
      { summary: 'The schema is wrong', severity: 'warn', details: { summary: 'The schema is wrong' } },
    ],
  ])('EVT-1 %s', (event_type, type, payload, expected) => {
    expect(noticed(type, payload)).toMatchObject({ event_type, work_item_id: 'login', ...expected });
    expect(noticed(type, payload)?.details).toEqual(expected.details);
  });

  test('EVT-1 untracked_edit says whether it was held back, guard_gap that nobody judged', () => {
    const edit = { tool_name: 'Edit', target: '/w/shop/a.ts', tool_use_id: 't', cwd: '/w/shop' };
    const told = [
      noticed('untracked_edit', { ...edit, decision: 'denied' }),
      noticed('untracked_edit', { ...edit, decision: 'warned' }),
      noticed('guard_gap', { ...edit }),
    ];
    expect(told.map((each) => each && line(each))).toEqual([
      'untracked_edit warn: An edit without a work item was held back: a.ts',
      'untracked_edit warn: An edit without a work item: a.ts',
      'guard_gap warn: Nobody judged an edit, for the guard could not be asked: a.ts',
    ]);
    expect(told[0]?.details).toEqual({ tool: 'Edit', file: '/w/shop/a.ts', decision: 'denied' });
    expect(told[2]).not.toHaveProperty('work_item_id');
  });

  test('EVT-1 a sub-agent’s edit says whose it was, and for which item', () => {
    const payload = { tool_name: 'Edit', mood: 'writing', target: '/w/a.ts', work_item: 'login' };
    const told = toldOf(anEvent(1, 'tool_succeeded', payload, { agent_id: 's/a1' }));
    expect(told).toMatchObject({ work_item_id: 'login', details: { agent_id: 's/a1', files: '/w/a.ts' } });
    expect(toldOf(anEvent(1, 'tool_succeeded', { ...payload, work_item: 7 }))).not.toHaveProperty('work_item_id');
  });

  test('CNV-4 EVT-1 of an edit in a private turn it is told that there was one', () => {
    const event = anEvent(1, 'tool_succeeded', {
      tool_name: 'Edit',
      mood: 'writing',
      target: '/w/a.ts',
      check: 'test',
    });
    const told = toldOf(withoutContent(event, true));
    expect([told?.summary, told?.details]).toEqual(['Edited a file', { tool: 'Edit' }]);
    const failed = anEvent(1, 'tool_failed', { tool_name: 'Bash', mood: 'running', target: 'npm test', check: 'test' });
    expect(toldOf(withoutContent(failed, false))).toBeUndefined();
  });

  test('EVT-1 context_overflow, once the measure says so', () => {
    const usage = { context_used: 210_000, context_window: 258_400, model: 'm' };
    expect(noticed('usage_reported', usage)).toBeUndefined();
    expect(noticed('usage_reported', { ...usage, overflow: true })).toMatchObject({
      event_type: 'context_overflow',
      severity: 'warn',
      summary: 'The context is nearly full: 210000 of 258400 tokens',
      details: { used: '210000', window: '258400', model: 'm' },
    });
  });

  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['numbers', { title: 1, work_item: 2, ended: 3, status: 4, summary: 5, details: 6, target: 7, tool_name: 8 }],
    ['lists', { title: [], work_item: [], ended: [[]], summary: {}, details: [], target: {}, tool_name: [] }],
    [
      'much',
      Object.fromEntries(
        ['title', 'ended', 'summary', 'details', 'target', 'tool_name'].map((name) => [name, 'x\n'.repeat(50_000)]),
      ),
    ],
  ])('EVT-1 a notification that says %s has its story told all the same, in bounds', (_name, payload) => {
    const types = [
      ...(['work_started', 'work_ended', 'dependency_resolved', 'untracked_edit', 'guard_gap'] as const),
      ...(['decision', 'escalation', 'usage_reported'] as const),
    ];
    for (const type of types) {
      const told = noticed(type, { ...payload, overflow: true });
      expect(told?.summary).not.toBe('');
      expect(told?.summary.length).toBeLessThanOrEqual(200);
      expect(JSON.stringify(told).length).toBeLessThan(10_000);
    }
  });
});

describe('OUT-1 the documents that an agent told to have loaded', () => {
  test('OUT-1 Claude Code tells of each, in every version that knows the hook', () => {
    for (const version of ['2.1.100', '2.1.327']) {
      const state = reduceAll(eventsOf(recording(`claude/${version}/p-single.jsonl`)));
      expect(state?.loadedDocs).toEqual(['/home/dev/project/CLAUDE.md']);
    }
    expect(reduceAll(eventsOf(recording('claude/2.0.77/p-single.jsonl')))?.loadedDocs).toBeUndefined();
  });

  test('OUT-1 each is kept once, and the last twenty', () => {
    const loaded = (file: string, index: number) => anEvent(index, 'instructions_loaded', { file });
    const files = Array.from({ length: 25 }, (_, index) => `/w/${index}.md`);
    const docs = reduceAll([...files, '/w/7.md', '', `/w/${'x'.repeat(1_000)}`].map(loaded))?.loadedDocs;
    expect([docs?.length, docs?.[0], docs?.at(-1)]).toEqual([20, '/w/5.md', '/w/7.md']);
  });
});
