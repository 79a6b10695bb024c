import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import { providerIds } from '../protocol/providers.ts';
import type { JsonObject } from '../protocol/json.ts';
import { expectationsOf, replayed } from './golden.testkit.ts';
import { normalize } from './normalize.ts';
import { compareKeys, orderKey } from './order.ts';
import { readHook } from './readHook.ts';
import { eventsOfHooks, recording, recordings } from './recordings.testkit.ts';
import { reduceAll } from './reduce.ts';
import { settlesAt, settleSession } from './settle.ts';

const MINUTE = 60_000;
const at = '2026-01-01T10:00:00.000Z';

interface Said {
  readonly provider?: string;
  readonly event?: string;
}

function eventsOf(payload: JsonObject, said: Said = { provider: 'claude', event: 'Stop' }, collectedAt = at) {
  const read = readHook({ ...payload, _meta: { ...said, collected_at: collectedAt } });
  if (!read.ok) throw new Error(read.error);
  return normalize(read.hook, { receivedAt: collectedAt, project: undefined });
}

const dialects = recordings().filter(({ name }) => name.startsWith('dialects/'));
const expected: Readonly<Record<string, string>> = {
  'dialects/copilot-cli.jsonl': 'copilot',
  'dialects/cursor.jsonl': 'cursor',
  'dialects/vscode-chat-first-form.jsonl': 'vscode',
  'dialects/vscode-chat.jsonl': 'vscode',
};

describe('PRV-1 other programs that run the hooks of Claude Code’s settings', () => {
  test.each(dialects.map((each) => [each.name, each] as const))(
    'PRV-1 all of %s is one session of its own program',
    (name, each) => {
      const events = eventsOfHooks(each).flat();
      expect([...new Set(events.map(({ provider }) => provider))]).toEqual([expected[name]]);
      expect(new Set(events.map(({ session_id: id }) => id)).size).toBe(1);
      expect(events.filter(({ session_id: id }) => id.startsWith('unknown:'))).toEqual([]);
    },
  );

  test('PRV-1 Copilot CLI shows the same where only Claude Code’s hooks are installed', () => {
    const whole = recording('dialects/copilot-cli.jsonl');
    const claudes = { ...whole, hooks: whole.hooks.filter(({ event }) => event.startsWith('claude:')) };
    const events = eventsOfHooks(claudes);
    const hooks = claudes.hooks.map(({ atMs }, index) => ({ atMs, events: events[index] ?? [] }));
    const [shown, ...others] = replayed(hooks.toSorted((a, b) => inOrder(a.events, b.events)));
    const [session] = expectationsOf(whole) ?? [];
    const standings = (timeline: readonly string[] = []) =>
      timeline.map((line) => line.replace(/^\d+ /, '').replace('bash', 'Bash'));
    expect(others).toEqual([]);
    expect(standings(shown?.timeline)).toEqual(standings(session?.timeline));
    expect([shown?.agents.toSorted(), shown?.counts]).toEqual([session?.agents.toSorted(), session?.counts]);
    expect(shown?.present.at(-1)).toMatch(/:0$/);
  });

  const claude = { session_id: 's', transcript_path: '/home/dev/.claude/projects/p/s.jsonl', cwd: '/p' };
  const moment = { timestamp: at };
  const stored = '/home/dev/.config/Code/User/workspaceStorage/0/GitHub.copilot-chat/transcripts/s.jsonl';
  test.each<[string, string, JsonObject, Said?]>([
    ['claude', 'a payload as Claude Code makes it', claude],
    ['claude', 'one with a moment, should a later version add it', { ...claude, ...moment }],
    ['claude', '… in a folder that the person chose for it', { ...claude, ...moment, transcript_path: '/data/c/projects/p/s.jsonl' }],
    ['claude', 'what a script posts with a clock of its own', { session_id: 's', ...moment }, { provider: 'claude' }],
    ['claude', 'what names nobody', { session_id: 's', ...moment }, {}],
    ['codex', 'an ephemeral Codex', { session_id: 's', transcript_path: null }, { provider: 'codex', event: 'Stop' }],
    ['gemini', 'Gemini’s own, which bears its moment', { session_id: 's', ...moment, transcript_path: '/h/.gemini/tmp/p/c.json' }, { provider: 'gemini', event: 'AfterAgent' }],
    ['copilot', 'snake case with a moment and no transcript', { session_id: 's', ...moment }],
    ['copilot', '… or with its own transcript', { session_id: 's', ...moment, transcript_path: '/h/.copilot/session-state/s/events.jsonl' }],
    ['copilot', 'camel case', { sessionId: 's', hookName: 'permissionRequest', timestamp: 1 }],
    ['cursor', 'its version', { session_id: 's', cursor_version: '3.13', transcript_path: null }],
    ['cursor', '… whatever a command said', { session_id: 's', cursor_version: '3.13' }, { provider: 'codex', event: 'Stop' }],
    ['vscode', 'a transcript in the editor’s storage', { session_id: 's', ...moment, transcript_path: stored }],
    ['vscode', '… on Windows', { session_id: 's', ...moment, transcript_path: stored.replaceAll('/', '\\') }],
    ['vscode', '… by Copilot’s own hooks, which VS Code can run too', { session_id: 's', ...moment, transcript_path: stored }, { provider: 'copilot', event: 'agentStop' }],
    ['vscode', 'a transcript anywhere else', { session_id: 's', ...moment, transcript_path: '/elsewhere/s.json' }],
    ['vscode', 'the first form', { sessionId: 's', hookEventName: 'Stop', ...moment }],
    ['vscode', '… of which no command says anything', { sessionId: 's', hookEventName: 'Stop', ...moment }, {}],
  ])('PRV-1 tells %s by %s', (provider, _why, payload, said) => {
    const named = 'hookEventName' in payload ? payload : { hook_event_name: 'Stop', ...payload };
    expect(eventsOf(named, said).events.map((event) => [event.provider, event.session_id])).toEqual([[provider, 's']]);
  }); // prettier-ignore

  test('PRV-1 believes the provider that a sender names itself', () => {
    const read = readHook({ hook_event_name: 'Stop', session_id: 's', cursor_version: '3', _meta: {} }, 'claude');
    expect(read.ok && read.hook.meta.provider).toBe('claude');
  });
});

