import { expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { answerText } from './answerText.ts';
import { anEvent } from './event.testkit.ts';
import { noCallsYet, OBSERVED_MAX, readObservations } from './observations.ts';
import { providerFor } from './providers/registry.ts';
import { eventsOf, recording } from './recordings.testkit.ts';

const call = (id: string, more: JsonObject = {}) => ({
  tool_name: 'Bash',
  tool_use_id: id,
  target: 'npm test',
  ...more,
});
const began = (at: number, id: string, changes: Partial<AgentEvent> = {}) =>
  anEvent(at, 'tool_started', call(id), { raw: { tool_input: { command: 'npm test' } }, ...changes });
const ended = (at: number, id: string, changes: Partial<AgentEvent> = {}) =>
  anEvent(at, 'tool_succeeded', call(id), { raw: { tool_response: { stdout: 'ok', stderr: '' } }, ...changes });
const failed = (at: number, id: string, more: JsonObject, changes: Partial<AgentEvent> = {}) =>
  anEvent(at, 'tool_failed', call(id, { error_message: 'boom', exit_code: null, ...more }), changes);
const transcript = { source: 'transcript' } as const;
const ofAgent = { agent_id: 's/a' };

function observationsOf(events: readonly AgentEvent[], isOver = false) {
  const reader = readObservations(noCallsYet);
  for (const event of events) reader.take(event, true);
  return reader.items(isOver);
}

/** Name, outcome, milliseconds. */
const short = (events: readonly AgentEvent[], isOver = false) =>
  observationsOf(events, isOver).map(({ outcome, durationMs }) => `${outcome} ${durationMs}`);

test('CNV-1 a call is one observation, with what went in, what came out and how long it took', () => {
  expect(observationsOf([began(1, 't1'), ended(4, 't1')])).toEqual([
    {
      id: 'e1',
      sessionId: 's',
      agentId: 's/main',
      skillName: 'Bash',
      arguments: '{"command":"npm test"}',
      target: 'npm test',
      response: 'ok',
      outcome: 'succeeded',
      durationMs: 3_000,
      metadata: {},
      ts: anEvent(1, 'heartbeat').ts,
    },
  ]);
});

const table: readonly [string, readonly AgentEvent[], readonly string[]][] = [
  ['that goes on', [began(1, 't1')], ['running null']],
  ['whose agent tells the time', [began(1, 't1'), anEvent(4, 'tool_succeeded', call('t1', { duration_ms: 7 }))], ['succeeded 7']],
  ['without a beginning', [ended(4, 't1')], ['succeeded null']],
  ['that its turn left without an end', [began(1, 't1'), anEvent(2, 'turn_ended', { reason: 'interrupted' })], ['unknown null']],
  ['that a new prompt left', [began(1, 't1'), anEvent(2, 'user_prompt', { prompt: 'x' })], ['unknown null']],
  ['that a prompt only steered', [
    anEvent(0, 'user_prompt', { prompt: 'x', turn: 'T' }), began(1, 't1'), anEvent(2, 'user_prompt', { prompt: 'y', turn: 'T' }),
  ], ['running null']],
  ['that a prompt of the next turn left', [
    anEvent(0, 'user_prompt', { prompt: 'x', turn: 'T' }), began(1, 't1'), anEvent(2, 'user_prompt', { prompt: 'y', turn: 'U' }),
  ], ['unknown null']],
  ['that is none of a turn that ended before', [
    anEvent(0, 'user_prompt', { prompt: 'x', turn: 'T' }), anEvent(1, 'turn_ended'), began(2, 't1'), anEvent(3, 'user_prompt', { prompt: 'y', turn: 'T' }),
  ], ['unknown null']],
  ['that the session left', [began(1, 't1'), anEvent(2, 'session_ended')], ['unknown null']],
  ['that a compaction did not touch', [began(1, 't1'), anEvent(2, 'session_started', { source: 'compact' }), ended(3, 't1')], ['succeeded 2000']],
  ['whose end came after its turn', [began(1, 't1'), anEvent(2, 'turn_ended'), ended(3, 't1')], ['succeeded 2000']],
  ['of hooks that are installed twice', [began(1, 't1'), began(1, 't1', { id: 'again' }), ended(2, 't1'), ended(2, 't1', { id: 'more' })], ['succeeded 1000']],
  ['that began once more after its end was told', [began(1, 't1'), ended(2, 't1'), began(3, 't1', { id: 'late' })], ['succeeded 1000']],
  ['that hook and transcript tell', [began(1, 't1'), failed(2, 't1', { exit_code: 3 }, transcript), ended(3, 't1')], ['failed 1000']],
  ['that only the transcript knows to have failed', [began(1, 't1'), ended(2, 't1'), failed(3, 't1', { exit_code: 3 }, transcript)], ['failed 1000']],
  ['that was denied', [began(1, 't1'), failed(2, 't1', { denied: true }, transcript)], ['denied null']],
  ['of a sub-agent, which its parent’s turn does not end', [began(1, 't1', ofAgent), anEvent(2, 'turn_ended')], ['running null']],
  ['of a sub-agent that left', [began(1, 't1', ofAgent), anEvent(2, 'agent_stopped', {}, ofAgent)], ['unknown null']],
  ['of an agent that gives no ids', [
    anEvent(1, 'tool_started', { tool_name: 'shell' }), anEvent(2, 'tool_started', { tool_name: 'shell' }),
    anEvent(3, 'tool_succeeded', { tool_name: 'shell' }), anEvent(5, 'tool_succeeded', { tool_name: 'shell' }),
  ], ['succeeded 2000', 'succeeded 3000']],
  ['that only a batch tells to be over', [
    began(1, 't1'), anEvent(2, 'tool_batch_ended', { ended: ['t1'] }),
  ], ['denied null']],
]; // prettier-ignore

test.each(table)('CNV-1 a call %s', (_name, events, expected) => {
  expect(short(events)).toEqual(expected);
});

test('CNV-1 a prompt on a later page steers the turn that began on an earlier one, and the call’s end is waited for', () => {
  const first = readObservations(noCallsYet);
  first.take(anEvent(0, 'user_prompt', { prompt: 'x', turn: 'T' }), true);
  const second = readObservations(first.soFar());
  second.take(began(1, 't1'), true);
  second.take(anEvent(2, 'user_prompt', { prompt: 'y', turn: 'T' }), false);
  expect(second.waits).toBe(true);
  second.take(ended(3, 't1'), false);
  expect(second.items(false).map(({ outcome }) => outcome)).toEqual(['succeeded']);
});

test('CNV-1 nothing runs in a session that is over', () => {
  expect(short([began(1, 't1')], true)).toEqual(['unknown null']);
});

test('CNV-1 a sub-agent’s calls bear their agent', () => {
  const events = [began(1, 't1'), began(2, 't2', ofAgent), ended(3, 't2', ofAgent), ended(4, 't1')];
  expect(observationsOf(events).map(({ agentId, outcome }) => [agentId, outcome])).toEqual([
    ['s/main', 'succeeded'],
    ['s/a', 'succeeded'],
  ]);
});

test('CNV-1 an error says its text and its exit code, and a hook’s word goes before a transcript’s', () => {
  const [told] = observationsOf([
    began(1, 't1'),
    failed(2, 't1', { error_message: 'exit code 3', exit_code: 3 }, transcript),
    failed(3, 't1', {}, { raw: { error: 'Exit code 3\noops' } }),
  ]);
  expect([told?.metadata, told?.response]).toEqual([{ error: 'Exit code 3\noops', exitCode: 3 }, 'Exit code 3\noops']);
});

test('CNV-1 input, answer and error are cut after 10,000 characters, never through a letter', () => {
  const long = `${'x'.repeat(OBSERVED_MAX - 1)}😀 and more`;
  const [told] = observationsOf([
    began(1, 't1', { raw: { tool_input: { command: long } } }),
    failed(2, 't1', {}, { raw: { tool_response: long, error: long } }),
  ]);
  expect([told?.arguments.length, told?.response, told?.metadata['error']]).toEqual([
    OBSERVED_MAX,
    long.slice(0, OBSERVED_MAX - 1),
    long.slice(0, OBSERVED_MAX - 1),
  ]);
  expect(told?.metadata['cut']).toEqual({ arguments: long.length + 14, response: long.length, error: long.length });
});

test('CNV-1 what retention took away is said', () => {
  const gone = { raw: {}, raw_removed: true };
  expect(observationsOf([began(1, 't1', gone), ended(2, 't1', gone)])).toMatchObject([
    { arguments: '', target: 'npm test', response: null, outcome: 'succeeded', metadata: { rawRemoved: true } },
  ]);
});

const answers: readonly [string, JsonObject | string | JsonObject[] | null, string | undefined, string?][] = [
  ['a text', 'done', 'done'],
  ['what a command printed', { stdout: 'out', stderr: 'err', interrupted: false }, 'out\nerr'],
  ['a command that printed nothing', { stdout: '', stderr: '' }, ''],
  ['a file', { type: 'text', file: { filePath: '/a', content: 'line' } }, 'line'],
  ['blocks', [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }], 'a\nb'],
  ['a sub-agent’s report', { status: 'completed', content: [{ type: 'text', text: 'report' }] }, 'report'],
  ['an edit, without the file before it', { filePath: '/a', originalFile: 'all', newString: 'x' }, '{"filePath":"/a","newString":"x"}'],
  ['a picture', [{ type: 'image' }], '[{"type":"image"}]'],
  ['nothing', null, undefined],
  ['what Gemini’s model was told, before what the person was shown', { llmContent: [{ text: 'all' }], returnDisplay: 'some' }, 'all', 'gemini'],
  ['what Gemini’s person was shown', { llmContent: { inlineData: {} }, returnDisplay: 'some' }, 'some', 'gemini'],
  ['what Copilot’s model was told', { resultType: 'success', textResultForLlm: 'all' }, 'all', 'copilot'],
  ['the blocks of a server', { content: [{ type: 'text', text: 'a' }] }, 'a', 'codex'],
]; // prettier-ignore

