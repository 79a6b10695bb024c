import { expect, test } from 'vitest';
import { bash, line, own, setUpWatch, START, statusFolder, text, transcript } from './watch.testkit.ts';

const processOf = (pid: number, more: object = {}) => ({
  agent_pid: pid,
  agent_started_at: `2026-01-01T00:00:${pid}.000Z`,
  pid_namespace: 'pid:[1]',
  ...more,
});
const [first, second] = [processOf(42), processOf(43)];
type Lab = ReturnType<typeof setUpWatch>;
const say = (lab: Lab, status: string, at: number, more: { pid?: number; sessionId?: string } = {}) =>
  lab.sources.putFile(
    statusFolder,
    `${more.pid ?? 42}.json`,
    own(status, at, { procStart: String(more.pid ?? 42), ...more }),
  );
const lives = (lab: Lab, id = 's') => [lab.session(id)?.state, lab.session(id)?.phase];

test('SES-3 a session that goes on in a second process is not ended by what the first one does next', async () => {
  const lab = setUpWatch();
  await lab.hook('SessionStart', { source: 'startup' }, first);
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, first);
  say(lab, 'busy', 0);
  await lab.pass(1_000);
  await lab.hook('SessionStart', { session_id: 's2', source: 'clear' }, first);
  say(lab, 'idle', 1_000, { sessionId: 's2' });
  await lab.pass(5_000);
  expect(lab.session()?.state).toBe('completed');
  await lab.hook('SessionStart', { source: 'resume' }, second);
  await lab.hook('UserPromptSubmit', { prompt: 'on' }, second);
  await lab.pass(5_000);
  for (const at of [12_000, 16_000]) {
    say(lab, at === 12_000 ? 'busy' : 'idle', at, { sessionId: 's2' });
    await lab.pass(5_000);
  }
  expect(lives(lab)).toEqual(['active', 'busy']);
});

test('SES-4 an agent below another one inherits the name of its process, and ends nothing', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, first);
  await lab.pass(1_000);
  await lab.hook('SessionStart', { session_id: 'inner', source: 'startup' }, first);
  await lab.hook('UserPromptSubmit', { session_id: 'inner', prompt: 'help' }, first);
  await lab.pass(10_000);
  expect([lives(lab), lives(lab, 'inner')]).toEqual([
    ['active', 'busy'],
    ['active', 'busy'],
  ]);
});

test('TRN-4 a session whose status file was there before its transcript is followed all the same', async () => {
  const lab = setUpWatch();
  say(lab, 'idle', 0);
  await lab.pass(4_000);
  expect(lab.session()?.seenIn).toBe('transcript');
  lab.sources.write(transcript, line.user(5_000, 'Fix it', { promptSource: 'typed', origin: { kind: 'human' } }));
  lab.sources.write(transcript, line.assistant(5_100, 'm1', text('Yes.')));
  await lab.pass(2_000);
  lab.sources.find({ path: transcript, modifiedAt: lab.clock.now(), size: 1 });
  await lab.pass(4_000);
  await lab.pass(100);
  expect(lab.session()).toMatchObject({
    title: 'Fix it',
    model: 'claude-opus-5-5',
    counts: { tokensOut: 42, prompts: 1 },
  });
});

test('STA-7 two requests answered one after the other, of which the status tells only the last, are both over', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  for (const id of ['a', 'b']) {
    await lab.hook('SubagentStart', { agent_id: id, agent_type: 'Explore' });
    await lab.hook('PreToolUse', { ...bash(id), agent_id: id, agent_type: 'Explore' });
    await lab.hook('PermissionRequest', { ...bash(id), agent_id: id, agent_type: 'Explore' });
    await lab.pass(20);
  }
  await lab.pass(5_000);
  say(lab, 'busy', 5_000);
  await lab.pass(1_000);
  expect(['s/a', 's/b'].map((id) => lab.agent(id)?.wait === null)).toEqual([true, false]);
  await lab.pass(15_000);
  expect(['s/a', 's/b'].map((id) => lab.agent(id)?.wait === null)).toEqual([true, true]);
});

test('SES-4 a clock that goes back a little makes no phantom of a killed agent', async () => {
  const lab = setUpWatch();
  const ahead = { collected_at: new Date(START + 5_000).toISOString() };
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, { ...first, ...ahead });
  await lab.hook('PreToolUse', bash('t1'), { ...first, ...ahead });
  lab.sources.kill(42);
  await lab.pass(3_000);
  await lab.pass(3_000);
  expect(lives(lab)).toEqual(['stale', null]);
});

