import { expect, test } from 'vitest';
import { maskText } from '../../domain/mask/mask.ts';
import { line, setUpWatch, START, transcript, bash, own, statusFolder, text } from './watch.testkit.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';

const here = { agent_pid: 42, agent_started_at: '2026-01-01T00:00:00.000Z', pid_namespace: 'pid:[1]' };
type Lab = ReturnType<typeof setUpWatch>;
const say = (lab: Lab, status: string, at: number, more: object = {}) =>
  lab.sources.putFile(statusFolder, '42.json', own(status, at, more));

async function busySession(meta = {}) {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' }, meta);
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, meta);
  return lab;
}

async function asks(lab: Lab, agent: string | undefined, call: string) {
  const whose = agent === undefined ? {} : { agent_id: agent, agent_type: 'Explore' };
  await lab.hook('PreToolUse', { ...bash(call), ...whose });
  const { tool_name, tool_input } = bash(call);
  await lab.hook('PermissionRequest', { tool_name, tool_input, ...whose });
}

test('STA-7 an answer in the terminal clears its wait, however busy a neighbour is', async () => {
  const lab = await busySession();
  for (const id of ['a', 'b']) await lab.hook('SubagentStart', { agent_id: id, agent_type: 'Explore' });
  await asks(lab, 'a', 't1');
  await lab.pass(5_000);
  say(lab, 'busy', 5_000);
  await lab.pass(80);
  await lab.hook('PreToolUse', { ...bash('t2'), agent_id: 'b', agent_type: 'Explore' });
  await lab.pass(1_000);
  expect(lab.agent('s/a')?.wait).toBeNull();
});

test('SES-5 news of the agent’s display says nothing against its own word that the turn is over', async () => {
  const lab = await busySession();
  await lab.pass(1_000);
  say(lab, 'idle', 1_000);
  await lab.pass(50);
  await lab.hook('MessageDisplay', { message_id: 'm', index: 0, delta: 'x' });
  await lab.pass(1_000);
  expect(lab.session()?.phase).toBe('interactable');
});

test('SES-5 a status of the same moment as a hook counts once it has stood', async () => {
  const lab = await busySession();
  // Somebody else's hook blocked the prompt: no request, no Stop, and the file is as old as our hook.
  say(lab, 'idle', 60);
  await lab.pass(1_000);
  expect(lab.session()?.phase).toBe('busy');
  await lab.pass(3_000);
  expect(lab.session()?.phase).toBe('interactable');
});

test('SES-3 a session that was thought to be over comes back when its process lives and writes its status', async () => {
  const lab = await busySession(here);
  await lab.hook('SessionEnd', { reason: 'other' }, here);
  await lab.pass(60_000);
  say(lab, 'busy', 60_000);
  await lab.pass(1_000);
  await lab.pass(1_000);
  expect([lab.session()?.state, lab.session()?.phase, lab.agent()?.present]).toEqual(['active', 'busy', true]);
});

test('SES-3 a status file that a kill left behind brings nobody back', async () => {
  const lab = await busySession(here);
  lab.sources.kill(42);
  say(lab, 'busy', 500);
  await lab.pass(3_000);
  expect(lab.session()?.state).toBe('stale');
  say(lab, 'idle', 60_000);
  await lab.pass(60_000);
  expect(lab.session()?.state).toBe('stale');
});

test('TRN-4 a session without hooks and without a transcript yet is known by its status alone', async () => {
  const lab = setUpWatch();
  say(lab, 'waiting', 0, { waitingFor: 'permission prompt', entrypoint: 'cli' });
  await lab.pass(3_500);
  await lab.pass(1_000);
  expect(lab.session()).toMatchObject({
    seenIn: 'transcript',
    state: 'active',
    phase: 'waiting_permission',
    surface: 'terminal',
  });
});

test('SES-3 the end of the process that was left ends no session that goes on in another', async () => {
  const lab = await busySession(here);
  const other = { ...here, agent_pid: 43, agent_started_at: '2026-01-01T00:05:00.000Z' };
  await lab.pass(1_000);
  await lab.hook('SessionStart', { source: 'resume' }, other);
  await lab.hook('SessionEnd', { reason: 'other' }, here);
  expect(lab.session()?.state).toBe('active');
  await lab.pass(2_000);
  await lab.hook('SessionEnd', { reason: 'other' }, other);
  expect(lab.session()?.state).toBe('completed');
});

