import * as vscode from 'vscode';

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Opens a file of the person, the cursor at the place. `beside`: the focus stays where it is. */
export async function showFile(file: string, place?: Place, beside = false): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const at = place && new vscode.Position(Math.max(0, place.line - 1), Math.max(0, place.column - 1));
  await vscode.window.showTextDocument(document, {
    preview: false,
    preserveFocus: beside,
    ...(at === undefined ? {} : { selection: new vscode.Range(at, at) }),
  });
}
