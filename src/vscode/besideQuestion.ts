import * as vscode from 'vscode';

export interface BesideQuestion {
  readonly title: string;
  readonly question: string;
  readonly yes: string;
  readonly no: string;
}

/** Asked beside a document that is to be read first: a dialog would cover it, and a notice be gone before it is read. */
export async function agreedBeside({ title, question, yes, no }: BesideQuestion): Promise<boolean> {
  const options = { title, placeHolder: question, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick([{ label: yes }, { label: no }], options))?.label === yes;
}
