import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { TranscriptFact } from '../transcript.ts';
import { rollout, rollouts } from './recordings.testkit.ts';
import { codexTranscript } from './transcript.ts';

const factsOf = (name: string) => rollout(name).flatMap((line) => codexTranscript.facts(line));

/** A fact on one line, without times and ids. */
function short(fact: TranscriptFact): string {
  switch (fact.kind) {
    case 'session':
      return ['session', fact.sessionId?.slice(-4), fact.cwd, fact.entrypoint, fact.permissionMode].join(' ');
    case 'usage':
      return ['usage', fact.input, fact.output, fact.cached, fact.context, fact.window].join(' ');
    case 'toolEnded':
      return ['toolEnded', fact.outcome, fact.exitCode, fact.message].join(' ').trim();
    case 'turnFailed':
      return `turnFailed ${fact.error}: ${fact.message}`;
    case 'turnEnded':
      return `turnEnded ${fact.message}`;
    case 'prompt':
    case 'reply':
    case 'thinking':
      return `${fact.kind} ${fact.text}`;
    default:
      return fact.kind;
  }
}

const turnBegins = (mode = 'bypassPermissions') => `session  /home/dev/project  ${mode}`;
const exec = (session: string) => [`session ${session} /home/dev/project codex_exec `, turnBegins()];
const context = (tokens: number) => `usage 0 0 0 ${tokens} 258400`;
/** One call of the recorded model, which always answers with 42 tokens and finds 600 in the cache. */
const call = (tokens: number, ...meanwhile: string[]) => [
  `usage ${tokens - 600} 42 600 ${tokens} `,
  ...meanwhile,
  context(tokens),
];
const done = ['reply All done.'];
const doneTurn = 'turnEnded All done.';
const hello = ['thinking Thinking about a greeting.', 'reply Hello from the fake model.'];
const helloTurn = 'turnEnded Hello from the fake model.';
const listing = ['thinking I should list files.', 'reply Let me look at the files.'];
const ranWell = 'toolEnded succeeded 0';
const ranBadly = 'toolEnded failed 3 cat: does-not-exist.txt: No such file or directory';
const tui = turnBegins('default');

const expected: Readonly<Record<string, readonly string[]>> = {
  'codex-exec-badpatch': [...exec('1229'), 'prompt SCN:badpatch go', ...call(1070), ...done, ...call(1090), doneTurn],
  'codex-exec-fail': [...exec('c655'), 'prompt SCN:fail go', ...call(1070, ranBadly), ...done, ...call(1090), doneTurn],
  'codex-exec-hello': [
    ...[...exec('8705'), 'prompt SCN:hello say hi', ...hello, ...call(1070), helloTurn],
    ...[turnBegins(), 'prompt SCN:hello again', ...hello, ...call(1100), helloTurn],
  ],
  'codex-exec-http500': [
    ...exec('044d'),
    'prompt SCN:http500 go',
    'turnFailed internal_server_error: We’re currently experiencing high demand, which may cause temporary errors.',
  ],
  'codex-exec-mcpfail': [
    ...[...exec('cc4a'), 'prompt SCN:mcpfail go'],
    ...[...call(1070, 'toolEnded failed  it failed'), ...done, ...call(1090), doneTurn],
  ],
  'codex-exec-patch': [
    ...[...exec('e007'), 'prompt SCN:patch go'],
    ...[...call(1070, 'toolEnded succeeded'), ...done, ...call(1090), doneTurn],
  ],
  'codex-exec-shell': [
    ...[...exec('3b7c'), 'prompt SCN:shell go', ...listing],
    ...[...call(1070, ranWell), ...done, ...call(1110), doneTurn],
  ],
  'codex-exec-sigterm': [...exec('1583'), 'prompt SCN:long go', call(1070)[0] ?? ''],
  'codex-exec-spawn': [
    ...[...exec('5590'), 'prompt SCN:spawn go', ...call(1070)],
    ...[...call(1090, 'toolEnded succeeded'), ...done, ...call(1120), doneTurn],
  ],
  'codex-exec-spawn.child': [
    ...[...exec('5590'), ...call(1070, ranWell)],
    ...['reply Child finished.', ...call(1090), 'turnEnded Child finished.'],
  ],
  'codex-exec55-dfail': [
    ...[...exec('0a1a'), 'prompt SCN:dfail go'],
    ...[...call(1040, ranBadly), ...done, ...call(1060), doneTurn],
  ],
  'codex-exec55-dshell': [
    ...[...exec('1835'), 'prompt SCN:dshell go', 'reply Let me look.'],
    ...[...call(1040, ranWell), ...done, ...call(1070), doneTurn],
  ],
  'codex-out-sessionstart-context': [...exec('592e'), 'prompt SCN:hello ctx', ...hello, ...call(1080), helloTurn],
  'codex-tui-compact': [
    'session f07b /home/dev/project codex-tui ',
    ...[tui, 'prompt SCN:shell please', ...listing, ...call(1070, ranWell), ...done, ...call(1110), doneTurn],
    ...[tui, 'prompt SCN:esc please', ...call(1130, ranWell), ...done, ...call(1150), doneTurn],
    ...[tui, 'prompt SCN:esc again', ...call(1170), 'interrupted'],
    ...[tui, 'prompt SCN:long go', ...call(1210), 'interrupted'],
    ...[tui, 'prompt SCN:slowtext go', context(1210), 'interrupted'],
    ...[tui, 'prompt SCN:ask go', ...call(1270), ...done, ...call(1290), doneTurn],
    // The command of the turn that was interrupted long before.
    ranWell,
    ...[tui, 'prompt SCN:ask go', ...call(1320), ...done, ...call(1340), doneTurn],
    // The compaction is a turn without a prompt.
    ...[context(1340), ...call(1360), tui, context(16302), 'turnEnded undefined'],
    ...[tui, 'prompt SCN:hello after compact', ...hello, ...call(1150), helloTurn],
  ],
};

