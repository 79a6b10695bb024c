import { expect, test } from 'vitest';
import { config, line, setUpWatch, START, transcript, bash, own, statusFolder, text } from './watch.testkit.ts';
import { wordsOf } from '../../protocol/eventPayloads.ts';

async function busySession() {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' });
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  return lab;
}

test('STA-4 an Esc, which fires no hook, ends busy by the transcript', async () => {
  const lab = await busySession();
  await lab.pass(1_000);
  lab.sources.write(transcript, line.assistant(900, 'm1', text('Let me')), line.interrupted(1_000));
  await lab.rest();
  expect([lab.phase(), lab.session()?.phaseBecause?.detail]).toEqual(['active interactable transcript', 'interrupted']);
});

test('STA-4 the transcript’s word on an interrupt is not undone by the hook of the cancelled call that comes late', async () => {
  const lab = await busySession();
  lab.sources.write(
    transcript,
    line.assistant(100, 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
    line.denied(200, 't1'),
    line.interrupted(201),
  );
  await lab.pass(300);
  await lab.hook('PreToolUse', bash('t1'));
  expect(lab.phase()).toBe('active interactable transcript');
});

test('NRM-5 a denied tool, of which no hook tells, is a tool_failed that counts as no failure', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  lab.sources.write(
    transcript,
    line.assistant(10, 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
    line.denied(600, 't1'),
  );
  await lab.pass(700);
  const failed = lab.store.events('s').find((event) => event.event_type === 'tool_failed');
  expect(failed).toMatchObject({
    source: 'transcript',
    payload: { tool_name: 'Bash', tool_use_id: 't1', exit_code: null, denied: true },
  });
  expect([lab.session()?.counts.failures, lab.agent()?.activity]).toEqual([0, null]);
});

test('TRN-5 tokens count once per message; model and context come from the transcript, also after a restart', async () => {
  const lab = await busySession();
  lab.sources.write(
    transcript,
    line.assistant(100, 'm1', { type: 'thinking', thinking: 'First the tests.' }),
    line.assistant(100, 'm1', text('I look.')),
    line.assistant(100, 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
    line.assistant(200, 'm2', text('Done.')),
  );
  await lab.rest();
  const measured = { model: 'claude-opus-5-5', tokens: [2_400, 84] };
  const shown = () => ({
    model: lab.session()?.model,
    tokens: [lab.session()?.counts.tokensIn, lab.session()?.counts.tokensOut],
  });
  expect(shown()).toMatchObject({ model: measured.model });
  expect(lab.session()?.counts.tokensOut).toBe(84);
  const before = shown();
  await lab.pass(5_000);
  lab.watching.dispose();
  await lab.rest();
  const again = setUpWatch(lab.store, lab.clock);
  expect(again.session()?.counts).toEqual(lab.session()?.counts);
  again.sources.write(transcript, ...Array.from({ length: 4 }, () => line.assistant(100, 'm1', text('old'))));
  again.sources.write(transcript, line.assistant(300, 'm3', text('More.')));
  await again.rest();
  expect(before.tokens[1]).toBe(84);
  expect(again.session()?.counts.tokensOut).toBe(126);
});

test('NRM-9 a thought in the transcript is what the mascot says, masked', async () => {
  const lab = await busySession();
  lab.sources.write(
    transcript,
    line.assistant(100, 'm1', {
      type: 'thinking',
      thinking: 'The key is sk-ant-api03-AAAAbbbbCCCCddddEEEEffffGGGGhhhhIIIIjjjjKKKKllllMMMMnnnn-oooooooo',
    }),
  );
  await lab.rest();
  expect(lab.agent()?.says).toMatch(/^The key is /);
  expect(lab.agent()?.says).not.toContain('AAAAbbbb');
});

test('STA-3 an answer given in the terminal is seen by what the agent writes next', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  await lab.hook('PermissionRequest', bash('t1'));
  expect(lab.phase()).toBe('active waiting_permission hook');
  lab.sources.write(transcript, line.assistant(5_000, 'm2', text('Thank you.')));
  await lab.pass(5_100);
  expect(lab.phase()).toMatch(/^active busy/);
});

test('STA-7 the line of the call that asks, and a result beside it, answer nothing', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  await lab.hook('PreToolUse', { ...bash('t2'), tool_name: 'Read' });
  await lab.hook('PermissionRequest', bash('t1'));
  lab.sources.write(
    transcript,
    line.assistant(20, 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
    line.user(3_000, [{ type: 'tool_result', tool_use_id: 't2', content: 'read' }]),
  );
  await lab.pass(3_100);
  expect(lab.phase()).toBe('active waiting_permission hook');
});

test('SES-4 a session whose process is gone is over within 5 s, and the next sign of life brings it back', async () => {
  const lab = setUpWatch();
  const meta = { agent_pid: 42, agent_started_at: '2026-01-01T00:00:00.000Z', pid_namespace: 'pid:[1]' };
  await lab.hook('SessionStart', { source: 'startup' }, meta);
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, meta);
  await lab.pass(2_500);
  expect(lab.phase()).toBe('active busy hook');
  lab.sources.kill(42);
  await lab.pass(2_500);
  expect([lab.session()?.state, lab.session()?.phase, lab.session()?.endReason]).toEqual([
    'stale',
    null,
    'process_gone',
  ]);
  expect(lab.agent()?.present).toBe(false);
  await lab.pass(10);
  await lab.hook('UserPromptSubmit', { prompt: 'again' }, { ...meta, agent_pid: 43 });
  await lab.pass(2_500);
  expect([lab.phase(), lab.agent()?.present]).toEqual(['active busy hook', true]);
});