test('SES-4 a lost SessionEnd at /clear leaves no second mascot: its process runs the next session', async () => {
  const lab = await busySession(here);
  await lab.hook('PreToolUse', bash('t1'), here);
  const name = lab.agent()?.name;
  await lab.pass(10_000);
  await lab.hook('SessionStart', { session_id: 's2', source: 'clear' }, here);
  await lab.pass(3_000);
  expect([lab.session('s')?.state, lab.session('s')?.endReason, lab.session('s2')?.state]).toEqual([
    'completed',
    'replaced',
    'active',
  ]);
  expect([lab.agent()?.present, lab.agent('s2/main')?.name]).toEqual([false, name]);
});

test('SES-5 the same by the status file, where no hook tells the process', async () => {
  const lab = await busySession();
  say(lab, 'busy', 0);
  await lab.pass(1_000);
  say(lab, 'idle', 2_000, { sessionId: 's2' });
  await lab.pass(8_000);
  expect([lab.session('s')?.state, lab.session('s2')?.state]).toEqual(['completed', 'active']);
});

test('STA-2 a turn that no hook began is begun by what its agent writes', async () => {
  const lab = await busySession();
  await lab.hook('Stop', { last_assistant_message: 'Done.' });
  lab.sources.write(transcript, line.assistant(-10, 'm1', text('Done.')));
  await lab.pass(5_000);
  expect(lab.session()?.phase).toBe('interactable');
  lab.sources.write(transcript, line.assistant(4_000, 'm2', { type: 'thinking', thinking: 'The hook says: go on.' }));
  await lab.rest();
  expect(lab.phase()).toBe('active busy transcript');
});

test('STA-3 a further line of the message that asks is no answer to it', async () => {
  const lab = await busySession();
  lab.sources.write(transcript, line.assistant(0, 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }));
  await asks(lab, undefined, 't1');
  lab.sources.write(transcript, line.assistant(900, 'm1', { type: 'tool_use', id: 't2', name: 'Read', input: {} }));
  await lab.pass(1_000);
  expect(lab.session()?.phase).toBe('waiting_permission');
});

test('COL-8 a request that arrives after the line which shows it answered does not wait', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  lab.sources.write(
    transcript,
    line.user(4_000, [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }]),
    line.assistant(4_100, 'm2', text('It ran.')),
  );
  await lab.pass(5_000);
  const asked = new Date(START + 500).toISOString();
  await lab.hook(
    'PermissionRequest',
    { tool_name: 'Bash', tool_input: { command: 'npm test' } },
    { collected_at: asked },
  );
  expect(lab.session()?.phase).toBe('busy');
});

test('COL-8 an interrupt that was read before the prompt’s hook came ends its turn all the same', async () => {
  const lab = setUpWatch();
  lab.sources.write(
    transcript,
    line.user(0, 'go', { promptSource: 'typed', origin: { kind: 'human' } }),
    line.interrupted(1_000),
  );
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.pass(4_000);
  expect(lab.session()?.phase).toBeNull();
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, { collected_at: new Date(START + 10).toISOString() });
  expect([lab.session()?.phase, lab.session()?.phaseBecause?.detail]).toEqual(['interactable', 'interrupted']);
});

test('STA-4 an interrupt while no editor was open shows when one opens', async () => {
  const lab = setUpWatch();
  lab.sources.write(transcript, line.interrupted(2_000));
  await lab.pass(6 * 60_000);
  // The spool is taken in: the hooks of six minutes ago.
  const then = (at: number) => ({ collected_at: new Date(START + at).toISOString() });
  await lab.hook('SessionStart', { source: 'startup' }, then(0));
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, then(1_000));
  await lab.hook('PreToolUse', bash('t1'), then(1_100));
  await lab.pass(1_000);
  expect(lab.session()?.phase).toBe('interactable');
});

test('STA-5 a fork begins with copied lines: none of them is news or counted again', async () => {
  const lab = setUpWatch();
  await lab.pass(60_000);
  lab.sources.write(transcript, line.assistant(10_000, 'm1', text('old')), line.interrupted(20_000));
  await lab.hook('SessionStart', { source: 'fork' });
  await lab.hook('UserPromptSubmit', { prompt: 'on' });
  await lab.pass(1_000);
  expect([lab.session()?.phase, lab.session()?.counts.tokensOut]).toEqual(['busy', 0]);
});

