import * as vscode from 'vscode';
import type { Clock, Disposable, Log } from '../../app/ports.ts';
import type { Machine, Windows } from '../../app/windowPorts.ts';
import { phraseFor } from '../phrases.ts';
import type { Terminals } from './terminals.ts';

export interface OwnWindowParts {
  readonly windows: Windows;
  readonly machine: Machine;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly log: Log;
}

/** Terminals are opened and closed in bursts, and a shell has its pid a moment after its terminal. */
const CALM_MS = 200;

/** Tells the other windows what they may know of this one, and shows a terminal of ours that one of them asks for. */
export function startOwnWindow({ windows, machine, terminals, clock, log }: OwnWindowParts): Disposable {
  let calm: Disposable | undefined;
  let told = 0;

  async function tell(): Promise<void> {
    const mine = ++told;
    const [pids, folders] = await Promise.all([terminals.pids(), realFolders(machine)]);
    // Whoever was slower has older news.
    if (mine !== told) return;
    windows.tell({
      name: vscode.workspace.name ?? phraseFor('window.noFolder'),
      opens: addressOfThisWindow(),
      folders,
      terminals: pids,
      focused: vscode.window.state.focused,
    });
  }

  function soon(): void {
    calm?.dispose();
    calm = clock.after(CALM_MS, () => void tell().catch((error: unknown) => log.warn(String(error))));
  }

  async function show(shell: number): Promise<void> {
    (await terminals.around([shell]))?.show(false);
  }

  const parts = vscode.Disposable.from(
    vscode.window.onDidOpenTerminal(soon),
    vscode.window.onDidCloseTerminal(soon),
    vscode.window.onDidChangeWindowState(soon),
    vscode.workspace.onDidChangeWorkspaceFolders(soon),
    windows.onAsked(({ terminal }) => void show(terminal).catch((error: unknown) => log.warn(String(error)))),
  );
  soon();
  return {
    dispose() {
      told++;
      calm?.dispose();
      parts.dispose();
    },
  };
}

export function foldersOfThisWindow(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

function realFolders(machine: Machine): Promise<readonly string[]> {
  return Promise.all(foldersOfThisWindow().map(machine.realFolder));
}

/**
 * What the editor finds this window again by: its workspace file or its one folder. Of a remote window it is not told: the same
 * folder has another address from every side, and the wrong one would open one window more.
 */
function addressOfThisWindow(): string | undefined {
  if (vscode.env.remoteName !== undefined || vscode.env.uiKind !== vscode.UIKind.Desktop) return undefined;
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const address = workspaceFile ?? (workspaceFolders.length === 1 ? workspaceFolders[0]?.uri : undefined);
  return address?.scheme === 'file' ? address.toString() : undefined;
}
