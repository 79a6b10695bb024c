import type { AutoLaunch } from '../src/protocol/discovery.ts';
import { type ProviderId, providerMarks } from '../src/protocol/providers.ts';
import type { LaunchVariables } from './environment.ts';
import { eventNameOf, textOf } from './payload.ts';
import type { Payload } from './payload.ts';

/** `event`: the installed command's word for it, where the payload has none. A session that is cleared or compacted goes on. */
export function startsAgent(payload: Payload, event: string | undefined): boolean {
  const name = (eventNameOf(payload) || (event ?? '')).toLowerCase();
  if (name === 'subagentstart') return true;
  return name === 'sessionstart' && !/^(clear|compact)$/.test(textOf(payload, 'source') ?? '');
}

export interface AgentStart {
  readonly platform: string;
  readonly autoLaunch: AutoLaunch;
  readonly variables: LaunchVariables;
  readonly provider: ProviderId;
  /** Of the agent's own process; undefined where it has none, or where it could not be seen. */
  readonly tty?: string | undefined;
  /** The agent's command line, where the system shows it. */
  readonly commandLine?: readonly string[] | undefined;
}

export type Consideration =
  | { readonly kind: 'launch' }
  /** `why`: shown if the forwarder runs by hand. `isNews`: an installed hook logs it too. */
  | { readonly kind: 'leave'; readonly why: string; readonly isNews?: true };

const launch = { kind: 'launch' } as const;

/** FWD-7. */
export function considerLaunch(start: AgentStart): Consideration {
  const { autoLaunch, variables } = start;
  if (autoLaunch === 'never') return left('agentMascot.autoLaunch is "never"');
  // With an address of their own the person's collector need not be an editor of this machine.
  if (variables.MASCOT_COLLECTOR_URL !== undefined) return left('MASCOT_COLLECTOR_URL names the collector');
  if (autoLaunch === 'always') return launch;
  const lack = lackIn(start);
  if (lack !== undefined) return left(`${lack} (agentMascot.autoLaunch "always" starts it all the same)`);
  if (variables.TERM_PROGRAM !== 'vscode') return launch;
  const why = 'Agent Mascot is not running in the editor whose terminal the agent uses: install or enable it there';
  return { kind: 'leave', why, isNews: true };
}

function left(why: string): Consideration {
  return { kind: 'leave', why: `the editor is not started: ${why}` };
}

function lackIn(start: AgentStart): string | undefined {
  if (isOn(start.variables.CI)) return 'CI is set';
  if (isHeadless(start)) return 'no person is at this agent';
  if (!isAtTerminal(start)) return 'there is no terminal';
  return hasScreen(start) ? undefined : 'there is no display';
}

function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !/^(0|false|no|off)$/i.test(variable);
}

/** What Claude Code calls itself when a person sits before it. Another agent that it starts inherits the word, so it is asked of none else. */
function entrypointOf({ provider, variables }: AgentStart): string | undefined {
  return provider === 'claude' ? variables.CLAUDE_CODE_ENTRYPOINT : undefined;
}

function isAtTerminal(start: AgentStart): boolean {
  return start.tty !== undefined || entrypointOf(start) === 'cli';
}

/** A `claude -p` below another Claude Code inherits `cli`, and one that a person types has a terminal: its arguments tell too. */
function isHeadless(start: AgentStart): boolean {
  const entrypoint = entrypointOf(start);
  if (entrypoint !== undefined && entrypoint !== 'cli') return true;
  const words = providerMarks[start.provider].headless;
  return (start.commandLine ?? []).slice(1).some((argument) => words?.includes(argument.replace(/=.*$/s, '')));
}

/** Over SSH the screen is elsewhere; X11 may reach it, the windows of macOS and Windows do not. */
function hasScreen({ platform, variables }: AgentStart): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY } = variables;
  if (platform === 'darwin' || platform === 'win32') return (SSH_CONNECTION ?? SSH_TTY) === undefined;
  return (DISPLAY ?? WAYLAND_DISPLAY) !== undefined;
}