test.each([
  ['another host', { host: 'there' }],
  ['another pid namespace', { pid_namespace: 'pid:[2]' }],
])('SES-4 a process of %s is never judged by our own table', async (_name, elsewhere) => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, { agent_pid: 42, ...elsewhere });
  lab.sources.kill(42);
  await lab.pass(10_000);
  expect([lab.phase(), lab.sources.askedFor(), lab.sources.followed()]).toEqual(['active busy hook', [], []]);
});

test('SES-4 after a restart only sessions whose process lives come back as active', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, { agent_pid: 42 });
  await lab.hook('UserPromptSubmit', { prompt: 'go', session_id: 's2' }, { agent_pid: 43 });
  lab.watching.dispose();
  const again = setUpWatch(lab.store, lab.clock);
  again.watching.dispose();
  again.sources.kill(42);
  const { startWatching } = await import('./startWatching.ts');
  const watching = startWatching({ ...again, erased: again.store.erased, log: again.log });
  await watching.firstLook;
  await again.rest();
  expect([again.session('s')?.state, again.session('s2')?.state]).toEqual(['stale', 'active']);
});

test('SES-5 the agent’s own status ends a turn that no hook ended, and names its source', async () => {
  const lab = await busySession();
  await lab.pass(2_000);
  lab.sources.putFile(statusFolder, '42.json', own('idle', 2_000));
  await lab.pass(500);
  expect(lab.phase()).toBe('active interactable synthetic status_file');
});

test('SES-5 it never overrules a fresher hook, nor one of the same moment', async () => {
  const lab = await busySession();
  await lab.pass(2_000);
  lab.sources.putFile(statusFolder, '42.json', own('idle', 2_000));
  await lab.hook('UserPromptSubmit', { prompt: 'more' });
  await lab.pass(500);
  expect(lab.phase()).toBe('active busy hook');
});

