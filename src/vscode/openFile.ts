import * as vscode from 'vscode';
import { agentText } from './agentText.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor, type PhraseKey } from './phrases.ts';

const PATH_MAX = 300;

/** What is said of a file that is gone, and of what is none: an agent named it, and that may be long ago. */
export interface OpenFileWords {
  readonly missing: PhraseKey;
  readonly refused: PhraseKey;
}

/** Opens a file of this machine by its full path; whatever is in it, the editor itself knows what to do with it. */
export async function openFile(file: string, { missing, refused }: OpenFileWords): Promise<void> {
  const tell = (key: PhraseKey) =>
    void vscode.window.showInformationMessage(withoutLinks(phraseFor(key, { file: agentText(file, PATH_MAX) })));
  // Windows signs in to the machine that such a path names, just to look.
  if (/^[\\/]{2}/.test(file)) return tell(refused);
  const address = vscode.Uri.file(file);
  try {
    const { type } = await vscode.workspace.fs.stat(address);
    if (type !== vscode.FileType.File) return tell(refused);
  } catch {
    return tell(missing);
  }
  await vscode.commands.executeCommand('vscode.open', address);
}
