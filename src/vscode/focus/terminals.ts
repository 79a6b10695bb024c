import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';
import { nearestAncestor } from '../../domain/whereabouts.ts';

/**
 * A terminal that was never started, or whose shell fails to start, never gives its pid. This is shorter than the time that a window
 * has to find out how near it is to a session.
 */
const ANSWER_MS = 1_000;

/** AGT, UI-3: this window's terminals, told apart by the processes of their shells. Names and folders are often the same. */
export class Terminals {
  readonly #clock: Clock;
  /** Terminals that did not give a pid in time. They are not waited for again, but may still give it later. */
  readonly #silent = new WeakSet<vscode.Terminal>();
  readonly #pids = new WeakMap<vscode.Terminal, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The pids of the shells in this window's terminals. */
  async pids(): Promise<readonly number[]> {
    return (await this.#pidsOf(vscode.window.terminals)).filter((pid) => pid !== undefined);
  }

  /** The terminal of this window in which a process runs, by the pids of its ancestors; `undefined` if it runs in none. */
  async around(ancestry: readonly number[]): Promise<vscode.Terminal | undefined> {
    if (ancestry.length === 0) return undefined;
    const terminals = [...vscode.window.terminals];
    const index = nearestAncestor(ancestry, await this.#pidsOf(terminals));
    return index === undefined ? undefined : terminals[index];
  }

  /** Whether the person sees the terminal now. The editor only says which terminal is active, not which are visible. */
  isInView(terminal: vscode.Terminal): boolean {
    const { activeTerminal, state } = vscode.window;
    return state.focused && activeTerminal === terminal;
  }

  #pidsOf(terminals: readonly vscode.Terminal[]): Promise<(number | undefined)[]> {
    return Promise.all(terminals.map((terminal) => this.#pidOf(terminal)));
  }

  #pidOf(terminal: vscode.Terminal): Promise<number | undefined> {
    const known = this.#pids.get(terminal);
    if (known !== undefined || this.#silent.has(terminal)) return Promise.resolve(known);
    return new Promise((resolve) => {
      const timer: Disposable = this.#clock.after(ANSWER_MS, () => {
        this.#silent.add(terminal);
        resolve(undefined);
      });
      const end = (pid?: number) => {
        timer.dispose();
        if (pid !== undefined) this.#pids.set(terminal, pid);
        resolve(pid);
      };
      terminal.processId.then(end, () => end());
    });
  }
}
