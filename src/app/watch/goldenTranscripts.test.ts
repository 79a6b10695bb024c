import { describe, expect, test } from 'vitest';
import { expectationsOf } from '../../domain/golden.testkit.ts';
import { recording } from '../../domain/recordings.testkit.ts';
import { playBoth } from './recorded.testkit.ts';

const words = (timeline: readonly string[]) => timeline.map((line) => line.replace(/^\d+ /, ''));
const moment = (timeline: readonly string[], standing: string) =>
  Number(timeline.find((line) => line.endsWith(` ${standing}`))?.split(' ')[0]);

/** Recordings whose hooks leave nothing to correct: the transcript must not change a thing. */
const whole: readonly (readonly [string, string])[] = [
  ['claude/2.0.77/p-subs_old', 'v2.0.77-main-two-subagents'],
  ['claude/2.1.100/p-subs', 'v2.1.100-main-two-subagents'],
  ['claude/2.1.327/p-bgsub', 'main-background-subagent'],
  ['claude/2.1.327/p-fail', 'main-failing-tools'],
  ['claude/2.1.327/p-files', 'main-read-edit-write'],
  ['claude/2.1.327/p-single', 'main-single-tool'],
  ['claude/2.1.327/p-subs', 'main-two-subagents'],
  ['codex/codex-exec-badpatch', 'codex-exec-badpatch'],
  ['codex/codex-exec-fail', 'codex-exec-fail'],
  ['codex/codex-exec-hello', 'codex-exec-hello'],
  ['codex/codex-exec-mcpfail', 'codex-exec-mcpfail'],
  ['codex/codex-exec-patch', 'codex-exec-patch'],
  ['codex/codex-exec-shell', 'codex-exec-shell'],
  ['codex/codex-exec-sigterm', 'codex-exec-sigterm'],
  ['codex/codex-exec-spawn', 'codex-exec-spawn'],
  ['codex/codex-exec55-dfail', 'codex-exec55-dfail'],
  ['codex/codex-exec55-dshell', 'codex-exec55-dshell'],
  ['codex/codex-out-sessionstart-context', 'codex-out-sessionstart-context'],
  ['gemini/gemini-fail', 'gemini-fail'],
  ['copilot/copilot-shell', 'copilot-shell'],
  ['copilot/copilot-task', 'copilot-task'],
];

test.each(whole)('STA-5 %s with its transcript shows the same phases as its hooks alone', async (name, file) => {
  const recorded = recording(`${name}.jsonl`);
  const { timelines } = await playBoth(recorded, [{ file: `${file}.jsonl` }]);
  const expected = expectationsOf(recorded)?.[0];
  expect([...timelines][0]?.[1]).toEqual(expected?.timeline);
});

/** Written from the notes of the recordings (`Esc`, `Ctrl-C`) and the README's table of what fires no hook. */
const corrected: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'claude/2.1.327/interactive-interrupt',
    'main-interrupted-613a',
    [
      'active interactable',
      'active busy',
      'active interactable interrupted', // Esc at 7444
      'active busy',
      'active interactable interrupted', // Ctrl-C at 12938
      'completed -',
    ],
  ],
  [
    'claude/2.1.327/interactive-auto-mode',
    'main-auto-mode',
    [
      'active interactable',
      'active busy',
      'active waiting_permission Bash',
      'active interactable interrupted', // No, which the transcript alone tells
      'completed -',
    ],
  ],
  [
    'claude/2.1.327/interactive-commands-compact-clear-model-exit-resume',
    'main-compact-clear-4a9f',
    [
      'active interactable',
      'active busy',
      'active interactable',
      'active busy',
      'active interactable',
      'active busy',
      'active waiting_permission Edit',
      'active interactable interrupted', // left before /compact was typed
      'active busy', // it compacts
      'active interactable',
      'completed -',
    ],
  ],
  [
    'claude/2.1.327/p-err500',
    'main-api-error-500',
    ['active interactable', 'active busy', 'active interactable failed server_error', 'completed -'],
  ],
  [
    // No PostModelRequest was recorded here: only the rollout tells of the failure.
    'codex/codex-exec-http500',
    'codex-exec-http500',
    ['active interactable', 'active busy', 'active interactable failed', 'completed -'],
  ],
];