test('SES-5 a prompt that no hook told of is a wait, one that was answered is none, and the hook’s own word goes first', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  await lab.pass(1_000);
  lab.sources.putFile(statusFolder, '42.json', own('waiting', 900, { waitingFor: 'permission prompt' }));
  await lab.pass(500);
  expect([lab.phase(), lab.agent()?.wait?.inferred]).toEqual(['active waiting_permission synthetic status_file', true]);
  lab.sources.putFile(statusFolder, '42.json', own('busy', 30_000));
  await lab.pass(30_000);
  expect([lab.phase(), lab.agent()?.wait]).toEqual(['active busy hook', null]);
  const steps = (await lab.hub.explain('s'))?.steps.filter(({ correction }) => correction);
  expect(steps?.map(({ event, by }) => [event, by])).toEqual([
    ['agent_blocked', 'status_file'],
    ['agent_unblocked', 'status_file'],
  ]);
});

test('SES-5 it stays busy while a background agent works: the ended turn stays ended', async () => {
  const lab = await busySession();
  const spawn = { tool_name: 'Agent', tool_use_id: 'a', tool_input: { description: 'Job', subagent_type: 'Explore' } };
  await lab.hook('PreToolUse', spawn);
  await lab.hook('SubagentStart', { agent_id: 'helper', agent_type: 'Explore' });
  await lab.hook('PostToolUse', {
    ...spawn,
    tool_response: { status: 'async_launched', isAsync: true, agentId: 'helper' },
  });
  await lab.hook('Stop', { background_tasks: [{ id: 'helper', type: 'subagent' }] });
  await lab.pass(3_000);
  lab.sources.putFile(statusFolder, '42.json', own('busy', 2_000));
  await lab.pass(500);
  expect([lab.phase(), lab.session()?.background]).toEqual(['active interactable hook', 1]);
  lab.sources.putFile(statusFolder, '42.json', own('idle', 60_000));
  await lab.pass(60_000);
  expect([lab.session()?.phase, lab.session()?.background, lab.agent('s/helper')?.present]).toEqual([
    'interactable',
    0,
    false,
  ]);
});

test('SES-5 the private neighbours are not read, and a changed format is no status', async () => {
  const lab = await busySession();
  await lab.pass(2_000);
  lab.sources.putFile(statusFolder, '42.key', own('idle', 2_000));
  lab.sources.putFile(statusFolder, '43.json', { version: 2, state: 'asleep' });
  lab.sources.putFile(statusFolder, '44.json', own('dreaming', 2_000));
  await lab.pass(1_000);
  expect(lab.phase()).toBe('active busy hook');
});

test('SES-5 it tells the process of a session whose hooks do not', async () => {
  const lab = await busySession();
  lab.sources.putFile(statusFolder, '42.json', own('busy', 0));
  await lab.pass(2_500);
  expect(lab.sources.askedFor()).toEqual([{ pid: 42, startTicks: 158556 }]);
  lab.sources.kill(42);
  await lab.pass(2_500);
  expect(lab.session()?.state).toBe('stale');
});

test('TRN-4 a session without hooks is seen by its transcript, without a phase unless its own status tells it', async () => {
  const lab = setUpWatch();
  const path = `${config}/projects/-home-dev-project/s.jsonl`;
  lab.sources.write(
    path,
    line.user(0, 'Fix the tests please', { promptSource: 'typed', origin: { kind: 'human' } }),
    line.assistant(100, 'm1', text('Yes.')),
  );
  lab.sources.find({ path, modifiedAt: START, size: 1 });
  await lab.pass(3_500);
  expect(lab.session()).toMatchObject({
    seenIn: 'transcript',
    state: 'active',
    phase: null,
    title: 'Fix the tests please',
    surface: 'terminal',
    project: '/home/dev/project',
    counts: { prompts: 1, tokensOut: 42 },
  });
  lab.sources.putFile(statusFolder, '42.json', own('busy', 20_000));
  await lab.pass(20_000);
  expect(lab.phase()).toBe('active busy synthetic status_file');
  lab.sources.putFile(statusFolder, '42.json', own('idle', 40_000));
  await lab.pass(20_000);
  expect(lab.phase()).toBe('active interactable synthetic status_file');
  await lab.hook('UserPromptSubmit', { prompt: 'now with hooks' });
  expect([lab.session()?.seenIn, lab.phase()]).toEqual(['hooks', 'active busy hook']);
});

