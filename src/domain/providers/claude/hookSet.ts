import { hookCommand } from '../../hooks/command.ts';
import type { HookEntry, HookSet, HookSetRequest } from '../../hooks/hookSet.ts';
import { claudeEditTools } from './tools.ts';

/** HKI-7: the twelve that every version knows. One name that an old version does not know voids the person's whole file there. */
const everywhere = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Stop',
  'SessionEnd',
] as const;

/**
 * Rare ones that tell what the twelve don't. Left out on purpose: PostToolBatch and MessageDisplay (a process for each batch of
 * calls and for each line of text, for what the transcript tells too), PostCompact (draws a line on the person's screen).
 */
const newer = [
  'StopFailure',
  'PermissionDenied',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Elicitation',
  'ElicitationResult',
] as const;

/** Nothing of ours takes this long; SessionEnd is killed after 1.4 s without one. */
const TIMEOUT_SECONDS = 10;
const GUARD_TIMEOUT_SECONDS = 5;

export function claudeHookSet({ place, takesNewEvents }: HookSetRequest): HookSet {
  const events: readonly string[] = takesNewEvents ? [...everywhere, ...newer] : everywhere;
  const isAsync = (event: string) => place.system === 'windows' && event !== 'SessionStart';
  const entries = events.flatMap((event): HookEntry[] => {
    const command = hookCommand(place, 'claude', event);
    const hook = { type: 'command', command, timeout: TIMEOUT_SECONDS, ...(isAsync(event) ? { async: true } : {}) };
    const telling = { event, element: { hooks: [hook] } };
    return event === 'PreToolUse' ? [telling, guard(place)] : [telling];
  });
  return { format: { shape: 'grouped', commandKey: 'command' }, entries };
}

/** HKI-3: asks only while the guard is on, which the entry sees by a file; until then it ends at once. */
function guard(place: HookSetRequest['place']): HookEntry {
  const command = hookCommand(place, 'claude', 'PreToolUse', true);
  return {
    event: 'PreToolUse',
    element: {
      matcher: claudeEditTools.join('|'),
      hooks: [{ type: 'command', command, timeout: GUARD_TIMEOUT_SECONDS }],
    },
  };
}
