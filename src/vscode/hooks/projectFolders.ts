import * as vscode from 'vscode';
import { hookPhrase, type Tilde } from './hookPhrases.ts';
import { withoutIcons } from '../agentText.ts';

export interface ProjectFolder {
  readonly name: string;
  readonly path: string;
}

/** The window's folders that are on this machine's disk. */
export function projectFolders(): readonly ProjectFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

/** The folder that the person works in: of the file in front, else the first. */
export function presentFolder(): ProjectFolder | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
  const folders = projectFolders();
  return folders.find(({ path }) => path === folder?.uri.fsPath) ?? folders[0];
}

/** Asks only where there is a choice. Undefined: there is none, or the person chose none. */
export async function pickFolder(tilde: Tilde): Promise<ProjectFolder | undefined> {
  const folders = projectFolders();
  if (folders.length < 2) return folders[0];
  const items = folders.map((folder) => ({
    label: `$(folder) ${withoutIcons(folder.name)}`,
    description: withoutIcons(tilde(folder.path)),
    folder,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: hookPhrase('pick.folder') });
  return chosen?.folder;
}