test('TRN-1 title, prompts and the person’s own name for a session outlive a restart', async () => {
  const lab = setUpWatch();
  lab.sources.write(transcript, line.user(0, 'Fix the tests', { promptSource: 'typed', origin: { kind: 'human' } }));
  lab.sources.write(transcript, { type: 'custom-title', customTitle: 'Mine', sessionId: 's' });
  lab.sources.write(transcript, line.assistant(10, 'm1', text('Yes.')));
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.pass(10_000);
  lab.watching.dispose();
  await lab.rest();
  const again = setUpWatch(lab.store, lab.clock);
  const shown = () => [again.session()?.title, again.session()?.counts.prompts];
  expect(shown()).toEqual(['Mine', 1]);
  again.sources.write(transcript, { type: 'ai-title', aiTitle: 'Its own', sessionId: 's' });
  await again.rest();
  expect(shown()).toEqual(['Mine', 1]);
});

test('SES-3 a transcript that grows, and a status that stands at busy, are signs of life', async () => {
  const lab = await busySession(here);
  await lab.hook('Stop', {}, here);
  await lab.pass(14 * 60_000);
  lab.sources.write(transcript, line.assistant(0, 'm1', text('x')));
  await lab.pass(5 * 60_000);
  expect(lab.session()?.state).toBe('active');
  await lab.pass(20 * 60_000);
  expect(lab.session()?.state).toBe('idle');
  await lab.hook('UserPromptSubmit', { prompt: 'think' }, here);
  say(lab, 'busy', lab.clock.now() - START);
  for (let minute = 0; minute < 40; minute++) await lab.pass(60_000);
  expect(lab.session()?.state).toBe('active');
});

test('SES-3 where nobody can tell whether the process lives, an endless call keeps it awake for two hours and no longer', async () => {
  const lab = await busySession({ host: 'there' });
  await lab.hook('PreToolUse', bash('t1'), { host: 'there' });
  await lab.pass(60 * 60_000);
  expect(lab.session()?.state).toBe('active');
  await lab.pass(61 * 60_000);
  expect(lab.session()?.state).toBe('idle');
});

test('SES-3 who was asked on Friday is still asked on Monday, while the process lives', async () => {
  const lab = await busySession(here);
  await lab.hook('PreToolUse', bash('t1'), here);
  await asks(lab, undefined, 't2');
  await lab.pass(60 * 3_600_000);
  await lab.hook('UserPromptSubmit', { session_id: 's2', prompt: 'go' });
  expect([lab.session()?.state, lab.session()?.phase]).toEqual(['active', 'waiting_permission']);
});

test('STA-7 when the agent’s own status says that nobody works, nobody is asked, a team-mate neither', async () => {
  const lab = await busySession();
  const spawn = { tool_name: 'Agent', tool_use_id: 'x', tool_input: { name: 'mate' } };
  await lab.hook('PreToolUse', spawn);
  await lab.hook('PostToolUse', {
    ...spawn,
    tool_response: { status: 'teammate_spawned', agentId: 'mate', name: 'mate' },
  });
  await lab.hook('SubagentStart', { agent_id: 'mate', agent_type: 'mate' });
  await asks(lab, 'mate', 't1');
  await lab.pass(5_000);
  say(lab, 'idle', 5_000);
  await lab.pass(1_000);
  expect([lab.session()?.phase, lab.agent('s/mate')?.wait, lab.agent('s/mate')?.present]).toEqual([
    'interactable',
    null,
    true,
  ]);
});

test('STA-7 a result beside an elicitation answers nothing', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  await lab.hook('Elicitation', { mcp_server_name: 'x', message: 'Your name?' });
  await lab.hook('PostToolUse', { ...bash('t1'), tool_response: {} });
  expect(lab.session()?.phase).toBe('waiting_question');
  await lab.hook('ElicitationResult', { mcp_server_name: 'x', action: 'accept' });
  expect(lab.session()?.phase).toBe('busy');
});

test('STA-2 Codex: a prompt that steers a running turn ends no call of it', async () => {
  const lab = setUpWatch();
  const codex = { provider: 'codex' };
  const turn = { turn_id: 'one', model: 'm' };
  await lab.hook('UserPromptSubmit', { prompt: 'make', ...turn }, codex);
  await lab.hook('PreToolUse', { ...bash('exec-1'), ...turn }, codex);
  await lab.pass(10);
  await lab.hook('UserPromptSubmit', { prompt: 'and quickly', ...turn }, codex);
  expect(lab.agent()?.activity?.tool).toBe('Bash');
  await lab.pass(10);
  await lab.hook('UserPromptSubmit', { prompt: 'next', turn_id: 'two', model: 'm' }, codex);
  expect(lab.agent()?.activity).toBeNull();
});