function inOrder([a]: readonly AgentEvent[], [b]: readonly AgentEvent[]): number {
  return a && b ? compareKeys(orderKey(a), orderKey(b)) : 0;
}

describe('NRM-7 an event that two installed hooks tell', () => {
  const own = { sessionId: 's', timestamp: Date.parse(at), toolName: 'bash', toolArgs: { command: 'ls' } };
  const pascal = {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    timestamp: at,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  };
  const keys = (payload: JsonObject, said?: Said, collectedAt?: string) => eventsOf(payload, said, collectedAt).keys;
  const byCopilots = keys(own, { provider: 'copilot', event: 'preToolUse' });

  test.each<[string, boolean, JsonObject]>([
    ['once in Copilot’s two forms', true, pascal],
    ['twice where the moment differs', false, { ...pascal, timestamp: '2026-01-01T10:00:00.001Z' }],
    ['twice where the call differs', false, { ...pascal, tool_input: { command: 'pwd' } }],
    ['twice where the agent differs', false, { ...pascal, session_id: 'a', agent_id: 'a', parent_agent_id: 's' }],
  ])('NRM-7 counts %s', (_how, isSame, payload) => {
    const claudes = keys(payload, { provider: 'claude', event: 'PreToolUse' });
    expect(claudes.some((key) => byCopilots.includes(key))).toBe(isSame);
  }); // prettier-ignore

  test.each<[string, string, JsonObject, JsonObject]>([
    [
      'two calls without arguments',
      'preToolUse',
      { toolName: 'mcp-a', toolArgs: {} },
      { toolName: 'mcp-b', toolArgs: {} },
    ],
    ['two sub-agents without ids', 'subagentStart', { agentName: 'explore' }, { agentName: 'review' }],
  ])('NRM-7 counts %s that begin in one millisecond as two, and each of them once', (_what, event, first, second) => {
    const [one = [], same = [], other = []] = [first, first, second].map((payload) =>
      keys({ sessionId: 's', timestamp: Date.parse(at), ...payload }, { provider: 'copilot', event }),
    );
    expect([same.some((key) => one.includes(key)), other.some((key) => one.includes(key))]).toEqual([true, false]);
  });

  test('NRM-7 counts once in VS Code, which tells each hook a moment of its own', () => {
    const chat = { hook_event_name: 'Stop', session_id: 's', transcript_path: '/x/workspaceStorage/0/t.jsonl' };
    const [first, second] = [0, 7].map((ms) =>
      keys({ ...chat, timestamp: new Date(Date.parse(at) + ms).toISOString() }),
    );
    expect(second?.some((key) => first?.includes(key))).toBe(true);
  });
});

