import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { sessionStateSchema } from '../protocol/stored.ts';
import { checkpointOf } from './checkpoint.ts';
import { anEvent } from './event.testkit.ts';
import { reduceAll } from './reduce.ts';

const project = { path: '/w/shop' };

/** Events in order, a second apart. */
function after(...told: readonly (readonly [AgentEvent['event_type'], JsonObject, Partial<AgentEvent>?])[]) {
  return reduceAll(told.map(([type, payload, more], index) => anEvent(index, type, payload, { project, ...more })))!;
}

const asked = (prompt: string, more: JsonObject = {}) => ['user_prompt', { prompt, cwd: '/w/shop', ...more }] as const;
const wrote = (target: string) => ['tool_succeeded', { tool_name: 'Edit', mood: 'writing', target }] as const;
const read = (target: string) => ['tool_succeeded', { tool_name: 'Read', mood: 'reading', target }] as const;
const ran = (target: string, more: JsonObject = {}) =>
  ['tool_succeeded', { tool_name: 'Bash', mood: 'running', target, ...more }] as const;
const failed = (tool: string, mood: string, target: string, more: JsonObject = {}) =>
  ['tool_failed', { tool_name: tool, mood, target, error_message: 'Exit code 1\nno', ...more }] as const;

test('MEM-2 what was asked, edited, read and run, and what became of the turn', () => {
  const { digest } = after(
    asked('mend  the\ntill'),
    read('/w/shop/README.md'),
    wrote('/w/shop/src/till.ts'),
    wrote('/etc/hosts'),
    failed('Bash', 'running', 'npm test', { exit_code: 1 }),
    ran('ls'),
    ['turn_ended', { reason: 'completed', message: 'Done.' }],
    asked('<task-notification>', { synthetic: true }),
    asked('and the drawer'),
    ['turn_ended', { reason: 'failed', error: 'rate_limit' }],
  );
  expect(digest).toEqual({
    requests: ['mend the till', 'and the drawer'],
    turn: 'failed',
    error: 'rate_limit',
    files: [
      { path: 'README.md', written: false },
      { path: 'src/till.ts', written: true },
      { path: '/etc/hosts', written: true },
    ],
    commands: [
      { text: 'npm test', check: true, outcome: 'failed', exit: 1 },
      { text: 'ls', outcome: 'succeeded' },
    ],
    failures: [],
  });
});

describe('MEM-2 the outcome of a command', () => {
  test('MEM-2 the same command again has the newer outcome', () => {
    const { digest } = after(failed('Bash', 'running', 'npm test', { exit_code: 2 }), ran('ls'), ran('npm test'));
    expect(digest?.commands.map(({ text, outcome, exit }) => [text, outcome, exit])).toEqual([
      ['ls', 'succeeded', undefined],
      ['npm test', 'succeeded', undefined],
    ]);
  });

  test('MEM-2 what a hook called done and a transcript knows to have failed has failed', () => {
    const { digest } = after(
      ['tool_started', { tool_name: 'Bash', mood: 'running', target: 'make', tool_use_id: 'c1' }],
      ran('make', { tool_use_id: 'c1' }),
      ['tool_failed', { tool_use_id: 'c1', exit_code: 2 }, { source: 'transcript' }],
    );
    expect(digest?.commands).toEqual([{ id: 'c1', text: 'make', check: true, outcome: 'failed', exit: 2 }]);
  });

  test('MEM-2 one that goes on beside the agent is not said to have gone well', () => {
    expect(after(ran('npm test', { detached: true })).digest?.commands[0]?.outcome).toBe('started');
  });

  test('MEM-2 one that was denied, or broken off, is none', () => {
    const { digest } = after(
      asked('x'),
      failed('Bash', 'running', 'rm -rf /', { denied: true }),
      failed('Bash', 'running', 'sleep 60', { interrupt: true }),
    );
    expect([digest?.commands, digest?.failures]).toEqual([[], []]);
  });

  test('MEM-2 the last test stays, however many commands come after it', () => {
    const { digest } = after(ran('npm test'), ...Array.from({ length: 9 }, (_, index) => ran(`echo ${index}`)));
    expect(digest?.commands.map(({ text }) => text)).toEqual(['npm test', 'echo 6', 'echo 7', 'echo 8']);
  });
});

