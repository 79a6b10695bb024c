import * as vscode from 'vscode';
import { type ChangeParts, changeHooks } from './changeHooks.ts';
import { hookPhrase } from './hookPhrases.ts';
import { surveyAll } from './scopePick.ts';
import { needsRepair } from './standings.ts';

/** HKI-1: our own files without asking; the person's, one after the other, each with its difference. */
export async function repairHooks(parts: ChangeParts): Promise<void> {
  await parts.kit.refresh();
  const broken = (await surveyAll(parts.kit)).filter(needsRepair);
  if (broken.length === 0) {
    void vscode.window.showInformationMessage(hookPhrase('repair.nothing'));
    return;
  }
  let left = 0;
  for (const { scope } of broken) {
    if ((await changeHooks(parts, 'install', scope)) === 'left') left++;
  }
  const all = broken.length;
  const told =
    left === 0 ? hookPhrase('repair.done', { count: all }) : hookPhrase('repair.left', { done: all - left, all });
  void vscode.window.showInformationMessage(told);
}
