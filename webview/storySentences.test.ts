import { expect, test } from 'vitest';
import { storyKinds, storyNews, type StoryStep } from '../src/protocol/story.ts';
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
  [{ kind: 'message', news: 'work_start', text: 'Mend the **login**' }, 'Work started: Mend the login', ''],
  [{ kind: 'message', news: 'work_done', text: 'Mend it' }, 'Work done: Mend it', ''],
  [{ kind: 'message', news: 'work_cancelled', text: 'Mend it' }, 'Work cancelled: Mend it', ''],
  [{ kind: 'message', news: 'dependency_resolved', text: 'Mend it' }, 'Nothing more to wait for: Mend it', ''],
  [
    {
      kind: 'message',
      news: 'edit_denied',
      tool: 'Edit',
      target: '/home/sam/code/harbour/src/a.ts',
      text: 'held back',
    },
    'Edit held back, for no work item runs: src/a.ts',
    '',
  ],
  [{ kind: 'message', news: 'edit_untracked', tool: 'Edit', target: 'a.ts' }, 'Edited without a work item: a.ts', ''],
  [
    { kind: 'message', news: 'guard_gap', tool: 'Edit' },
    'Edit that nobody judged, for the guard could not be asked: Edit',
    '',
  ],
  [{ kind: 'message', news: 'decision', text: 'Use sql.js' }, 'Decided: Use sql.js', ''],
  [{ kind: 'message', news: 'escalation', text: 'Which schema?' }, 'Needs somebody’s help: Which schema?', ''],
  [
    { kind: 'tool_failed', news: 'test_failed', tool: 'Bash', target: 'npm test', text: 'Exit code 1' },
    'Tests failed: npm test',
    'Exit code 1',
  ],
  [{ kind: 'tool_failed', news: 'build_failed', tool: 'Bash', target: 'make' }, 'Build failed: make', ''],
  [
    { kind: 'tool_failed', news: 'quality_warning', tool: 'Bash', target: 'tsc' },
    'Linter or type checker failed: tsc',
    '',
  ],
  [{ kind: 'message', news: 'context_overflow', text: '81%' }, 'Context nearly full: 81%', ''],
  [{ kind: 'message', news: 'checkpoint_created', text: 'Compaction begins' }, 'Compaction began', ''],
  [{ kind: 'message', news: 'compact', text: 'It was compacted' }, 'Conversation compacted', ''],
  [{ kind: 'message', news: 'context_loaded', text: 'Told of 2 sessions' }, 'Told of earlier sessions', ''],
  // Of a newer collector.
  [{ kind: 'message', news: 'constructor', text: 'Something new' }, 'Message: Something new', ''],
  [{ kind: 'tool_failed', news: 'deploy_failed', tool: 'Bash', target: 'x' }, 'Failed: Bash x', ''],
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

test('EVT-1 UI-3 every piece of news has a sentence of its own', () => {
  const words = storyNews.map((news) =>
    stepWords(panelWords, aStep({ kind: 'message', news, text: 'x', target: 'x' }), place),
  );
  expect(new Set(words.map((parts) => JSON.stringify(parts))).size).toBe(storyNews.length);
});