test('MEM-2 a failure is told until the same goes well', () => {
  const broken = failed('Edit', 'writing', '/w/shop/a.ts');
  expect(after(broken).digest?.failures).toEqual([{ tool: 'Edit', target: '/w/shop/a.ts', message: 'Exit code 1 no' }]);
  expect(after(broken, wrote('/w/shop/a.ts')).digest?.failures).toEqual([]);
});

test('CNV-4 a turn that is not kept leaves no word, no file and no command', () => {
  const unlogged = { unlogged: true };
  const { digest } = after(
    asked('the first'),
    ['user_prompt', unlogged],
    ['tool_succeeded', { tool_name: 'Edit', mood: 'writing', target: '/w/shop/secret.ts', ...unlogged }],
  );
  expect([digest?.requests, digest?.files]).toEqual([['the first', ''], []]);
});

test('MEM-2 whatever comes, it is small, and a row that holds it can be read again', () => {
  const long = (index: number) => `${index}${'x"\\'.repeat(400)}`;
  const many = Array.from({ length: 40 }, (_, index) => [
    asked(long(index)),
    wrote(`/w/shop/${'d/'.repeat(100)}w${index}.ts`),
    read(`/w/shop/${'d/'.repeat(100)}r${index}.ts`),
    ran(long(index), { tool_use_id: `${'y'.repeat(100)}${index}` }),
    failed('Edit', 'writing', long(index), { error_message: long(index) }),
  ]).flat();
  const state = after(...many, ['turn_ended', { reason: 'failed', error: long(0) }]);
  const { digest } = state;
  // Twice as long as its words in the worst case: each third letter is one that JSON writes as two.
  const words = JSON.stringify(digest).replaceAll('\\', '');
  expect([digest?.files.length, digest?.commands.length, digest?.requests.length]).toEqual([11, 4, 3]);
  expect(words.length).toBeLessThan(3_300);
  expect(sessionStateSchema.parse(JSON.parse(JSON.stringify(state))).digest).toEqual(
    JSON.parse(JSON.stringify(digest)),
  );
});

test('MEM-2 a state without a digest, as older releases wrote it, is read and goes on', () => {
  const { digest: _digest, ...older } = after(asked('mend the till'));
  const state = sessionStateSchema.parse(JSON.parse(JSON.stringify(older)));
  expect(state.digest).toBeUndefined();
  const next = reduceAll([anEvent(9, 'user_prompt', { prompt: 'go on' })], state);
  expect(next?.digest?.requests).toEqual(['go on']);
});

describe('EVT-2 what a conversation must not lose, at any time', () => {
  test('EVT-2 the request that is open, open tasks, edited files, commands, the last reply', () => {
    const state = after(
      asked('the first'),
      ['task_created', { title: 'later' }, { task_id: '1' }],
      ['task_created', { title: 'now' }, { task_id: '2' }],
      ['task_created', { title: 'over' }, { task_id: '3' }],
      ['task_started', {}, { task_id: '2' }],
      ['task_completed', {}, { task_id: '3' }],
      wrote('/w/shop/a.ts'),
      read('/w/shop/b.ts'),
      ran('npm test'),
      ['turn_ended', { reason: 'completed', message: 'The first is done.' }],
      asked('the second'),
    );
    expect(checkpointOf(state)).toEqual({
      request: 'the second',
      requestOpen: true,
      tasks: ['now', 'later'],
      files: ['a.ts'],
      commands: [{ text: 'npm test', outcome: 'passed', check: true }],
      reply: 'The first is done.',
    });
  });

  test('EVT-2 nothing, where nothing was asked or done', () => {
    expect(checkpointOf(after(['session_started', { source: 'startup' }]))).toBeUndefined();
  });
});
