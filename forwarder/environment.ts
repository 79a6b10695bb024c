/** Those that the installed entry writes into a hand-over: what tells of the agent and of its terminal. */
export const toldNames = [
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PID',
  'CLAUDE_CODE_ENTRYPOINT',
  'MASCOT_PROVIDER',
  'AGENT_MASCOT_MEMORY',
  'TERM_PROGRAM',
  'TERM_SESSION_ID',
  'ITERM_SESSION_ID',
  'WT_SESSION',
  'TMUX',
  'TMUX_PANE',
  'KITTY_WINDOW_ID',
  'KITTY_PID',
  'WEZTERM_PANE',
  'ZELLIJ_SESSION_NAME',
  'ZELLIJ_PANE_ID',
] as const;

/**
 * The only variables that are ever read. A hook inherits the agent's whole environment, and that holds API keys and
 * messaging tokens: whatever is not in this list does not exist for us (FWD-12).
 */
export const variableNames = [
  ...toldNames,
  'AGENT_MASCOT_HOME',
  'MASCOT_COLLECTOR_URL',
  'MASCOT_TOKEN',
  'CLAUDE_ENV_FILE',
  'PATH',
  'SystemRoot',
] as const;

export type Variables = { readonly [name in (typeof variableNames)[number]]?: string };

/** An empty variable is as good as none: that is how people switch one off for a single command. */
export function readVariables(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly (keyof Variables)[] = variableNames,
): Variables {
  const found: { -readonly [name in keyof Variables]: string } = {};
  for (const name of names) {
    const value = environment[name];
    if (value) found[name] = value;
  }
  return found;
}
