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
 * The only variables that a hook ever reads. It inherits the agent's whole environment, and that holds API keys and
 * messaging tokens: whatever is not in the lists of this file does not exist for us (FWD-12).
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

/** Read only where an editor may have to be started: what tells whether a person sits there, and which program they want. */
export const launchNames = [
  'CLAUDE_CODE_ENTRYPOINT',
  'MASCOT_COLLECTOR_URL',
  'MASCOT_APP_PATH',
  'TERM_PROGRAM',
  'CI',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'SSH_CONNECTION',
  'SSH_TTY',
  'PATH',
  'LOCALAPPDATA',
  'ProgramFiles',
] as const;

/** What agents call the folder that a session was begun in. */
export const projectNames = ['CLAUDE_PROJECT_DIR', 'GEMINI_PROJECT_DIR'] as const;

/** What an editor needs to open on the person's screen and speak their language. It gets these and no others (FWD-12). */
export const editorNames = (
  'AGENT_MASCOT_HOME HOME PATH SHELL USER LOGNAME TMPDIR TEMP TMP TZ SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY ' +
  'XAUTHORITY DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME ' +
  'XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS XDG_CURRENT_DESKTOP XDG_SESSION_TYPE ' +
  'XDG_SESSION_DESKTOP XDG_SESSION_CLASS XDG_SESSION_ID XDG_SEAT XDG_VTNR XDG_MENU_PREFIX KDE_FULL_SESSION ' +
  'KDE_SESSION_VERSION ' +
  // Without these nobody types Korean, Japanese or Chinese in it.
  'GTK_IM_MODULE QT_IM_MODULE XMODIFIERS ' +
  'LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LC_TIME LC_NUMERIC LC_COLLATE LC_MONETARY LC_PAPER LC_NAME ' +
  'LC_ADDRESS LC_TELEPHONE LC_MEASUREMENT LC_IDENTIFICATION WSL_DISTRO_NAME WSL_INTEROP SystemRoot SystemDrive ' +
  'windir ComSpec PATHEXT OS APPDATA LOCALAPPDATA USERPROFILE HOMEDRIVE HOMEPATH USERNAME USERDOMAIN ' +
  'COMPUTERNAME PUBLIC ALLUSERSPROFILE ProgramData ProgramFiles ProgramFiles(x86) ProgramW6432 ' +
  'CommonProgramFiles CommonProgramFiles(x86) CommonProgramW6432 NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE ' +
  'SESSIONNAME'
).split(' ');

export type Variables = { readonly [name in (typeof variableNames)[number]]?: string };
export type LaunchVariables = { readonly [name in (typeof launchNames)[number]]?: string };

type Environment = Readonly<Record<string, string | undefined>>;

export function readVariables(
  environment: Environment,
  names: readonly (keyof Variables)[] = variableNames,
): Variables {
  return readNamed(environment, names);
}

/** An empty variable is as good as none: that is how people switch one off for a single command. */
export function readNamed<Name extends string>(
  environment: Environment,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = environment[name];
    if (value) found[name] = value;
  }
  return found;
}
