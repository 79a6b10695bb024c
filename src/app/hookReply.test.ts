import { describe, expect, test } from 'vitest';
import { anEvent } from '../domain/event.testkit.ts';
import { reduceAll } from '../domain/reduce.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { providerIds } from '../protocol/providers.ts';
import type { PastSession } from '../domain/pastText.ts';
import type { Observation } from '../domain/observed.ts';
import type { SessionState } from '../protocol/stored.ts';
import { createHookReplies } from './hookReply.ts';
import { createMemory } from './memory.ts';
import type { MemoryRules, PastRequest } from './ports.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

function aSession(id: string, title: string): PastSession {
  const events = [anEvent(1, 'user_prompt', { prompt: title }, { session_id: id, agent_id: `${id}/main` })];
  const { session, digest } = reduceAll(events)!;
  return { session, digest };
}

interface Options {
  readonly sessions?: readonly PastSession[];
  readonly limit?: number;
  readonly rules?: Partial<MemoryRules>;
  readonly last?: () => Promise<readonly PastSession[]>;
  readonly state?: SessionState | undefined;
  readonly record?: () => Promise<void>;
}

function setUp({ sessions = [aSession('old', 'mend the till')], limit = 5, rules, last, state, record }: Options = {}) {
  const asked: PastRequest[] = [];
  const recorded: Observation[] = [];
  const log = logLines();
  const past = {
    last(request: PastRequest) {
      asked.push(request);
      return last?.() ?? Promise.resolve(sessions);
    },
  };
  const defaults = { sessions: () => limit, tokens: () => 1_000, agentWords: () => true, excludes: () => false };
  const replies = createHookReplies({
    hub: { state: () => state },
    store: memoryStore(),
    guard: { judge: () => undefined },
    agentWords: () => true,
    instructions: () => Promise.resolve([]),
    contextBudget: () => 160_000,
    clock: fakeClock(),
    memory: createMemory({ past, rules: { ...defaults, ...rules }, clock: fakeClock(), work: () => [] }),
    pipeline: {
      erasures: () => 0,
      record(observations) {
        recorded.push(...observations);
        return record?.() ?? Promise.resolve();
      },
    },
    log,
  });
  return { replies, asked, recorded, log };
}

function starting(changes: Partial<AgentEvent> = {}, payload: Record<string, string> = {}): AgentEvent {
  const told = { hook: 'SessionStart', source: 'startup', ...payload };
  return anEvent(2, 'session_started', told, { agent_id: 's/main', project: { path: '/w/shop' }, ...changes });
}

describe('OUT-1 who is told of earlier sessions', () => {
  const sources = ['startup', 'clear', 'compact', 'resume', 'fork', 'new', ''];
  const expected: Readonly<Record<(typeof providerIds)[number], readonly string[]>> = {
    claude: ['startup', 'clear', 'compact'],
    codex: ['startup', 'clear', 'compact'],
    gemini: [],
    copilot: [],
    cursor: [],
    vscode: [],
  };
  test.each(providerIds)('OUT-1 %s: where its model has lost or never had the context', async (provider) => {
    const { replies } = setUp();
    const answers = await Promise.all(sources.map((source) => replies.to(starting({ provider }, { source }), {})));
    expect(sources.filter((_, index) => answers[index]?.context)).toEqual(expected[provider]);
  });

  test.each<[string, AgentEvent]>([
    ['a sub-agent', starting({ agent_id: 's/a1' })],
    ['another hook', starting({}, { hook: 'UserPromptSubmit' })],
    ['the end of a turn, which would go on', starting({}, { hook: 'Stop' })],
    ['a name of every object', starting({}, { hook: 'constructor' })],
    ['an unknown agent', starting({ provider: 'someone' })],
    ['no folder', starting({ project: undefined })],
  ])('OUT-1 not %s', async (_name, event) => {
    expect(await setUp().replies.to(event, {})).not.toHaveProperty('context');
  });
});

