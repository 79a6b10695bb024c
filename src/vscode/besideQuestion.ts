import * as vscode from 'vscode';

export interface BesideQuestion {
  readonly title: string;
  readonly question: string;
  readonly yes: string;
  readonly no: string;
}

/**
 * Asks about a document that the person reads first; true if the person chose `yes`. A dialog would cover the document, and a message
 * would be gone too early.
 */
export async function agreedBeside({ title, question, yes, no }: BesideQuestion): Promise<boolean> {
  const options = { title, placeHolder: question, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick([{ label: yes }, { label: no }], options))?.label === yes;
}
