import { hookCommand } from '../../hooks/command.ts';
import type { HookSet, HookSetRequest } from '../../hooks/hookSet.ts';

/** Those around a model's request are left out: four processes a request for what the others tell. */
const events = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'Notification',
  'AfterAgent',
  'SessionEnd',
] as const;

const TIMEOUT_MS = 10_000;

export function geminiHookSet({ place }: HookSetRequest): HookSet {
  const entries = events.map((event) => {
    const command = hookCommand(place, 'gemini', event);
    const hook = { name: `agent-mascot-${event}`, type: 'command', command, timeout: TIMEOUT_MS };
    return { event, element: { matcher: '*', hooks: [hook] } };
  });
  return { format: { shape: 'grouped', commandKey: 'command' }, entries };
}
