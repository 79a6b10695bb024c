import * as vscode from 'vscode';
import type { Clock, Disposable, Log } from '../../app/ports.ts';
import type { Machine, Windows } from '../../app/windowPorts.ts';
import { phraseFor } from '../phrases.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';
import type { Terminals } from './terminals.ts';

export interface OwnWindowParts {
  readonly windows: Windows;
  readonly machine: Machine;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly log: Log;
}

/** Terminals open and close in bursts, and a shell gets its pid a moment after its terminal. */
const CALM_MS = 200;

/** Tells the other windows about this one, and shows a terminal of this window when another window asks for it. */
export class OwnWindow implements Disposable {
  readonly #parts: OwnWindowParts;
  readonly #watching: Disposable;
  #calm: Disposable | undefined;
  /** Rises with each report, so that a slower, earlier one is dropped. */
  #report = 0;

  constructor(parts: OwnWindowParts) {
    this.#parts = parts;
    const soon = () => this.#reportSoon();
    this.#watching = vscode.Disposable.from(
      vscode.window.onDidOpenTerminal(soon),
      vscode.window.onDidCloseTerminal(soon),
      vscode.window.onDidChangeWindowState(soon),
      vscode.workspace.onDidChangeWorkspaceFolders(soon),
      parts.windows.onAsked(({ terminal }) => this.#run(this.#showTerminal(terminal))),
    );
    soon();
  }

  dispose(): void {
    this.#report++;
    this.#calm?.dispose();
    this.#watching.dispose();
  }

  #reportSoon(): void {
    this.#calm?.dispose();
    this.#calm = this.#parts.clock.after(CALM_MS, () => this.#run(this.#reportNow()));
  }

  async #reportNow(): Promise<void> {
    const { windows, terminals, machine } = this.#parts;
    const report = ++this.#report;
    const realFolders = Promise.all(foldersOfThisWindow().map(machine.realFolder));
    const [pids, folders] = await Promise.all([terminals.pids(), realFolders]);
    if (report !== this.#report) return;
    windows.tell({
      name: vscode.workspace.name ?? phraseFor('window.noFolder'),
      opens: addressOfThisWindow(),
      folders,
      terminals: pids,
      focused: vscode.window.state.focused,
    });
  }

  async #showTerminal(shell: number): Promise<void> {
    (await this.#parts.terminals.around([shell]))?.show(false);
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => this.#parts.log.warn(String(error)));
  }
}

/**
 * The address by which the editor finds this window again: its workspace file or its only folder. `undefined` for a remote window,
 * because a folder there has a different address in every other window, and a wrong one would open another window.
 */
function addressOfThisWindow(): string | undefined {
  if (vscode.env.remoteName !== undefined || vscode.env.uiKind !== vscode.UIKind.Desktop) return undefined;
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const address = workspaceFile ?? (workspaceFolders.length === 1 ? workspaceFolders[0]?.uri : undefined);
  return address?.scheme === 'file' ? address.toString() : undefined;
}
