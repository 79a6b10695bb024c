import * as vscode from 'vscode';
import { agentText } from './agentText.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';

const PATH_MAX = 300;

/** Messages for a file that is gone, and for a path that is no file. Agents name these paths, maybe long ago. */
export interface OpenFileWords {
  readonly missing: PhraseKey;
  readonly refused: PhraseKey;
}

/** Opens a file of this machine by its full path, in the editor's way for its type; shows a message if it can't. */
export async function openFile(file: string, { missing, refused }: OpenFileWords): Promise<void> {
  const showMessage = (key: PhraseKey) =>
    void vscode.window.showInformationMessage(withoutLinks(phraseFor(key, { file: agentText(file, PATH_MAX) })));
  // Windows signs in to the machine in such a path as soon as anything looks at it.
  if (/^[\\/]{2}/.test(file)) return showMessage(refused);
  const address = vscode.Uri.file(file);
  try {
    const { type } = await vscode.workspace.fs.stat(address);
    if (type !== vscode.FileType.File) return showMessage(refused);
  } catch {
    return showMessage(missing);
  }
  await vscode.commands.executeCommand('vscode.open', address);
}
