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

/**
 * What a person adds to Claude Code's settings so that its hooks call the forwarder in `bin`, a folder as a shell writes it.
 * Every hook has a timeout (SessionEnd is killed without), and one whose forwarder or Node is gone ends in silence.
 */
export function claudeSettingsSnippet(bin: string): string {
  const script = `"${bin}/forward-to-mascot.mjs"`;
  const command = `[ -f ${script} ] && command -v node >/dev/null && exec node ${script} --provider claude; exit 0`;
  const group = [{ hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }] }];
  return JSON.stringify({ hooks: Object.fromEntries(claudeEvents.map((event) => [event, group])) }, null, 2);
}