test('OUT-1 the answer has what its agent takes, and blocks or approves nothing', async () => {
  const { replies } = setUp();
  const [claude, codex] = await Promise.all(
    ['claude', 'codex'].map((provider) => replies.to(starting({ provider }), {})),
  );
  const text = claude?.context?.context ?? '';
  expect(text).toMatch(/^<agent-mascot-context>\n[\s\S]*"mend the till"[\s\S]*\n<\/agent-mascot-context>$/);
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: text };
  expect([claude?.output, codex?.output]).toEqual([
    {
      hookSpecificOutput,
      context: {
        active_work_item: null,
        loaded_docs: [],
        session_state: 'active',
        tokens_used: 0,
        token_budget: 160_000,
      },
      notifications: [],
      suggestions: [],
      metadata: {},
    },
    { hookSpecificOutput },
  ]);
});

describe('MEM-3 it can be off', () => {
  test('MEM-3 by the setting: nothing is even looked for', async () => {
    const { replies, asked } = setUp({ limit: 0 });
    expect([(await replies.to(starting(), {}))?.context, asked]).toEqual([undefined, []]);
  });

  test('MEM-3 by the session’s environment', async () => {
    const { replies, asked } = setUp();
    const answers = [(await replies.to(starting(), { memory: false }))?.context, asked.length];
    const told = (await replies.to(starting(), { memory: true }))?.context !== undefined;
    expect([...answers, told]).toEqual([undefined, 0, true]);
  });
});

test('MEM-1 so many sessions of its own project as the setting says, without itself', async () => {
  const { replies, asked } = setUp({ limit: 7 });
  await replies.to(starting({ session_id: 'mine', agent_id: 'mine/main' }), {});
  expect(asked).toEqual([expect.objectContaining({ project: '/w/shop', limit: 7, except: 'mine' })]);
});

test('OUT-1 without anything to tell nothing is printed', async () => {
  expect(await setUp({ sessions: [] }).replies.to(starting(), {})).not.toHaveProperty('context');
});

test.each([
  ['quotes', '"'],
  ['half characters, which JSON writes as six', '\ud800'],
  ['control characters', '\u0001'],
  ['words', 'x'],
])('OUT-1 no answer is longer than what an agent takes whole: %s', async (_name, letter) => {
  const sessions = Array.from({ length: 20 }, (_, index) => aSession(`s${index}`, letter.repeat(160)));
  const reply = await setUp({ sessions, limit: 20 }).replies.to(starting(), {});
  const printed = JSON.stringify(reply?.output);
  expect([reply?.context?.sessions, printed.length]).toEqual([expect.any(Number), expect.any(Number)]);
  expect([printed.length <= 10_000, (reply?.context?.sessions ?? 0) > 3]).toEqual([true, true]);
});

test.each([
  ['rejects', () => Promise.reject(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
])('OUT-1 a past that %s costs the answer its words, and nothing else', async (_name, last) => {
  const { replies, log } = setUp({ last });
  expect(await replies.to(starting(), {})).toBeUndefined();
  expect(log.lines).toEqual([expect.stringMatching(/^warn .*broken/)]);
});

test('MEM-3 what was told is recorded as an event of the session, and the answer does not wait for that', async () => {
  const never = new Promise<void>(() => undefined);
  const { replies, recorded } = setUp({ record: () => never });
  const reply = await replies.to(starting(), {});
  expect(recorded).toEqual([
    {
      key: 'context/e2',
      ts: starting().ts,
      provider: 'claude',
      sessionId: 's',
      agentId: 's/main',
      source: 'synthetic',
      type: 'context_loaded',
      payload: {
        source: 'startup',
        sessions: 1,
        tokens: reply?.context?.tokens,
        told: ['old'],
        text: reply?.context?.context,
      },
    },
  ]);
});

test('MEM-3 a record that fails costs the answer nothing', async () => {
  const { replies, log } = setUp({ record: () => Promise.reject(new Error('ENOSPC')) });
  expect(await replies.to(starting(), {})).toBeDefined();
  expect(log.lines).toEqual([expect.stringMatching(/^warn .*ENOSPC/)]);
});

test('MEM-3 not in an excluded folder, be it the project or one below it', async () => {
  const excludes = (folder: string) => folder === '/w/shop/secret';
  const state = reduceAll([anEvent(1, 'session_started', { source: 'startup', cwd: '/w/shop/secret' })]);
  expect(await setUp({ rules: { excludes }, state }).replies.to(starting(), {})).not.toHaveProperty('context');
  expect(await setUp({ rules: { excludes } }).replies.to(starting(), {})).toBeDefined();
});
