import { expect, test } from 'vitest';
import { storyKinds, type StoryStep } from '../src/protocol/story.ts';
import { panelWords } from '../src/vscode/panelWords.ts';
import { aSession } from '../test/webview/fixtures.ts';
import { stepDetail, stepIcon, stepWords } from './storySentences.ts';

const place = aSession({ id: 's' });

function aStep(changes: Partial<StoryStep>): StoryStep {
  return { id: '1', ts: '2026-01-01T00:00:00Z', agentId: 'a', kind: 'tool', ...changes };
}

const told: readonly (readonly [Partial<StoryStep>, string, string])[] = [
  [{ tool: 'Edit', mood: 'writing', target: '/home/sam/code/harbour/src/app.ts' }, 'Edited src/app.ts', ''],
  [{ tool: 'Bash', mood: 'running', target: 'npm test' }, 'Ran npm test', ''],
  [{ tool: 'Read', mood: 'reading', target: 'a.ts' }, 'Read a.ts', ''],
  [{ tool: 'TodoWrite', mood: 'thinking' }, 'Used TodoWrite', ''],
  [{ tool: 'mcp__github__create_issue', mood: 'running', target: 'x' }, 'Used github: create_issue', ''],
  [{ kind: 'tool_failed', tool: 'Bash', target: 'npm test', text: 'exit 1' }, 'Failed: Bash npm test', 'exit 1'],
  [
    { kind: 'waits', tool: 'Bash', target: 'rm -rf build', mood: 'waiting' },
    'Waited for permission: Bash rm -rf build',
    '',
  ],
  [{ kind: 'waits', mood: 'waiting' }, 'Waited for permission', ''],
  [{ kind: 'waits', mood: 'asking', tool: 'AskUserQuestion', text: 'Which colour?' }, 'Asked you: Which colour?', ''],
  [{ kind: 'prompt', text: 'Make it **fast**' }, 'You asked: Make it fast', ''],
  [{ kind: 'turn_ended', text: 'It is fast.' }, 'Turn ended', 'It is fast.'],
  [{ kind: 'message', text: 'Look at this' }, 'Message: Look at this', ''],
  [{ kind: 'waits', text: 'It needs your permission' }, 'Waited for permission', 'It needs your permission'],
  [{ kind: 'waits', tool: 'AskUserQuestion', target: 'Which colour?' }, 'Asked you: Which colour?', ''],
  [{ kind: 'task', text: 'Write the test' }, 'Task: Write the test', ''],
  [{ kind: 'task', tool: 'task_completed', text: 'Write the test' }, 'Task done: Write the test', ''],
  [{ kind: 'task', tool: 'task_failed', text: 'Write the test' }, 'Task failed: Write the test', ''],
  [{ kind: 'turn_failed', text: 'rate_limit' }, 'Turn failed', 'The service is busy: rate limit'],
  [{ kind: 'session_started', text: 'startup' }, 'Session started', ''],
  [{ kind: 'agent_started', text: 'Find it' }, 'Started', 'Find it'],
];
for (const [changes, words, detail] of told) {
  test(`UI-3 a step reads "${words}"`, () => {
    const step = aStep(changes);
    const said = stepWords(panelWords, step, place)
      .map(({ text }) => text)
      .join('');
    expect([said, stepDetail(panelWords, step)]).toEqual([words, detail]);
  });
}

test('UI-3 every kind of step, and every kind of tool, has a form of its own', () => {
  const steps = [
    ...storyKinds.map((kind) => aStep({ kind, tool: 'X', mood: 'thinking' })),
    aStep({ kind: 'waits', mood: 'asking' }),
    ...(['reading', 'writing', 'running', 'searching', 'browsing', 'delegating'] as const).map((mood) =>
      aStep({ mood }),
    ),
  ];
  const icons = steps.map(stepIcon);
  expect(new Set(icons).size).toBe(icons.length);
  const words = storyKinds.map((kind) => stepWords(panelWords, aStep({ kind, tool: 'X', text: 'y' }), place)[0]?.text);
  expect(new Set(words).size).toBe(words.length);
});
