import { hookCommand } from '../../hooks/command.ts';
import type { HookSet, HookSetRequest } from '../../hooks/hookSet.ts';

/** In camelCase, for in that form every payload is alike; the command says the name that the payload leaves out. */
const events = [
  'sessionStart',
  'userPromptSubmitted',
  'preToolUse',
  'permissionRequest',
  'postToolUse',
  'postToolUseFailure',
  'errorOccurred',
  'subagentStart',
  'subagentStop',
  'preCompact',
  'notification',
  'agentStop',
  'sessionEnd',
] as const;

const TIMEOUT_SECONDS = 10;

/** Copilot CLI reads every file of its hooks folder, so ours is a file of its own. */
export function copilotHookSet({ place }: HookSetRequest): HookSet {
  const entries = events.map((event) => ({
    event,
    element: { type: 'command', bash: hookCommand(place, 'copilot', event), timeoutSec: TIMEOUT_SECONDS },
  }));
  return { format: { shape: 'flat', commandKey: 'bash', head: { version: 1 } }, entries };
}