describe('PRV-1 SES-4 a chat of an editor leaves no phantom', () => {
  const signs = { idleMs: 15 * MINUTE, aliveAt: Date.parse(at) + 500 * MINUTE, signAt: undefined };
  const chat = { session_id: 's', timestamp: at, transcript_path: '/x/workspaceStorage/0/t.jsonl' };
  const events = (...hooks: readonly JsonObject[]) =>
    hooks.flatMap((hook, index) => {
      const moment = new Date(Date.parse(at) + index * 1_000).toISOString();
      return eventsOf({ ...chat, ...hook }, undefined, moment).events;
    });
  const call = { hook_event_name: 'PreToolUse', tool_name: 'run_in_terminal', tool_use_id: 'c' };
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'go' };

  test.each<[string, number, readonly JsonObject[]]>([
    ['its turn is over', 15, [prompt, { hook_event_name: 'Stop' }]],
    ['its turn was cancelled, of which no hook tells', 15, [prompt]],
    ['a call was cancelled', 120, [prompt, call]],
  ])('SES-3 it is over when %s and it is silent for %i minutes, though its process lives', (_what, minutes, hooks) => {
    const state = reduceAll(events(...hooks));
    const last = Date.parse(state?.session.lastEventAt ?? '');
    const standing = (now: number) => {
      const { session, agents } = settleSession(state!, now, { ...signs, aliveAt: now });
      return [session.state, session.phase, agents.map(({ mood }) => mood)];
    };
    const end = last + minutes * MINUTE;
    expect(standing(end)).toEqual(['stale', null, ['sleeping']]);
    expect(standing(end - 1)[0]).toBe('active');
    expect(settlesAt(state!, end - 1, { ...signs, aliveAt: end - 1 })).toBe(end);
  });

  test('SES-3 the next prompt of such a chat makes it live again', () => {
    const state = reduceAll(events(prompt, { hook_event_name: 'Stop' }, prompt));
    const { session } = settleSession(state!, Date.parse(at) + 3_000, signs);
    expect([session.state, session.phase, session.counts.prompts]).toEqual(['active', 'busy', 2]);
  });
});

describe('STA-2 a session without an id never waits', () => {
  const asking: readonly JsonObject[] = [
    { hook_event_name: 'PermissionRequest', tool_name: 'Bash', toolName: 'bash', permission_mode: 'default' },
    { hook_event_name: 'PreToolUse', tool_name: 'request_user_input', toolName: 'ask_user' },
    { hook_event_name: 'Elicitation', message: 'm' },
    ...['permission_prompt', 'agent_needs_input', 'elicitation_dialog', 'idle_prompt', 'ToolPermission'].map(
      (type) => ({
        hook_event_name: 'Notification',
        notification_type: type,
        message: 'm',
      }),
    ),
  ];
  const cases = providerIds.flatMap((provider) => asking.map((hook) => [provider, hook] as const));
  test.each(cases)('STA-2 %s, asked by %j', (provider, hook) => {
    const read = readHook({ ...hook, _meta: { collected_at: at } }, provider);
    const { events } = read.ok ? normalize(read.hook, { receivedAt: at, project: undefined }) : { events: [] };
    const state = reduceAll(events);
    expect(state?.session.id).toBe('unknown:unknown');
    expect(state?.session.phase ?? '').not.toMatch(/^waiting/);
    expect(state?.agents.filter(({ agent }) => agent.wait !== null)).toEqual([]);
    expect(events[0]?.raw).toMatchObject(hook);
  });
});