test.each(rollouts)('TRN-1 what the recorded rollout %s says', (name) => {
  expect(factsOf(name).map((fact) => short(fact).trimEnd())).toEqual(expected[name]?.map((line) => line.trimEnd()));
});

test.each(rollouts)('TRN-5 the tokens of %s add up to what Codex itself counts', (name) => {
  const usages = factsOf(name).filter((fact) => fact.kind === 'usage');
  const once = [...new Map(usages.map((fact) => [fact.messageId, fact])).values()];
  const sum = once.reduce((total, { input, output, cached }) => total + input + output + cached, 0);
  const record = rollout(name).findLast(({ type }) => type === 'token_usage_record')?.['payload'] as JsonObject;
  expect(sum).toBe((record?.['thread_token_usage'] as JsonObject | undefined)?.['total_tokens'] ?? 0);
});

test('TRN-1 a fact has the line’s own time and the ids that its hook has', () => {
  const facts = factsOf('codex-exec-fail');
  expect(facts.filter(({ kind }) => ['prompt', 'reply', 'toolEnded', 'turnEnded'].includes(kind))).toMatchObject([
    { kind: 'prompt', id: expect.stringMatching(/^01a1ee77/), synthetic: false },
    { kind: 'toolEnded', ts: '2026-11-18T11:43:17.226Z', toolUseId: 'exec-0db36c87-c638-4977-a856-514b16478b3f' },
    { kind: 'reply', messageId: expect.stringMatching(/^msg_/) },
    { kind: 'turnEnded', id: '01a1ee77-e42a-7130-accd-48ccff621bc8' },
  ]);
});

const at = { timestamp: '2026-11-18T11:43:17.226Z' };
const item = (fields: JsonObject): JsonObject => ({
  ...at,
  type: 'event_msg',
  payload: { type: 'item_completed', turn_id: 't', item: { id: 'i', ...fields } },
});
const event = (fields: JsonObject): JsonObject => ({ ...at, type: 'event_msg', payload: { turn_id: 't', ...fields } });