test('SES-3 a request in a container is waited for until a day has passed, one of a living process longer', async () => {
  const lab = setUpWatch();
  for (const [id, meta] of [
    ['far', { host: 'there', agent_pid: 7 }],
    ['near', first],
  ] as const) {
    await lab.hook('UserPromptSubmit', { session_id: id, prompt: 'go' }, meta);
    await lab.hook('PermissionRequest', { session_id: id, ...bash('t1') }, meta);
  }
  for (let hour = 0; hour < 30; hour++) for (let part = 0; part < 120; part++) await lab.pass(30_000);
  expect([lives(lab, 'far'), lives(lab, 'near')]).toEqual([
    ['stale', null],
    ['active', 'waiting_permission'],
  ]);
}, 60_000);

test('SES-3 a request from before the weekend is there after a restart', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' }, first);
  await lab.hook('PermissionRequest', bash('t1'), first);
  await lab.hook('UserPromptSubmit', { session_id: 'other', prompt: 'go' });
  lab.watching.dispose();
  lab.clock.advance(73 * 3_600_000);
  const again = setUpWatch(lab.store, lab.clock);
  await again.pass(30_000);
  expect([lives(again), again.session('other')]).toEqual([['active', 'waiting_permission'], undefined]);
});

test('STA-2 a prompt that is typed while a tool runs ends no call of the turn', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'make', prompt_id: 'p1' });
  await lab.pass(10);
  await lab.hook('PreToolUse', bash('t1'));
  await lab.pass(10);
  await lab.hook('UserPromptSubmit', { prompt: 'and test', prompt_id: 'p1' });
  expect([lab.agent()?.activity?.tool, lab.session()?.counts.prompts]).toEqual(['Bash', 2]);
  await lab.hook('Stop', {});
  await lab.pass(10);
  await lab.hook('UserPromptSubmit', { prompt: 'again', prompt_id: 'p1' });
  expect(lab.agent()?.activity).toBeNull();
});

test('TRN-3 totals of a truncated transcript are those of what is left, also after a restart', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  await lab.hook('Stop', {});
  lab.sources.write(transcript, ...[1, 2, 3, 4, 5].map((n) => line.assistant(n, `m${n}`, text('x'))));
  await lab.pass(5_000);
  lab.sources.replace(transcript, line.assistant(9, 'm9', text('x')));
  await lab.pass(5_000);
  expect(lab.session()?.counts.tokensOut).toBe(42);
  lab.watching.dispose();
  await lab.rest();
  expect(setUpWatch(lab.store, lab.clock).session()?.counts.tokensOut).toBe(42);
});

test('STA-3 a request behind another one is a step of its own', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  for (const id of ['a', 'b']) {
    await lab.pass(20);
    await lab.hook('SubagentStart', { agent_id: id, agent_type: 'Explore' });
    await lab.hook('PermissionRequest', { ...bash(id), agent_id: id, agent_type: 'Explore' });
  }
  const steps = (await lab.hub.explain('s'))?.steps.filter(({ event }) => event === 'agent_blocked');
  expect(steps?.map(({ agentId }) => agentId)).toEqual(['s/a', 's/b']);
});

test('SES-5 a guessed question is over with any result of that agent', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  await lab.pass(1_000);
  lab.sources.putFile(statusFolder, '42.json', own('waiting', 1_000, { waitingFor: 'input needed' }));
  await lab.pass(1_000);
  expect(lab.session()?.phase).toBe('waiting_question');
  await lab.hook('PostToolUse', { tool_name: 'AskUserQuestion', tool_use_id: 'q', tool_response: {} });
  expect(lab.session()?.phase).toBe('busy');
});

test('STA-7 a team-mate at work, though the file says busy, makes no turn of the main agent', async () => {
  const lab = setUpWatch();
  await lab.hook('UserPromptSubmit', { prompt: 'go' });
  const spawn = { tool_name: 'Agent', tool_use_id: 'x', tool_input: { name: 'mate' } };
  await lab.hook('PostToolUse', {
    ...spawn,
    tool_response: { status: 'teammate_spawned', agentId: 'mate', name: 'mate' },
  });
  await lab.hook('SubagentStart', { agent_id: 'mate', agent_type: 'mate' });
  await lab.pass(100);
  await lab.hook('Stop', { background_tasks: [{ id: 'task', type: 'teammate' }] });
  await lab.pass(5_000);
  say(lab, 'busy', 5_000);
  await lab.pass(2_000);
  expect(lab.session()?.phase).toBe('interactable');
});
