import { expect, test } from 'vitest';
import { interactionOf } from '../../domain/interactions.ts';
import { recording } from '../../domain/recordings.testkit.ts';
import { isOfType } from '../../protocol/event.ts';
import { playBoth } from './recorded.testkit.ts';
import { line, setUpWatch, START, text, transcript } from './watch.testkit.ts';

type Lab = ReturnType<typeof setUpWatch>;

const human = { promptSource: 'typed', origin: { kind: 'human' } };
const typed = (at: number, words: string, more: object = {}) => line.user(at, words, { ...human, ...more });
const ended = (at: number, id: string, words: string) =>
  line.assistant(at, id, text(words), { stop_reason: 'end_turn' });
const calls = (at: number, id: string, words: string) =>
  line.assistant(at, id, text(words), { stop_reason: 'tool_use' });

/** All that was said, in order, with who told it. */
function said(lab: Lab, id = 's'): readonly string[] {
  return lab.store.events(id).flatMap((event) => {
    const interaction = interactionOf(event);
    return interaction ? [`${event.source} ${interaction.role} ${interaction.content}`] : [];
  });
}

/** A session that runs without our hooks, and the moment at which it is seen. */
async function hookless(...lines: readonly object[]): Promise<Lab> {
  const lab = setUpWatch();
  lab.sources.write(transcript, ...lines);
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.pass(4_000);
  await lab.pass(2_000);
  return lab;
}

test('CNV-1 TRN-4 a session without hooks tells what was typed and what each turn ended with', async () => {
  const lab = await hookless(
    typed(0, 'Fix it'),
    calls(10, 'm1', 'Let me look.'),
    ended(900, 'm2', 'Fixed.'),
    line.user(1_000, 'x', { isCompactSummary: true }),
    line.user(1_000, '<local-command-stdout>x</local-command-stdout>'),
    line.user(1_000, '<task-notification>x', { promptSource: 'system' }),
    ended(1_500, 'm3', 'The job is done.'),
    typed(2_000, 'Thanks'),
  );
  expect(said(lab)).toEqual([
    'transcript user Fix it',
    'transcript assistant Fixed.',
    'transcript assistant The job is done.',
    'transcript user Thanks',
  ]);
  expect(lab.session()).toMatchObject({
    phase: null,
    seenIn: 'transcript',
    lastReply: 'The job is done.',
    counts: { prompts: 2, replies: 2 },
  });
  lab.sources.write(transcript, ended(7_000, 'm4', 'You’re welcome.'));
  await lab.pass(2_000);
  expect(said(lab).at(-1)).toBe('transcript assistant You’re welcome.');
});

test('CNV-1 of a session that was there before, the last ten turns are told, and each once', async () => {
  const lines = Array.from({ length: 15 }, (_, turn) => [typed(turn * 10 - 60_000, `ask ${turn}`), ended(turn * 10 - 59_999, `m${turn}`, `tell ${turn}`)]); // prettier-ignore
  const lab = await hookless(...lines.flat(), typed(0, 'now'));
  expect(said(lab)).toHaveLength(21);
  expect(said(lab)[0]).toBe('transcript user ask 5');
  lab.watching.dispose();
  await lab.rest();
  const again = setUpWatch(lab.store, lab.clock);
  again.sources.write(transcript, ...lines.flat(), typed(0, 'now'));
  await again.pass(4_000);
  await again.pass(12_000);
  expect(said(again)).toEqual(said(lab));
});

test('CNV-1 TRN-2 an interrupted turn, a failed one and one that only thinks or calls end without a reply', async () => {
  const lab = await hookless(
    typed(0, 'one'),
    line.assistant(10, 'm1', text('Half a')),
    line.interrupted(20),
    typed(30, 'two'),
    line.assistant(40, 'e', text('API Error'), { model: '<synthetic>' }),
    typed(50, 'three'),
    line.assistant(60, 'm3', { type: 'thinking', thinking: 'Hm.' }, { stop_reason: 'end_turn' }),
    typed(70, 'four'),
    calls(80, 'm4', 'Looking.'),
    line.assistant(81, 'm4', { type: 'tool_use', id: 't', name: 'Bash', input: {} }, { stop_reason: 'tool_use' }),
  );
  expect(said(lab).filter((words) => words.includes('assistant'))).toEqual([]);
  expect(lab.session()?.lastReply).toBeNull();
});

test('CNV-1 what a version does not mark as the end of a turn ends it when the next begins', async () => {
  const lab = await hookless(typed(0, 'one'), line.assistant(10, 'm1', text('Done')), line.assistant(11, 'm1', text('and dusted.')), typed(900, 'two')); // prettier-ignore
  expect(said(lab)).toContain('transcript assistant Done\nand dusted.');
});

