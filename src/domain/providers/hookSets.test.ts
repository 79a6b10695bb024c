import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { isGuardCommand, isOurCommand } from '../hooks/command.ts';
import type { HookSet, HookSetRequest } from '../hooks/hookSet.ts';
import { hookOf } from '../hooks/ourHooks.ts';
import { claudeHookSet } from './claude/hookSet.ts';
import { codexHookSet } from './codex/hookSet.ts';
import { copilotHookSet } from './copilot/hookSet.ts';
import { geminiHookSet } from './gemini/hookSet.ts';
import { hookSets } from './hookSets.ts';

const posix = { system: 'posix', home: '$HOME/.agent-mascot' } as const;
const windows = { system: 'windows', home: 'C:/Users/u/.agent-mascot' } as const;
const requests: readonly HookSetRequest[] = [posix, windows].flatMap((place) =>
  [false, true].map((takesNewEvents) => ({ place, takesNewEvents })),
);
const cases = Object.entries(hookSets).flatMap(([name, make]) =>
  requests.map((request) => [name, make(request)] as const),
);

function hooksOf({ entries, format }: HookSet): readonly { event: string; hook: JsonObject; command: string }[] {
  return entries.map((entry) => {
    const hook = hookOf(entry);
    return { event: entry.event, hook, command: String(hook[format.commandKey]) };
  });
}

function eventsOf(set: HookSet): readonly string[] {
  return [...new Set(set.entries.map(({ event }) => event))];
}

const twelve = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest'],
  ...['Notification', 'SubagentStart', 'SubagentStop', 'PreCompact', 'Stop', 'SessionEnd'],
];

test('HKI-7 where some Claude Code may be old, only the twelve events that all versions know are wanted', () => {
  const of = (takesNewEvents: boolean) => eventsOf(claudeHookSet({ place: posix, takesNewEvents }));
  expect(of(false)).toEqual(twelve);
  expect(of(true)).toEqual([
    ...twelve,
    ...[
      'StopFailure',
      'PermissionDenied',
      'TaskCreated',
      'TaskCompleted',
      'TeammateIdle',
      'Elicitation',
      'ElicitationResult',
    ],
  ]);
});

test.each(cases)('HKI-7 no event that breaks or slows an agent when it is only watched: %s', (_, set) => {
  const harmful = ['WorktreeCreate', 'MessageDisplay', 'PreModelRequest', 'PreCompress', 'BeforeModel', 'AfterModel'];
  expect(eventsOf(set).filter((event) => harmful.includes(event))).toEqual([]);
});

test.each(cases)(
  'HKI-3 each hook of %s has a timeout, and a command that is ours, names its event and comes once',
  (_, set) => {
    const hooks = hooksOf(set);
    const wrong = hooks.filter(({ event, hook, command }) => {
      const timeout = hook['timeout'] ?? hook['timeoutSec'];
      const names = new RegExp(`[ ]${event}( |;|$)`).test(command);
      return (
        typeof timeout !== 'number' || timeout < 5 || !names || !isOurCommand(command) || hook['type'] !== 'command'
      );
    });
    expect([wrong, new Set(hooks.map(({ command }) => command)).size]).toEqual([[], hooks.length]);
  },
);

test('HKI-3 seconds, but for Gemini CLI, which counts milliseconds', () => {
  const timeouts = Object.entries(hookSets).map(([name, make]) => {
    const hooks = hooksOf(make({ place: posix, takesNewEvents: true }));
    return [name, Math.max(...hooks.map(({ hook }) => Number(hook['timeout'] ?? hook['timeoutSec'])))];
  });
  expect(Object.fromEntries(timeouts)).toEqual({ claude: 10, codex: 10, copilot: 10, gemini: 10_000 });
});

test('HKI-3 what asks before an edit is one hook, for the tools that edit', () => {
  const asking = Object.entries(hookSets).flatMap(([name, make]) => {
    const set = make({ place: posix, takesNewEvents: true });
    return set.entries
      .filter((entry) => isGuardCommand(String(hookOf(entry)[set.format.commandKey])))
      .map(({ event, element }) => [name, event, element['matcher']]);
  });
  expect(asking).toEqual([
    ['claude', 'PreToolUse', 'Edit|Write|MultiEdit|NotebookEdit'],
    ['codex', 'PreToolUse', 'apply_patch'],
  ]);
});

test('FWD-11 on Windows nothing waits for our hooks but a session’s start and what asks; elsewhere `async` has no use', () => {
  const waiting = (make: (request: HookSetRequest) => HookSet, place: HookSetRequest['place']) =>
    hooksOf(make({ place, takesNewEvents: true }))
      .filter(({ hook }) => hook['async'] !== true)
      .map(({ event, command }) => event + (isGuardCommand(command) ? ' asks' : ''));
  expect([waiting(claudeHookSet, windows), waiting(codexHookSet, windows)]).toEqual(
    Array(2).fill(['SessionStart', 'PreToolUse asks']),
  );
  const all = [claudeHookSet, codexHookSet].flatMap((make) => hooksOf(make({ place: posix, takesNewEvents: true })));
  expect(all.filter(({ hook }) => 'async' in hook)).toEqual([]);
});

test('HKI-8 Codex trusts a hook by its content, so what a release wrote must stay as it is', () => {
  const { entries } = codexHookSet({ place: posix, takesNewEvents: true });
  const stop = entries.find(({ event }) => event === 'Stop');
  expect(stop?.element).toEqual({
    hooks: [
      {
        type: 'command',
        command: `exec /bin/sh -c 'exec 2>/dev/null;m="$HOME/.agent-mascot";set -- codex Stop;trap "exit 0" 0;[ -r "$m/bin/hook" ]&&. "$m/bin/hook";exit 0 #agent-mascot'`,
        timeout: 10,
      },
    ],
  });
  expect(codexHookSet({ place: posix, takesNewEvents: false })).toEqual({
    format: { shape: 'grouped', commandKey: 'command' },
    entries,
  });
});

test('HKI-4 the command is the same text for everybody whose home lies below their own folder', () => {
  const { entries } = claudeHookSet({ place: posix, takesNewEvents: false });
  expect(entries.find(({ event }) => event === 'Stop')?.element).toEqual({
    hooks: [
      {
        type: 'command',
        command: `exec 2>/dev/null;m="$HOME/.agent-mascot";set -- claude Stop;trap "exit 0" 0;[ -r "$m/bin/hook" ]&&. "$m/bin/hook";exit 0 #agent-mascot`,
        timeout: 10,
      },
    ],
  });
});

test('HKI-3 the forms of Gemini CLI and Copilot CLI are those that were recorded', () => {
  const gemini = geminiHookSet({ place: posix, takesNewEvents: true });
  const copilot = copilotHookSet({ place: posix, takesNewEvents: true });
  expect([gemini.entries[0]?.element, copilot.entries[0]?.element, copilot.format]).toMatchObject([
    { matcher: '*', hooks: [{ name: 'agent-mascot-SessionStart', type: 'command', timeout: 10_000 }] },
    { type: 'command', bash: expect.stringContaining('set -- copilot sessionStart;') as string, timeoutSec: 10 },
    { shape: 'flat', commandKey: 'bash', head: { version: 1 } },
  ]);
});
