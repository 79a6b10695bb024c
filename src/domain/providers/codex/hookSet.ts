import { hookCommand } from '../../hooks/command.ts';
import type { HookEntry, HookSet, HookSetRequest } from '../../hooks/hookSet.ts';

/** PreModelRequest is left out: a process for each request to the model, which tells nothing that others don't. */
const events = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  // The only one that tells of a failed request: there is no Stop then.
  'PostModelRequest',
  'Interrupt',
  'Stop',
  'SessionEnd',
] as const;

const TIMEOUT_SECONDS = 10;
const GUARD_TIMEOUT_SECONDS = 5;

/** HKI-8: Codex trusts each of these by its place in the list and by its content, the timeout included. */
export function codexHookSet({ place }: HookSetRequest): HookSet {
  const isAsync = (event: string) => place.system === 'windows' && event !== 'SessionStart';
  const entries = events.flatMap((event): HookEntry[] => {
    const command = hookCommand(place, 'codex', event);
    const hook = { type: 'command', command, timeout: TIMEOUT_SECONDS, ...(isAsync(event) ? { async: true } : {}) };
    const telling = { event, element: { hooks: [hook] } };
    if (event !== 'PreToolUse') return [telling];
    const guard = hookCommand(place, 'codex', event, true);
    const guarding = { type: 'command', command: guard, timeout: GUARD_TIMEOUT_SECONDS };
    return [telling, { event, element: { matcher: 'apply_patch', hooks: [guarding] } }];
  });
  return { format: { shape: 'grouped', commandKey: 'command' }, entries };
}