test('CNV-1 with hooks nothing is told twice, whichever comes first', async () => {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' });
  await lab.hook('UserPromptSubmit', { prompt: 'Fix it', prompt_id: 'p1' });
  lab.sources.write(transcript, typed(5, 'Fix it ', { promptId: 'p1' }), ended(900, 'm1', 'Fixed.'));
  await lab.pass(1_000);
  await lab.hook('Stop', { last_assistant_message: 'Fixed.' });
  await lab.pass(20_000);
  expect(said(lab)).toEqual(['hook user Fix it', 'hook assistant Fixed.']);
});

test('CNV-1 what happens while the hooks are silent is found, without moving the phase', async () => {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' });
  await lab.hook('UserPromptSubmit', { prompt: 'go on' });
  lab.sources.write(transcript, typed(5, 'go on'), ended(50, 'm1', 'One.'));
  await lab.pass(100);
  await lab.hook('Stop', { last_assistant_message: 'One.' });
  await lab.pass(30_000);
  // Somebody's program has removed the hooks; the very same words are typed again.
  lab.sources.write(transcript, typed(30_000, 'go on'), ended(31_000, 'm2', 'Two.'));
  await lab.pass(30_000);
  const phase = lab.phase();
  await lab.hook('UserPromptSubmit', { prompt: 'go on' });
  expect([said(lab), phase]).toEqual([
    ['hook user go on', 'hook assistant One.', 'transcript user go on', 'transcript assistant Two.', 'hook user go on'],
    'active busy transcript',
  ]);
  expect(lab.session()?.counts).toMatchObject({ prompts: 3, replies: 2 });
});

test('CNV-1 where hooks tell, words before a prompt that steers the turn are no reply', async () => {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' });
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  lab.sources.write(transcript, typed(5, 'go'), calls(50, 'm1', 'Looking.'));
  await lab.pass(100);
  await lab.hook('UserPromptSubmit', { prompt: 'quickly' });
  lab.sources.write(transcript, typed(105, 'quickly'));
  await lab.pass(30_000);
  expect(said(lab)).toEqual(['hook user go', 'hook user quickly']);
});

test('CNV-2 a hook that comes late after all changes no count', async () => {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' });
  lab.sources.write(transcript, typed(100, 'go', { promptId: 'p1' }), ended(500, 'm1', 'Done.'));
  await lab.pass(60_000);
  expect(lab.session()?.counts).toMatchObject({ prompts: 1, replies: 1 });
  const then = (at: number) => ({ collected_at: new Date(START + at).toISOString() });
  await lab.hook('UserPromptSubmit', { prompt: 'go', prompt_id: 'p1' }, then(90));
  await lab.hook('Stop', { last_assistant_message: 'Done.' }, then(510));
  expect(lab.session()?.counts).toMatchObject({ prompts: 1, replies: 1 });
});

test('CNV-1 MSK-1 what is found is masked before it is kept', async () => {
  const key = ['sk', 'ant', 'api03', 'Zk3vQ9xT7mB2nL5wR8yP1cH4jD6fG0sAqWeRtYuIoPzXcVbNmLkJhGfDsA'].join('-');
  const lab = await hookless(typed(0, `use ${key}`), ended(1, 'm1', `${key} is set.`));
  expect(said(lab)).toHaveLength(2);
  expect(JSON.stringify(lab.store.records())).not.toContain(key);
});

test('CNV-1 HKI-9 of an excluded project nothing is kept', async () => {
  const lab = setUpWatch(undefined, undefined, (folder) => folder.startsWith('/home/dev'));
  lab.sources.write(transcript, typed(0, 'Fix it'));
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.pass(20_000);
  expect(lab.store.records()).toEqual([]);
});

/** From the recordings: with their hooks the transcripts add nothing, and neither is anything told twice. */
const whole: readonly (readonly [string, string])[] = [
  ['claude/2.1.327/p-single', 'main-single-tool'],
  ['claude/2.1.327/p-subs', 'main-two-subagents'],
  ['claude/2.1.327/p-bgsub', 'main-background-subagent'],
  ['claude/2.1.327/interactive-interrupt', 'main-interrupted-613a'],
  ['claude/2.1.327/p-err500', 'main-api-error-500'],
  ['claude/2.1.100/p-subs', 'v2.1.100-main-two-subagents'],
  ['claude/2.0.77/p-subs_old', 'v2.0.77-main-two-subagents'],
  ['codex/codex-exec-shell', 'codex-exec-shell'],
  ['codex/codex-exec-spawn', 'codex-exec-spawn'],
  ['codex/codex-exec55-dshell', 'codex-exec55-dshell'],
];

test.each(whole)('CNV-1 %s: hooks tell it all', async (name, file) => {
  const { lab } = await playBoth(recording(`${name}.jsonl`), [{ file: `${file}.jsonl` }]);
  await lab.pass(20_000);
  const ids = lab.hub.sessionIds();
  const events = ids.flatMap((id) => lab.store.events(id));
  expect(events.filter((event) => isOfType(event, 'prompt_found', 'reply_found'))).toEqual([]);
});