test('TRN-4 an old transcript that was copied, and one whose hooks come, are no sessions of their own', async () => {
  const lab = setUpWatch();
  const old = `${config}/projects/-home-dev-project/old.jsonl`;
  lab.sources.write(old, line.assistant(-3_600_000, 'm1', text('An hour ago.')));
  lab.sources.find({ path: old, modifiedAt: START, size: 1 });
  lab.sources.write(transcript, line.assistant(0, 'm1', text('Now.')));
  lab.sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  await lab.pass(10_000);
  expect(lab.hub.snapshot().sessions.map(({ id, seenIn }) => [id, seenIn])).toEqual([['s', 'hooks']]);
});

test('TRN-1 only the transcripts of sessions that live are followed, their sub-agents’ included', async () => {
  const lab = await busySession();
  await lab.hook('SubagentStart', { agent_id: 'helper', agent_type: 'Explore' });
  const helper = transcript.replace(/\.jsonl$/, '/subagents/agent-helper.jsonl');
  expect(lab.sources.followed()).toEqual([transcript, helper]);
  await lab.hook('SubagentStop', { agent_id: 'helper', agent_type: 'Explore' });
  expect(lab.sources.followed()).toEqual([transcript]);
  await lab.hook('SessionEnd', { reason: 'other' });
  await lab.pass(5_000);
  expect(lab.sources.followed()).toEqual([]);
});

test('TRN-3 a file that is replaced is added up anew', async () => {
  const lab = await busySession();
  lab.sources.write(transcript, line.assistant(100, 'm1', text('a')), line.assistant(200, 'm2', text('b')));
  await lab.rest();
  lab.sources.replace(transcript, line.assistant(300, 'm9', text('c')));
  await lab.rest();
  expect(lab.session()?.counts.tokensOut).toBe(42);
});

test.each(['/dev/zero', '/etc/passwd', '/home/dev/.claude/x.json'])(
  'TRN-3 %s is no transcript and is never opened',
  async (path) => {
    const lab = setUpWatch();
    await lab.hook('UserPromptSubmit', { prompt: 'go', transcript_path: path });
    expect(lab.sources.followed()).toEqual([]);
  },
);

test('NRM-11 a sub-agent’s parent and task come from its own small file', async () => {
  const lab = await busySession();
  await lab.hook('SubagentStart', { agent_id: 'outer', agent_type: 'general-purpose' });
  await lab.hook('SubagentStart', { agent_id: 'inner', agent_type: 'general-purpose' });
  const folder = transcript.replace(/\.jsonl$/, '/subagents');
  lab.sources.putFile(folder, 'agent-inner.meta.json', {
    agentType: 'general-purpose',
    description: 'Look deeper',
    parentAgentId: 'outer',
  });
  await lab.rest();
  expect(lab.agent('s/inner')).toMatchObject({ parentId: 's/outer', task: 'Look deeper' });
});

test('NRM-4 every wait that ends is an event of its own, which changes nothing', async () => {
  const lab = await busySession();
  await lab.hook('PreToolUse', bash('t1'));
  await lab.hook('PermissionRequest', bash('t1'));
  await lab.pass(4_000);
  await lab.hook('PostToolUse', { ...bash('t1'), tool_response: {} });
  const resolved = lab.store.events('s').filter((event) => event.event_type === 'agent_unblocked');
  expect(
    resolved.map(({ source, agent_id, payload }) => [source, agent_id, payload['tool_name'], payload['derived']]),
  ).toEqual([['synthetic', 's/main', 'Bash', true]]);
  expect(lab.phase()).toBe('active busy hook');
});

test('NRM-6 after /clear the new session’s main agent carries on the old one’s look and name', async () => {
  const lab = await busySession();
  const old = lab.agent();
  await lab.hook('SessionEnd', { reason: 'clear' });
  await lab.pass(50);
  await lab.hook('SessionStart', { session_id: 's2', source: 'clear' });
  const fresh = lab.agent('s2/main');
  expect([fresh?.avatarSeed, fresh?.name, lab.session('s2')?.continues]).toEqual([old?.avatarSeed, old?.name, 's']);
  expect([lab.session('s')?.state, lab.session('s2')?.phase]).toEqual(['completed', 'interactable']);
});

