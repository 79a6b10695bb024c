import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';
import { nearestAncestor } from '../../domain/whereabouts.ts';

/**
 * A terminal that was never started, or whose shell does not come up, never tells its pid. Shorter than what windows leave each other
 * for finding out how near they are to a session.
 */
const ANSWER_MS = 1_000;

export interface Terminals {
  /** Pids of the shells in this window's terminals. */
  pids(): Promise<readonly number[]>;
  /** The one that a process runs in. Undefined: in none of this window. */
  around(ancestry: readonly number[]): Promise<vscode.Terminal | undefined>;
  /** Whether the person sees it now, as far as an editor tells: it says which is active, not which is visible. */
  isInView(terminal: vscode.Terminal): boolean;
}

/** AGT, UI-3: terminals are told apart by their shells' processes, never by names or folders, which many have in common. */
export function createTerminals(clock: Clock): Terminals {
  /** Those that were waited for in vain once; they may still tell some time. */
  const silent = new WeakSet<vscode.Terminal>();
  const told = new WeakMap<vscode.Terminal, number>();

  function pidOf(terminal: vscode.Terminal): Promise<number | undefined> {
    const pid = told.get(terminal);
    if (pid !== undefined || silent.has(terminal)) return Promise.resolve(pid);
    return new Promise((resolve) => {
      const timer: Disposable = clock.after(ANSWER_MS, () => {
        silent.add(terminal);
        resolve(undefined);
      });
      const end = (shell?: number) => {
        timer.dispose();
        if (shell !== undefined) told.set(terminal, shell);
        resolve(shell);
      };
      terminal.processId.then(end, () => end());
    });
  }

  const pidsOf = (terminals: readonly vscode.Terminal[]) => Promise.all(terminals.map(pidOf));

  return {
    async pids() {
      return (await pidsOf(vscode.window.terminals)).filter((pid) => pid !== undefined);
    },
    async around(ancestry) {
      if (ancestry.length === 0) return undefined;
      const terminals = [...vscode.window.terminals];
      const index = nearestAncestor(ancestry, await pidsOf(terminals));
      return index === undefined ? undefined : terminals[index];
    },
    isInView(terminal) {
      const { activeTerminal, state } = vscode.window;
      return state.focused && activeTerminal === terminal;
    },
  };
}
