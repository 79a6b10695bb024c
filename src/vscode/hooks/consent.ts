import * as vscode from 'vscode';
import type { PlanNote } from '../../app/hooks/hookInstaller.ts';
import type { Change, DifferenceView } from './differenceView.ts';
import { hookPhrase, type Tilde } from './hookPhrases.ts';
import { withoutIcons } from '../agentText.ts';
import { showFile } from './showFile.ts';

interface Answer extends vscode.QuickPickItem {
  readonly does?: 'write' | 'show' | 'cancel';
}

/** Shows the exact difference and asks. True: the person wants it written. Only an answer or Escape closes the question. */
export async function consentTo(change: Change, difference: DifferenceView, tilde: Tilde): Promise<boolean> {
  const shown = await difference.open(change);
  try {
    return await asked(change, tilde);
  } finally {
    await shown.close();
  }
}

function asked(change: Change, tilde: Tilde): Promise<boolean> {
  const question = vscode.window.createQuickPick<Answer>();
  question.title = hookPhrase(`consent.${change.action}`, { file: tilde(change.scope.file) });
  question.placeholder = hookPhrase(change.before === undefined ? 'consent.placeholderNew' : 'consent.placeholder');
  question.ignoreFocusOut = true;
  question.items = answersTo(change, tilde);
  return new Promise((resolve) => {
    question.onDidAccept(() => {
      const does = question.selectedItems[0]?.does;
      if (does === 'show') return void showFile(change.scope.file, undefined, true);
      // A note is there to be read.
      if (does === undefined) return;
      resolve(does === 'write');
      question.hide();
    });
    question.onDidHide(() => {
      resolve(false);
      question.dispose();
    });
    question.show();
  });
}

function answersTo(change: Change, tilde: Tilde): readonly Answer[] {
  const file = withoutIcons(tilde(change.scope.file));
  const write: Answer = {
    label: `$(check) ${hookPhrase(change.after === undefined ? 'consent.remove' : 'consent.write', { file })}`,
    does: 'write',
  };
  const show: readonly Answer[] =
    change.before === undefined ? [] : [{ label: `$(go-to-file) ${hookPhrase('consent.show')}`, does: 'show' }];
  const cancel: Answer = {
    label: `$(close) ${hookPhrase('consent.cancel')}`,
    description: hookPhrase('consent.cancelDetail'),
    does: 'cancel',
  };
  return [write, ...show, cancel, ...notesOf(change, tilde)];
}

function notesOf({ notes, linkTarget }: Change, tilde: Tilde): readonly Answer[] {
  if (notes.length === 0) return [];
  const target = withoutIcons(tilde(linkTarget ?? ''));
  const separator: Answer = { label: hookPhrase('consent.notes'), kind: vscode.QuickPickItemKind.Separator };
  return [
    separator,
    ...notes.map((note) => ({ label: `${noteIcon(note)} ${hookPhrase(`note.${note}`, { target })}` })),
  ];
}

function noteIcon(note: PlanNote): string {
  return note === 'disabled-by-person' ? '$(warning)' : '$(info)';
}