test('STA-7 the status between two dialogs that stand in line answers only the first', async () => {
  const lab = await busySession();
  for (const id of ['a1', 'a2']) {
    await lab.hook('SubagentStart', { agent_id: id, agent_type: 'Explore' });
    await lab.hook('PreToolUse', { ...bash(id), agent_id: id, agent_type: 'Explore' });
    const { tool_name, tool_input } = bash(id);
    await lab.hook('PermissionRequest', { tool_name, tool_input, agent_id: id, agent_type: 'Explore' });
    await lab.pass(20);
  }
  const waits = () => ['s/a1', 's/a2'].map((id) => lab.agent(id)?.wait?.kind ?? null);
  expect(waits()).toEqual(['permission', 'permission']);
  await lab.pass(10_000);
  lab.sources.putFile(statusFolder, '42.json', own('busy', 10_000));
  await lab.pass(500);
  lab.sources.putFile(statusFolder, '42.json', own('waiting', 10_500, { waitingFor: 'permission prompt' }));
  await lab.hook('PostToolUse', { ...bash('a1'), agent_id: 'a1', tool_response: {} });
  await lab.pass(3_000);
  expect(waits()).toEqual([null, 'permission']);
});

test('STA-5 a headless run asks nobody: what is not allowed is denied at once', async () => {
  const lab = setUpWatch();
  const meta = { entrypoint: 'sdk-cli' };
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, meta);
  await lab.hook('PreToolUse', bash('t1'), meta);
  await lab.hook('PermissionRequest', bash('t1'), meta);
  await lab.hook('Notification', { notification_type: 'permission_prompt', message: 'x' }, meta);
  expect([lab.phase(), lab.session()?.surface]).toEqual(['active busy hook', 'headless']);
});

test('NRM-7 equal payloads of one second are one hook, but for those that mean something each time', async () => {
  const lab = setUpWatch();
  const codex = { provider: 'codex' };
  const turn = { turn_id: 't', model: 'm' };
  await lab.hook('UserPromptSubmit', { prompt: 'go', ...turn }, codex);
  await lab.hook('PreModelRequest', turn, codex);
  await lab.hook('Stop', { ...turn, last_assistant_message: 'Done.' }, codex);
  // A Stop hook of the person's sends the agent back to work.
  await lab.pass(20);
  await lab.hook('PreModelRequest', turn, codex);
  expect(lab.phase()).toBe('active busy hook');
  await lab.pass(20);
  await lab.hook('Stop', { ...turn, last_assistant_message: 'Done.' }, codex);
  await lab.pass(5);
  await lab.hook('Stop', { ...turn, last_assistant_message: 'Done.' }, codex);
  expect([lab.phase(), lab.session()?.counts.replies]).toEqual(['active interactable hook', 2]);
  await lab.hook('Notification', { notification_type: 'x' });
  await lab.hook('Notification', { notification_type: 'x' });
  expect(lab.store.events('s').filter((event) => wordsOf(event.payload)['notification_type'] === 'x')).toHaveLength(1);
});

test('TRN-2 what a turn ended with is read from the transcript where its hook does not say it', async () => {
  const lab = await busySession();
  lab.sources.write(transcript, line.assistant(100, 'm1', text('All tests pass.')));
  await lab.hook('Stop');
  expect(lab.session()?.lastReply).toBeNull();
  await lab.pass(1_500);
  expect(lab.session()?.lastReply).toBe('All tests pass.');
  await lab.hook('UserPromptSubmit', { prompt: 'more' });
  await lab.hook('Stop', { last_assistant_message: 'Told by the hook.' });
  await lab.pass(1_500);
  expect(lab.session()?.lastReply).toBe('Told by the hook.');
});
