import type { Variables } from './environment.ts';

/** Which terminal the agent runs in, as far as the terminal tells; the same for every hook of one terminal (FWD-2). */
export function terminalSessionId(variables: Variables, tty: string | undefined): string {
  return fromVariables(variables) ?? fromTty(variables, tty) ?? 'unknown';
}

function fromVariables(v: Variables): string | undefined {
  if (v.TERM_SESSION_ID) return v.TERM_SESSION_ID;
  if (v.ITERM_SESSION_ID) return v.ITERM_SESSION_ID;
  if (v.WT_SESSION) return v.WT_SESSION;
  // TMUX is socket,server pid,session: a pane can move to another session, so that part is no part of its name.
  if (v.TMUX && v.TMUX_PANE) return `tmux:${v.TMUX.split(',').slice(0, 2).join(',')}:${v.TMUX_PANE}`;
  if (v.KITTY_WINDOW_ID) return ['kitty', v.KITTY_PID, v.KITTY_WINDOW_ID].filter(Boolean).join(':');
  if (v.WEZTERM_PANE) return `wezterm:${v.WEZTERM_PANE}`;
  if (v.ZELLIJ_SESSION_NAME && v.ZELLIJ_PANE_ID) return `zellij:${v.ZELLIJ_SESSION_NAME}:${v.ZELLIJ_PANE_ID}`;
  return undefined;
}

/** VS Code gives its terminals no id that is not also a secret, so the tty has to tell them apart. */
function fromTty(v: Variables, tty: string | undefined): string | undefined {
  if (!tty) return undefined;
  return v.TERM_PROGRAM === 'vscode' ? `vscode:${tty}` : tty;
}
