import { describe, expect, it } from 'vitest';
import { editorNames, launchNames, readVariables, variableNames } from './environment.ts';
import { terminalSessionId } from './terminal.ts';

const all = {
  TERM_SESSION_ID: 'term',
  ITERM_SESSION_ID: 'iterm',
  WT_SESSION: 'wt',
  TMUX: '/tmp/tmux-1000/default,4711,2',
  TMUX_PANE: '%3',
  KITTY_WINDOW_ID: '5',
  KITTY_PID: '99',
  WEZTERM_PANE: '7',
  ZELLIJ_SESSION_NAME: 'work',
  ZELLIJ_PANE_ID: '1',
  TERM_PROGRAM: 'vscode',
} as const;

describe('FWD-2 terminal_session_id', () => {
  // Each row switches off what the rows above it took, so the order of the rule is what is tested.
  const order: readonly (readonly [string, readonly (keyof typeof all)[], string | undefined])[] = [
    ['term', [], 'pts/1'],
    ['iterm', ['TERM_SESSION_ID'], 'pts/1'],
    ['wt', ['ITERM_SESSION_ID'], 'pts/1'],
    ['tmux:/tmp/tmux-1000/default,4711:%3', ['WT_SESSION'], 'pts/1'],
    ['kitty:99:5', ['TMUX'], 'pts/1'],
    ['wezterm:7', ['KITTY_WINDOW_ID'], 'pts/1'],
    ['zellij:work:1', ['WEZTERM_PANE'], 'pts/1'],
    ['vscode:pts/1', ['ZELLIJ_PANE_ID'], 'pts/1'],
    ['pts/1', ['TERM_PROGRAM'], 'pts/1'],
    ['unknown', [], undefined],
  ];
  it('FWD-2 asks the terminals in order, then the tty', () => {
    const gone = new Set<string>();
    const found = order.map(([, without, tty]) => {
      for (const name of without) gone.add(name);
      return terminalSessionId(
        readVariables(Object.fromEntries(Object.entries(all).filter(([key]) => !gone.has(key)))),
        tty,
      );
    });
    expect(found).toEqual(order.map(([expected]) => expected));
  });

  it('FWD-2 tells two panes of one tmux server apart, and keeps a pane that moves to another session', () => {
    const pane = (tmux: string, id: string) => terminalSessionId({ TMUX: tmux, TMUX_PANE: id }, undefined);
    expect(pane('/s,1,0', '%1')).not.toBe(pane('/s,1,0', '%2'));
    expect(pane('/s,1,0', '%1')).toBe(pane('/s,1,5', '%1'));
  });
});

describe('FWD-12 environment', () => {
  it('FWD-12 reads named variables only, and never lists the environment', () => {
    const asked: string[] = [];
    const environment = new Proxy<Record<string, string>>(
      { CLAUDE_PID: '7', TERM_PROGRAM: '', SOME_API_KEY: 'secret' },
      {
        get: (target, name: string) => {
          asked.push(name);
          return target[name];
        },
        ownKeys: () => {
          throw new Error('the environment was listed');
        },
      },
    );
    expect(readVariables(environment)).toEqual({ CLAUDE_PID: '7' });
    expect(asked).toEqual([...variableNames]);
  });

  it('FWD-12 names no variable that holds a secret of the agent', () => {
    const secret = [...variableNames, ...launchNames, ...editorNames].filter((name) =>
      /KEY|TOKEN|SECRET|PASSWORD|SOCKET/.test(name),
    );
    expect(secret).toEqual(['MASCOT_TOKEN']);
  });
});