test('STA-5 a call of a sub-agent that has just left does not bring it back; a later one does', async () => {
  const lab = await busySession();
  await lab.hook('SubagentStart', { agent_id: 'a', agent_type: 'Explore' });
  await lab.hook('SubagentStop', { agent_id: 'a', agent_type: 'Explore' });
  await lab.pass(50);
  await lab.hook('PreToolUse', { ...bash('t1'), agent_id: 'a', agent_type: 'Explore' });
  expect(lab.agent('s/a')?.present).toBe(false);
  await lab.pass(10_000);
  await lab.hook('PreToolUse', { ...bash('t2'), agent_id: 'a', agent_type: 'Explore' });
  expect(lab.agent('s/a')?.present).toBe(true);
});

test('SES-3 the report of background work revives no session that has ended', async () => {
  const lab = await busySession();
  await lab.hook('SessionEnd', { reason: 'other' });
  await lab.hook('UserPromptSubmit', { prompt: '<task-notification>\n<task-id>a</task-id>' });
  expect([lab.session()?.state, lab.agent()?.present]).toEqual(['completed', false]);
});

test('NRM-4 a message to a team-mate names its addressee', async () => {
  const lab = await busySession();
  await lab.hook('SubagentStart', { agent_id: 'a1', agent_type: 'bob' });
  await lab.pass(10);
  await lab.hook('PreToolUse', {
    tool_name: 'SendMessage',
    tool_use_id: 'm',
    tool_input: { to: 'bob', message: 'hi' },
  });
  const sent = lab.store.events('s').find((event) => wordsOf(event.payload)['tool_name'] === 'SendMessage');
  expect([sent?.target_agent_id, lab.agent()?.talksTo?.id]).toEqual(['s/a1', 's/a1']);
});

test('SES-5 a file that claims to come from the future is no word on the present', async () => {
  const lab = await busySession();
  say(lab, 'idle', 2 * 3_600_000);
  lab.sources.write(transcript, line.interrupted(3 * 3_600_000));
  await lab.pass(5_000);
  await lab.hook('UserPromptSubmit', { prompt: 'on' });
  await lab.hook('PreToolUse', bash('t1'));
  expect([lab.session()?.phase, lab.agent()?.activity?.tool]).toEqual(['busy', 'Bash']);
  lab.sources.putFile(statusFolder, '42.json', { ...own('idle', 0), statusUpdatedAt: 1e18 });
  await lab.pass(5_000);
  expect(lab.log.lines.filter((each) => each.startsWith('error'))).toEqual([]);
});

test('MSK-1 nothing that a file says is stored or shown with a secret in it', async () => {
  const secret = `ghp_${'Ab1Cd2Ef3Gh4'.repeat(3)}`;
  expect(maskText(`x ${secret}`)).not.toContain(secret);
  const lab = setUpWatch();
  lab.sources.write(transcript, line.user(0, `use ${secret}`, { promptSource: 'typed', origin: { kind: 'human' } }));
  lab.sources.write(transcript, line.assistant(10, 'm1', text(`I use ${secret}`), { model: secret }));
  lab.sources.write(transcript, line.assistant(20, 'm2', { type: 'thinking', thinking: secret }));
  lab.sources.write(transcript, { type: 'ai-title', aiTitle: `About ${secret}`, sessionId: 's' });
  lab.sources.write(transcript, line.denied(30, `t ${secret}`));
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.pass(4_000);
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  await lab.hook('SubagentStart', { agent_id: 'a', agent_type: 'Explore' });
  const meta = { agentType: 'Explore', description: secret, name: secret, teamName: secret };
  lab.sources.putFile(transcript.replace(/\.jsonl$/, '/subagents'), 'agent-a.meta.json', meta);
  say(lab, 'waiting', 60_000, { waitingFor: secret, cwd: `/home/${secret}`, entrypoint: secret });
  await lab.pass(90_000);
  const everything = JSON.stringify([lab.hub.snapshot(), lab.store.records(), await lab.hub.explain('s')]);
  expect(everything).not.toContain(secret);
});

test('STO-3 what could not be stored is stored when there is room again', async () => {
  const lab = await busySession();
  lab.store.failAppendsWith(new Error('no space left'));
  lab.sources.write(transcript, line.interrupted(1_000));
  await lab.pass(1_100);
  expect(lab.session()?.phase).toBe('busy');
  lab.store.failAppendsWith(undefined);
  await lab.pass(6_000);
  expect(lab.session()?.phase).toBe('interactable');
});
