import * as vscode from 'vscode';
import type { ExcludedProjects } from '../../app/hooks/hookKit.ts';
import { lastPart } from '../../domain/folders.ts';
import { openMachineSettings } from '../machineSettings.ts';
import { hookPhrase, type Tilde } from './hookPhrases.ts';
import { withoutIcons } from '../agentText.ts';
import { projectFolders } from './projectFolders.ts';
import type { HookParts } from './hookParts.ts';

interface ProjectItem extends vscode.QuickPickItem {
  readonly folder: string;
  /** The excluded folder that has to go from the list, to include this one again. */
  readonly excludedBy?: string;
}

/** HKI-9: the window's folders and what is excluded already; choosing one turns it round. */
export async function excludeProject({ kit: { excluded }, tilde }: HookParts): Promise<void> {
  const items = itemsOf(await excluded.list(), tilde);
  if (items.length === 0) {
    void vscode.window.showInformationMessage(hookPhrase('exclude.none'));
    return;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: hookPhrase('exclude.title'),
    placeHolder: hookPhrase('exclude.placeholder'),
    matchOnDescription: true,
  });
  if (chosen === undefined) return;
  if (chosen.excludedBy === undefined) await exclude(excluded, chosen.folder, tilde);
  else await include(excluded, chosen.excludedBy, tilde);
}

function itemsOf(excluded: readonly string[], tilde: Tilde): readonly ProjectItem[] {
  const open = projectFolders().map(({ path }) => path);
  const others = excluded.filter((folder) => !open.includes(folder));
  return [...open, ...others].map((folder) => itemOf(folder, excluded, tilde));
}

function itemOf(folder: string, excluded: readonly string[], tilde: Tilde): ProjectItem {
  const by = excluded.find((one) => one === folder) ?? excluded.find((one) => isBelow(folder, one));
  const name = withoutIcons(lastPart(folder));
  const description = withoutIcons(tilde(folder));
  if (by === undefined) {
    const label = `$(eye) ${hookPhrase('exclude.folder', { name })}`;
    return { label, description, detail: hookPhrase('exclude.included'), folder };
  }
  const detail =
    by === folder
      ? hookPhrase('exclude.excluded')
      : hookPhrase('exclude.byParent', { folder: withoutIcons(tilde(by)) });
  return { label: `$(eye-closed) ${name}`, description, detail, folder, excludedBy: by };
}

function isBelow(folder: string, other: string): boolean {
  const rest = folder.startsWith(other) ? folder.slice(other.length) : '';
  return /^[\\/]/.test(rest);
}

async function exclude(excluded: ExcludedProjects, folder: string, tilde: Tilde): Promise<void> {
  await excluded.add(folder);
  const undo = hookPhrase('button.undo');
  const told = hookPhrase('exclude.added', { folder: tilde(folder) });
  if ((await vscode.window.showInformationMessage(told, undo)) === undo) await include(excluded, folder, tilde);
}

async function include(excluded: ExcludedProjects, folder: string, tilde: Tilde): Promise<void> {
  if (await excluded.remove(folder)) {
    void vscode.window.showInformationMessage(hookPhrase('exclude.removed', { folder: tilde(folder) }));
    return;
  }
  // In the list, and not in the file: the setting has it.
  const open = hookPhrase('button.openSettings');
  if ((await vscode.window.showInformationMessage(hookPhrase('exclude.bySetting'), open)) === open) {
    await openMachineSettings('excludedProjects');
  }
}
