import * as vscode from 'vscode';
import type { Scope, Written } from '../../app/hooks/hookPorts.ts';
import type { Refusal } from '../../domain/hooks/settingsEdit.ts';
import { descriptors } from '../../protocol/providers.ts';
import type { Change } from './differenceView.ts';
import { hookPhrase, reasonPhrase, type Tilde } from './hookPhrases.ts';
import type { HookParts } from './hookParts.ts';
import { showFile } from './showFile.ts';

/** Each tells what is in the way, and answers whether the person wants to try again. */

export async function refusalAnswered(tilde: Tilde, { file, provider }: Scope, refusal: Refusal): Promise<boolean> {
  const { line, column } = refusal;
  const agent = descriptors[provider].name;
  const consequence = hookPhrase(provider === 'claude' ? 'trouble.claudeIgnores' : 'trouble.agentIgnores', { agent });
  const reason = reasonPhrase(refusal);
  const text = hookPhrase('trouble.refused', { file: tilde(file), line, column, reason, consequence });
  return await fileAnswered(text, file, { line, column });
}

export async function unreadableAnswered(tilde: Tilde, { file }: Scope, why: string): Promise<boolean> {
  const again = hookPhrase('button.tryAgain');
  return (
    (await vscode.window.showErrorMessage(hookPhrase('trouble.unreadable', { file: tilde(file), why }), again)) ===
    again
  );
}

/** The file is opened at the place, and the message comes again, so that one can try once it is mended. */
async function fileAnswered(
  text: string,
  file: string,
  place: { readonly line: number; readonly column: number },
): Promise<boolean> {
  const [open, again] = [hookPhrase('button.openFile'), hookPhrase('button.tryAgain')];
  for (;;) {
    const choice = await vscode.window.showErrorMessage(text, open, again);
    if (choice !== open) return choice === again;
    await showFile(file, place);
  }
}

export async function writtenAnswered(
  { tilde }: HookParts,
  change: Change,
  written: Exclude<Written, { kind: 'written' }>,
): Promise<boolean> {
  const file = tilde(change.scope.file);
  if (written.kind === 'changed') {
    void vscode.window.showInformationMessage(hookPhrase('trouble.changed', { file }));
    return true;
  }
  const again = hookPhrase('button.tryAgain');
  if (written.kind === 'overwritten') {
    return (await vscode.window.showWarningMessage(hookPhrase('trouble.overwritten', { file }), again)) === again;
  }
  const show = hookPhrase('button.showAddition');
  const text = failureText(tilde, file, written);
  const offers = change.after === undefined ? [again] : [again, show];
  const choice = await vscode.window.showErrorMessage(text, ...offers);
  if (choice === show) await showAddition(change);
  return choice === again;
}

/** Of the system: the person or a program said that the file is not to be written. */
const readOnlyCodes: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];

function failureText(tilde: Tilde, file: string, { code, linkTarget }: Extract<Written, { kind: 'failed' }>): string {
  if (linkTarget !== undefined) return hookPhrase('trouble.readOnlyLink', { file, target: tilde(linkTarget), code });
  return hookPhrase(readOnlyCodes.includes(code) ? 'trouble.readOnly' : 'trouble.failed', { file, code });
}

/** The whole text that would have been written, to be copied to wherever the file is kept. */
async function showAddition({ after }: Change): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'json', content: after ?? '' });
  await vscode.window.showTextDocument(document);
}