test.each(corrected)('STA-4 STA-5 %s with its transcript shows what no hook told', async (name, file, expected) => {
  const { timelines } = await playBoth(recording(`${name}.jsonl`), [{ file: `${file}.jsonl` }]);
  expect(words([...timelines][0]?.[1] ?? [])).toEqual(expected);
});

test('STA-4 an interrupt shows within 2 s of the key', async () => {
  const { timelines } = await playBoth(recording('claude/2.1.327/interactive-interrupt.jsonl'), [
    { file: 'main-interrupted-613a.jsonl' },
  ]);
  const [timeline = []] = timelines.values();
  const [esc, ctrlC] = [
    moment(timeline, 'active interactable interrupted'),
    moment(timeline.slice(4), 'active interactable interrupted'),
  ];
  expect([esc - 7_444 < 2_000 && esc >= 7_444, ctrlC - 12_938 < 2_000 && ctrlC >= 12_938]).toEqual([true, true]);
});

describe('TRN-1 what a transcript adds to its session', () => {
  const measured: readonly (readonly [string, string, object])[] = [
    [
      'claude/2.1.327/p-fail',
      'main-failing-tools',
      // Five messages of 1200 + 100 fresh and 900 cached tokens, 42 written: each counted once (TRN-5).
      {
        tokensIn: 6_500,
        tokensOut: 210,
        tokensCached: 4_500,
        contextUsed: 2_242,
        model: 'claude-opus-5-5',
        failures: 2,
        surface: 'headless',
      },
    ],
    [
      'claude/2.0.77/p-subs_old',
      'v2.0.77-main-two-subagents',
      {
        tokensIn: 2_600,
        tokensOut: 84,
        tokensCached: 1_800,
        model: 'claude-sonnet-4-5-20250929',
        lastReply: 'Both subagents reported.',
      },
    ],
    [
      // NRM-5: PostToolUse came as usual; the rollout's exit code 3 makes it a failure.
      'codex/codex-exec-fail',
      'codex-exec-fail',
      {
        tokensIn: 960,
        tokensOut: 84,
        tokensCached: 1_200,
        contextWindow: 258_400,
        failures: 1,
        surface: 'headless',
        lastReply: 'All done.',
      },
    ],
    ['codex/codex-exec-shell', 'codex-exec-shell', { failures: 0, surface: 'headless' }],
    ['gemini/gemini-fail', 'gemini-fail', { tokensOut: 84, model: 'gemini-2.5-flash', failures: 1 }],
  ];

  test.each(measured)('TRN-1 TRN-5 %s', async (name, file, expected) => {
    const { lab } = await playBoth(recording(`${name}.jsonl`), [{ file: `${file}.jsonl` }]);
    const session = lab.hub.snapshot().sessions[0];
    const { tokensIn, tokensOut, failures } = session?.counts ?? {};
    const found = { ...session?.usage, tokensIn, tokensOut, failures, ...session };
    expect(found).toMatchObject(expected);
  });

  test('NRM-5 a failed Codex command becomes a tool_failed with its exit code', async () => {
    const { lab } = await playBoth(recording('codex/codex-exec-fail.jsonl'), [{ file: 'codex-exec-fail.jsonl' }]);
    const id = lab.hub.sessionIds()[0] ?? '';
    const failed = lab.store.events(id).filter((event) => event.event_type === 'tool_failed');
    expect(failed.map(({ source, payload }) => [source, payload['exit_code'], payload['tool_name']])).toEqual([
      ['transcript', 3, 'Bash'],
    ]);
  });
});
