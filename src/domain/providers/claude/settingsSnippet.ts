/** HKI-7: the twelve that every version knows. One name that an old version does not know voids the person's whole file there. */
export const claudeEvents = [
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

const TIMEOUT_SECONDS = 10;

/** What a person adds to Claude Code's settings so that its hooks call `command`. Every one has a timeout: SessionEnd is killed without. */
export function claudeSettingsSnippet(command: string): string {
  const group = [{ hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }] }];
  return JSON.stringify({ hooks: Object.fromEntries(claudeEvents.map((event) => [event, group])) }, null, 2);
}
