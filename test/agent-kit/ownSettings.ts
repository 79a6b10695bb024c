/** What a person had in their settings before we came. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** HKI-7: the twelve that every version knows, written out here as the test's own knowledge. */
export const twelve = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PermissionRequest',
] as const;

const OWN_FILE = 'own-hooks.txt';

/** Of the name that the person's own hook leaves, line by line, in the project where an agent ran. */
const command = (event: string) => `echo ${event} >>"$CLAUDE_PROJECT_DIR/${OWN_FILE}"`;

/** An agent that runs in the lab shows by these that the person's other settings still count. */
export const OWN_VARIABLE = { name: 'LAB_OWN_VARIABLE', value: 'kept' } as const;
/** Allowed by the settings alone. */
export const OWN_ALLOWED = 'echo own-allowed';

const settings = {
  permissions: { allow: [`Bash(${OWN_ALLOWED}:*)`], deny: [] },
  hooks: Object.fromEntries(
    twelve.map((event) => [event, [{ hooks: [{ type: 'command', command: command(event) }] }]]),
  ),
  env: { [OWN_VARIABLE.name]: OWN_VARIABLE.value },
};

/** Tabs, CRLF, a blank before each colon, no final newline: nobody's formatter, and to be left so. */
export const ownSettings = JSON.stringify(settings, null, '\t').replaceAll('": ', '" : ').replaceAll('\n', '\r\n');

/** The events of the person's own hooks, as they ran. */
export function ownHooksRan(project: string): readonly string[] {
  try {
    return readFileSync(path.join(project, OWN_FILE), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
