import * as vscode from 'vscode';
import type { Log } from '../app/ports.ts';

export interface EditorLog extends Log, vscode.Disposable {
  /** Opens the channel without taking the keyboard's focus. */
  show(): void;
}

/** OPS-1: the program log, as an output channel whose level the person sets with the editor's own command. */
export function createLog(): EditorLog {
  const channel = vscode.window.createOutputChannel('Agent Mascot', { log: true });
  return {
    debug: (message) => channel.debug(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