test.each(answers)('CNV-1 the answer of a tool as text: %s', (_name, answer, expected, provider = 'claude') => {
  expect(answerText(answer, providerFor(provider).calls.words)).toBe(expected);
});

/** By hand, from what the recordings' payloads hold. */
const golden: readonly [string, readonly string[]][] = [
  ['claude/2.1.327/p-single', ['Bash succeeded hello-from-bash']],
  ['claude/2.1.327/p-fail', ['Bash failed Exit code 3 oops', 'Read failed']],
  ['claude/2.1.327/p-denyrule', ['Bash denied']],
  ['claude/2.1.327/interactive-interrupt', ['Bash unknown', 'Bash unknown']],
  ['codex/codex-exec-shell', ['Bash succeeded . ..']],
  ['codex/codex-exec-patch', ['apply_patch succeeded']],
  ['gemini/gemini-fail', ['run_shell_command failed']],
  ['copilot/copilot-shell', ['bash succeeded']],
];

test.each(golden)('CNV-1 the calls of %s', (name, expected) => {
  const told = observationsOf(eventsOf(recording(`${name}.jsonl`)), true);
  expect(told.map((each) => `${each.skillName} ${each.outcome} ${each.response ?? ''}`.replace(/\s+/g, ' '))).toEqual(expected.map((line) => expect.stringContaining(line)));
}); // prettier-ignore

