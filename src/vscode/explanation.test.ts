import { expect, test, vi } from 'vitest';
import type { Explanation } from '../protocol/explanation.ts';
import type { TrailStep } from '../protocol/stored.ts';
import { type ExplanationFormat, explanationText } from './explanation.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

const format: ExplanationFormat = {
  l10n: {
    t: (text, places = {}) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(places[name])),
  },
  stateText: (life, phase, by) =>
    phase === null ? `${life}${by === 'process' ? ' by process' : ''}` : phase.replace('_', ' '),
  sourceText: ({ source, by }) => by ?? source,
  locale: 'en-GB',
  timeZone: 'UTC',
  now: Date.parse('2026-03-02T15:00:00Z'),
};

const busy = { life: 'active', phase: 'busy' } as const;
const yours = { life: 'active', phase: 'interactable' } as const;
const waits = { life: 'active', phase: 'waiting_permission' } as const;
const asks = { life: 'active', phase: 'waiting_question' } as const;
const none = { life: 'active', phase: null } as const;

function step(changes: Partial<TrailStep>): TrailStep {
  return {
    ts: '2026-03-02T14:03:22.500Z',
    event: 'turn_ended',
    source: 'hook',
    agentId: 's/main',
    from: busy,
    to: busy,
    correction: false,
    ...changes,
  };
}

function explained(steps: readonly TrailStep[], changes: Partial<Explanation> = {}): string {
  const explanation: Explanation = {
    sessionId: 's',
    title: 'Fix the tests',
    state: 'active',
    phase: 'interactable',
    because: null,
    since: null,
    agents: [
      { id: 's/main', name: 'Juno', type: '', kind: 'main' },
      { id: 's/sub', name: 'Waffle', type: 'Explore', kind: 'subagent' },
    ],
    steps: [...steps],
    ...changes,
  };
  return explanationText(explanation, format);
}

function lineOf(changes: Partial<TrailStep>): string | undefined {
  return explained([step(changes)])
    .split('\n')
    .findLast((line) => line.startsWith('- '));
}

test('STA-3 says what is shown, since when, why, who reported it, and which steps led to it', () => {
  const text = explained(
    [
      step({ ts: '2026-03-01T09:00:00Z', event: 'user_prompt', hook: 'UserPromptSubmit', from: none, to: busy }),
      step({ source: 'transcript', detail: 'interrupted', to: yours, correction: true }),
    ],
    {
      because: { event: 'turn_ended', source: 'transcript', detail: 'interrupted' },
      since: '2026-03-02T14:03:22.500Z',
    },
  );
  expect(text).toBe(`# Why is it shown like this?

\`Fix the tests\`

- Shown as: **interactable**
- Since: 14:03:22
- Because of: \`interrupted\`
- Known: transcript

## What led to this, oldest first

- 1 Mar 2026 09:00:00 · the hook \`UserPromptSubmit\` said: a prompt was submitted → **busy**
- 14:03:22 · the transcript said: the turn was interrupted → **interactable** (correction: no hook told it)

`);
});

const call = { tool: 'Bash', target: 'npm test' } as const;
const at = '- 14:03:22 · ';
const said: readonly (readonly [Partial<TrailStep>, string])[] = [
  [{ to: yours }, `${at}a hook said: the turn ended → **interactable**`],
  [{ detail: 'rate_limit', to: yours }, `${at}a hook said: the turn failed: \`rate_limit\` → **interactable**`],
  [
    { event: 'agent_blocked', ...call, to: waits },
    `${at}a hook said: permission is needed: Bash \`npm test\` → **waiting permission**`,
  ],
  [
    { event: 'agent_blocked', agentId: 's/sub', to: asks },
    `${at}a hook said: Waffle \\(Explore\\): the person is asked something → **waiting question**`,
  ],
  [
    { event: 'agent_blocked', source: 'synthetic', by: 'status_file', to: waits, correction: true },
    `${at}the agent’s own status said: permission is needed → **waiting permission** (correction: no hook told it)`,
  ],
  [
    {
      event: 'agent_stopped',
      source: 'synthetic',
      by: 'process',
      to: { life: 'stale', phase: null },
      correction: true,
    },
    `${at}its process said: the process of the agent is gone → **stale by process** (correction: no hook told it)`,
  ],
  [
    { event: 'idle', source: 'synthetic', by: 'silence', to: { life: 'idle', phase: null }, correction: true },
    `${at}Agent Mascot inferred: nothing was heard for a while → **idle** (correction: no hook told it)`,
  ],
  [{ event: 'agent_started', agentId: 's/gone' }, `${at}a hook said: \`s/gone\`: the agent started`],
  [
    { event: 'notification', detail: 'idle', to: asks },
    `${at}a hook said: nothing has happened since the turn ended → **waiting question**`,
  ],
  [{ event: 'notification', detail: '<b>' }, `${at}a hook said: a notification came: \`<b>\``],
  [{ event: 'something_new' }, `${at}a hook said: \`something_new\``],
];
test.each(said)('STA-3 %j reads %s', (changes, line) => expect(lineOf(changes)).toBe(line));

test('SEC-5 nothing that an agent wrote becomes Markdown of its own', () => {
  const evil = '](command:x) <img src=x> `\n# Owned';
  const text = explained(
    [
      step({ hook: evil, event: 'tool_failed', tool: evil, target: evil, agentId: 's/sub' }),
      step({ detail: evil, event: evil, ts: evil, agentId: evil }),
    ],
    {
      title: evil,
      because: { event: evil, source: 'hook', tool: evil, target: evil, failure: evil },
      since: evil,
      agents: [{ id: 's/sub', name: evil, type: evil, kind: 'subagent' }],
    },
  );
  const headings = text.split('\n').filter((line) => line.startsWith('#'));
  expect(headings).toEqual(['# Why is it shown like this?', '## What led to this, oldest first']);
  const outsideCode = text.replace(/(?<![\\`])(`+)(?!`).+?(?<!`)\1(?!`)/g, '');
  expect(outsideCode).not.toMatch(/(?<!\\)[<\]`]/);
});

test('STA-3 says that a session has no steps yet', () => {
  expect(explained([])).toContain('Nothing has been told of this session yet.');
});
