import * as vscode from 'vscode';
import type { Removed } from '../../app/hooks/hookKit.ts';
import { extensionId } from '../ids.ts';
import { hookPhrase } from './hookPhrases.ts';
import type { HookParts } from './hookParts.ts';

export interface RemovalParts extends HookParts {
  /** The home, `~/.agent-mascot`. */
  readonly home: string;
  readonly storage: string;
  /** Ends all that this window runs, and says so in the panel: what is deleted must not be written again. */
  turnOff(): Promise<void>;
}

/** HKI-6: after one question that names all that goes. */
export async function removeEverything(parts: RemovalParts): Promise<void> {
  const files = await parts.kit.filesToRemoveFrom();
  const remove = hookPhrase('button.removeEverything');
  const choice = await vscode.window.showWarningMessage(
    hookPhrase('remove.question'),
    { modal: true, detail: whatGoes(parts, files) },
    remove,
  );
  if (choice !== remove) return;
  const options = { location: vscode.ProgressLocation.Notification, title: hookPhrase('remove.running') };
  const removed = await vscode.window.withProgress(options, async () => {
    await parts.turnOff();
    return await parts.kit.removeEverything();
  });
  await tellRemoved(parts, removed);
}

function whatGoes({ tilde, home, storage }: RemovalParts, changed: readonly string[]): string {
  const files = changed.map(tilde).join(', ');
  return [
    files === '' ? hookPhrase('remove.noHooks') : hookPhrase('remove.hooks', { files }),
    hookPhrase('remove.home', { folder: tilde(home) }),
    hookPhrase('remove.store', { folder: tilde(storage) }),
    '',
    hookPhrase('remove.others'),
  ].join('\n');
}

async function tellRemoved({ tilde, log }: RemovalParts, { done, failed }: Removed): Promise<void> {
  for (const what of done) log.info(`Removed: ${what}`);
  for (const { what, why } of failed) log.warn(`Not removed: ${what} (${why})`);
  const [reload, show] = [hookPhrase('button.reload'), hookPhrase('button.showExtension')];
  const what = failed.map((one) => `${tilde(one.what)} (${one.why})`).join(', ');
  const choice =
    failed.length === 0
      ? await vscode.window.showInformationMessage(hookPhrase('remove.done'), show, reload)
      : await vscode.window.showWarningMessage(hookPhrase('remove.partly', { what }), show, reload);
  if (choice === show) await vscode.commands.executeCommand('extension.open', extensionId);
  if (choice === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}
