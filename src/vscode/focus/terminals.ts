import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';
import { nearestAncestor } from '../../domain/whereabouts.ts';

/** A terminal that was never started, or whose shell does not come up, never tells its pid. */
const ANSWER_MS = 1_000;

export interface Terminals {
  /** Pids of the shells in this window's terminals. */
  pids(): Promise<readonly number[]>;
  /** The one that a process runs in. Undefined: in none of this window. */
  around(ancestry: readonly number[]): Promise<vscode.Terminal | undefined>;
  /** Whether the person sees that process's terminal now, as far as an editor tells: it says which is active, not which is visible. */
  inView(ancestry: readonly number[]): Promise<boolean>;
}

/** AGT, UI-3: terminals are told apart by their shells' processes, never by names or folders, which many have in common. */
export function createTerminals(clock: Clock): Terminals {
  const pidsOf = (terminals: readonly vscode.Terminal[]) =>
    Promise.all(terminals.map((terminal) => answered(clock, terminal.processId)));

  async function around(ancestry: readonly number[]): Promise<vscode.Terminal | undefined> {
    const terminals = [...vscode.window.terminals];
    const index = nearestAncestor(ancestry, await pidsOf(terminals));
    return index === undefined ? undefined : terminals[index];
  }

  return {
    async pids() {
      return (await pidsOf(vscode.window.terminals)).filter((pid) => pid !== undefined);
    },
    around,
    async inView(ancestry) {
      const { activeTerminal, state } = vscode.window;
      if (!state.focused || activeTerminal === undefined || ancestry.length === 0) return false;
      return (await around(ancestry)) === activeTerminal;
    },
  };
}

function answered<T>(clock: Clock, asked: PromiseLike<T | undefined>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer: Disposable = clock.after(ANSWER_MS, () => resolve(undefined));
    const end = (value: T | undefined) => {
      timer.dispose();
      resolve(value);
    };
    asked.then(end, () => end(undefined));
  });
}
