import { describe, expect, it } from 'vitest';
import { considerLaunch, startsAgent } from './launchWhen.ts';
import type { AgentStart } from './launchWhen.ts';

describe('FWD-7 what starts an agent', () => {
  it.each([
    [{ hook_event_name: 'SessionStart', source: 'startup' }, undefined, true],
    [{ hook_event_name: 'SessionStart', source: 'resume' }, undefined, true],
    [{ hook_event_name: 'SessionStart', source: 'clear' }, undefined, false],
    [{ hook_event_name: 'SessionStart', source: 'compact' }, undefined, false],
    [{ hook_event_name: 'SessionStart' }, undefined, true],
    [{ hook_event_name: 'SessionStart', source: 7 }, undefined, true],
    [{ hook_event_name: 'SubagentStart' }, undefined, true],
    [{ sessionId: 's', source: 'new' }, 'sessionStart', true],
    [{ sessionId: 's', source: 'resume' }, 'sessionStart', true],
    [{ sessionId: 's' }, 'subagentStart', true],
    [{ hook_event_name: 'SubagentStop' }, undefined, false],
    [{ hook_event_name: 'UserPromptSubmit' }, 'SessionStart', false],
    [{ hook_event_name: 'SessionEnd' }, undefined, false],
    [{}, undefined, false],
  ])('FWD-7 %j, installed for %s: %s', (payload, event, starts) => {
    expect(startsAgent(payload, event)).toBe(starts);
  });
});

describe('FWD-7 when the editor is started', () => {
  const atTerminal: AgentStart = {
    platform: 'linux',
    autoLaunch: 'interactive',
    provider: 'claude',
    variables: { CLAUDE_CODE_ENTRYPOINT: 'cli', DISPLAY: ':0' },
    tty: 'pts/1',
  };
  const kindOf = (changes: Partial<AgentStart>) => considerLaunch({ ...atTerminal, ...changes }).kind;
  const screen = { DISPLAY: ':0' };
  const cli = { CLAUDE_CODE_ENTRYPOINT: 'cli' };

  const cases: readonly (readonly [string, Partial<AgentStart>, 'launch' | 'leave'])[] = [
    ['a session at a terminal with a display', {}, 'launch'],
    ['with Wayland', { variables: { ...cli, WAYLAND_DISPLAY: 'wayland-0' } }, 'launch'],
    ['without a display', { variables: cli }, 'leave'],
    ['over SSH without a display', { variables: { ...cli, SSH_CONNECTION: 'a 1 b 22' } }, 'leave'],
    ['over SSH with a display', { variables: { ...cli, ...screen, SSH_CONNECTION: 'a 1 b 22' } }, 'launch'],
    ['in CI', { variables: { ...cli, ...screen, CI: 'true' } }, 'leave'],
    ['in CI of another word', { variables: { ...cli, ...screen, CI: 'woodpecker' } }, 'leave'],
    ['with CI=0', { variables: { ...cli, ...screen, CI: '0' } }, 'launch'],
    ['with CI=false', { variables: { ...cli, ...screen, CI: 'False' } }, 'launch'],
    ['a headless run', { variables: { ...screen, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } }, 'leave'],
    ['an SDK', { variables: { ...screen, CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' } }, 'leave'],
    ['an editor’s panel', { variables: { ...screen, CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' } }, 'leave'],
    ['a headless run below an interactive one', { commandLine: ['claude', '-p', 'do it'] }, 'leave'],
    ['a prompt that speaks of -p', { commandLine: ['claude', 'what is -p'] }, 'launch'],
    ['an entrypoint alone, where the terminal can’t be seen', { tty: undefined }, 'launch'],
    ['no terminal and no entrypoint', { tty: undefined, variables: screen }, 'leave'],
    ['an old version that does not say how it was started', { variables: screen }, 'launch'],
    ['codex in a terminal', { provider: 'codex', variables: screen, commandLine: ['codex', '-p', 'work'] }, 'launch'],
    [
      'codex exec',
      { provider: 'codex', variables: screen, commandLine: ['node', '/x/codex.js', 'exec', 'a'] },
      'leave',
    ],
    ['codex below Claude Code, without a terminal', { provider: 'codex', tty: undefined }, 'leave'],
    [
      'codex below a headless Claude Code',
      { provider: 'codex', variables: { ...screen, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } },
      'launch',
    ],
    ['gemini', { provider: 'gemini', variables: screen, commandLine: ['node', 'gemini'] }, 'launch'],
    ['gemini --prompt=', { provider: 'gemini', variables: screen, commandLine: ['gemini', '--prompt=a\nb'] }, 'leave'],
    ['copilot -p', { provider: 'copilot', variables: screen, commandLine: ['copilot', '-p', 'a'] }, 'leave'],
    ['macOS', { platform: 'darwin', variables: cli }, 'launch'],
    [
      'macOS over SSH, even with X11',
      { platform: 'darwin', variables: { ...cli, ...screen, SSH_TTY: '/dev/ttys1' } },
      'leave',
    ],
    ['Windows', { platform: 'win32', variables: cli }, 'launch'],
    ['Windows over SSH', { platform: 'win32', variables: { ...cli, SSH_CONNECTION: 'a 1 b 22' } }, 'leave'],
    ['never', { autoLaunch: 'never' }, 'leave'],
    [
      'always, headless, in CI, with no screen',
      { autoLaunch: 'always', variables: { CI: '1' }, tty: undefined },
      'launch',
    ],
    [
      'always, but with an address of the person’s own',
      { autoLaunch: 'always', variables: { MASCOT_COLLECTOR_URL: 'http://x' } },
      'leave',
    ],
  ];
  it.each(cases)('FWD-7 %s', (_title, changes, kind) => {
    expect(kindOf(changes)).toBe(kind);
  });

  it('FWD-7 in the terminal of an editor that runs already, it says that the extension is off there', () => {
    const variables = { ...cli, ...screen, TERM_PROGRAM: 'vscode' };
    expect(considerLaunch({ ...atTerminal, variables })).toEqual({
      kind: 'leave',
      why: expect.stringContaining('install or enable it there') as string,
      isNews: true,
    });
    // Over SSH the window is on another machine, and a line in the log about it would come with every session.
    expect(considerLaunch({ ...atTerminal, variables: { ...cli, TERM_PROGRAM: 'vscode' } })).not.toHaveProperty(
      'isNews',
    );
  });

  it.each<[string, Partial<AgentStart>, string]>([
    ['never', { autoLaunch: 'never' }, 'agentMascot.autoLaunch is "never"'],
    ['in CI', { variables: { ...cli, ...screen, CI: 'true' } }, 'CI is set (agentMascot.autoLaunch "always"'],
    ['headless', { commandLine: ['claude', '-p'] }, 'no person is at this agent (agentMascot.autoLaunch "always"'],
    [
      'without a terminal',
      { tty: undefined, variables: screen },
      'there is no terminal (agentMascot.autoLaunch "always"',
    ],
    ['without a display', { variables: cli }, 'there is no display (agentMascot.autoLaunch "always"'],
  ])('A11a2 FWD-7 %s: it says why not, and names the setting', (_title, changes, why) => {
    expect(considerLaunch({ ...atTerminal, ...changes })).toEqual({
      kind: 'leave',
      why: expect.stringContaining(why) as string,
    });
  });
});