test('CNV-1 a session that is read in parts tells the same calls as one that is read whole', () => {
  for (const name of ['claude/2.1.327/p-subs', 'claude/2.1.327/p-files', 'codex/codex-exec-spawn', 'copilot/copilot-shell']) {
    const events = eventsOf(recording(`${name}.jsonl`));
    const whole = observationsOf(events);
    for (let at = 0; at <= events.length; at++) {
      const first = readObservations(noCallsYet);
      for (const event of events.slice(0, at)) first.take(event, true);
      const second = readObservations(first.soFar());
      for (const event of events.slice(at)) {
        second.take(event, true);
        first.take(event, false);
      }
      expect([...first.items(false), ...second.items(false)]).toEqual(whole);
    }
  }
}); // prettier-ignore

test('CNV-1 of what ended and was let go of nothing but the mark is left, and what is told of it again is said to be missed', () => {
  const reader = readObservations(noCallsYet);
  for (const event of [began(1, 't1'), ended(2, 't1'), began(3, 't2')]) reader.take(event, true);
  reader.take(anEvent(4, 'turn_ended', {}), true);
  reader.take(began(5, 't3'), true);
  expect(reader.news()).toHaveLength(3);
  reader.letGo();
  // What goes on or was given up is kept, for its row is to be told as a whole.
  for (const event of [ended(6, 't2'), ended(7, 't3')]) reader.take(event, true);
  const whole = { outcome: 'succeeded', arguments: '{"command":"npm test"}', response: 'ok' };
  expect([reader.news(), reader.missed]).toMatchObject([[whole, whole], undefined]);
  const [mark] = reader.soFar().ended;
  reader.take(failed(8, 't1', {}, transcript), true);
  expect([reader.news(), reader.missed]).toEqual([[], mark]);
});

test('CNV-1 an end of a call that began on an earlier page is said to be missed, of one that nobody knows it is not', () => {
  const first = readObservations(noCallsYet);
  first.take(began(1, 't1'), true);
  first.take(anEvent(2, 'turn_ended', {}), true);
  expect(first.waits).toBe(false);
  const calls = first.soFar();
  const next = readObservations(calls);
  next.take(ended(3, 't2'), true);
  expect([next.missed, next.count]).toEqual([undefined, 1]);
  next.take(ended(4, 't1'), true);
  expect(next.missed).toBe(calls.open[0]);
});