test('TRN-1 shapes that were not recorded', () => {
  const usage = { input_tokens: 10, output_tokens: 2 };
  const table: readonly [JsonObject, ...string[]][] = [
    [{ ...at, type: 'session_meta', payload: { id: 'old-1', source: 'cli' } }, 'session ld-1  cli '],
    [{ ...at, type: 'turn_context', payload: { approval_policy: 'untrusted' } }, 'session    '],
    [{ ...at, type: 'token_usage_record', payload: { response_id: 'r', usage } }, 'usage 10 2 0 10 '],
    [{ ...at, type: 'token_usage_record', payload: { usage } }],
    [event({ type: 'token_count', info: null })],
    [event({ type: 'turn_aborted', reason: 'replaced' })],
    [event({ type: 'task_complete', error: { message: 'm' } }), 'turnFailed m: m'],
    [event({ type: 'task_complete', error: 'plain' }), 'turnFailed plain: plain'],
    [event({ type: 'task_complete', error: {} }), 'turnFailed unknown: undefined'],
    [item({ type: 'CommandExecution', status: 'declined' }), 'toolEnded denied'],
    [item({ type: 'CommandExecution', status: 'in_progress' })],
    [item({ type: 'McpToolCall', status: 'failed', error: { message: 'gone' } }), 'toolEnded failed  gone'],
    [item({ type: 'FileChange', status: 'failed', stderr: 'no space' }), 'toolEnded failed  no space'],
    [item({ type: 'UserMessage', content: [{ type: 'local_image' }] }), 'prompt '],
    [item({ type: 'AgentMessage', content: [{ text: 'a' }, { text: 'b' }] }), 'reply a\nb'],
    [item({ type: 'Reasoning', summary_text: [], raw_content: ['raw'] }), 'thinking raw'],
    [item({ type: 'Reasoning', summary_text: [], raw_content: [] })],
    [{ ...item({ type: 'UserMessage', content: [] }), timestamp: 'long ago' }],
  ];
  expect(table.map(([line]) => [line, ...codexTranscript.facts(line).map(short)])).toEqual(table);
});

test.each(rollouts)('TRN-1 the quick look at %s hides no line that tells something', (name) => {
  for (const line of rollout(name)) {
    if (codexTranscript.facts(line).length > 0) expect(codexTranscript.mayMatter(JSON.stringify(line))).toBe(true);
  }
});

test('TRN-1 the quick look spares the model’s input, which is most of a rollout', () => {
  const spared = rollout('codex-tui-compact').filter((line) => !codexTranscript.mayMatter(JSON.stringify(line)));
  expect(new Set(spared.map(({ type }) => type))).toEqual(
    new Set(['response_item', 'world_state', 'event_msg', 'compacted', 'retained_context']),
  );
});

test('TRN-3 no text is longer than 20,000 characters', () => {
  const long = 'x'.repeat(100_000);
  const lines = [
    item({ type: 'UserMessage', content: [{ text: long }, { text: long }] }),
    item({ type: 'AgentMessage', content: [{ text: long }] }),
    item({ type: 'Reasoning', summary_text: [long] }),
    item({ type: 'CommandExecution', status: 'failed', aggregated_output: long }),
    item({ type: 'McpToolCall', status: 'failed', result: { content: [{ text: long }] } }),
    event({ type: 'task_complete', last_agent_message: long }),
    event({ type: 'task_complete', error: { message: long, codex_error_info: long } }),
    { ...at, type: 'session_meta', payload: { id: long, cwd: long, originator: long } },
  ];
  const lengths = lines.map((line) => JSON.stringify(codexTranscript.facts(line)).length);
  expect(lengths.filter((length) => length < 200 || length > 21_000)).toEqual([]);
});

/** The same value with its `index`th part replaced, in reading order; the 0th is the whole. */
function broken(value: Json, index: { left: number }, by: Json): Json {
  if (index.left-- === 0) return by;
  if (Array.isArray(value)) return value.map((part: Json) => broken(part, index, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, broken(part as Json, index, by)]));
}

test('TRN-3 a recorded line with any part replaced by anything never throws', () => {
  const lines = fc.constantFrom(...rollouts.flatMap(rollout));
  const parts = fc.record({
    line: lines,
    left: fc.integer({ min: 1, max: 40 }),
    by: fc.jsonValue() as fc.Arbitrary<Json>,
  });
  fc.assert(
    fc.property(parts, ({ line, left, by }) => {
      const facts = codexTranscript.facts(broken(line, { left }, by) as JsonObject);
      for (const fact of facts) if ('ts' in fact) expect(fact.ts).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    }),
    { numRuns: 3000 },
  );
});

test('TRN-3 any JSON object is read without throwing', () => {
  const type = fc.constantFrom('session_meta', 'turn_context', 'token_usage_record', 'event_msg');
  const entry = fc.record({ timestamp: fc.constant(at.timestamp), type, payload: fc.jsonValue() });
  fc.assert(
    fc.property(fc.oneof(entry, fc.dictionary(fc.string(), fc.jsonValue())), (line) =>
      Array.isArray(codexTranscript.facts(line as JsonObject)),
    ),
  );
});
