import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';

/** Documents that are made anew under the eyes of whoever reads them. */
export interface DocumentView extends Disposable {
  isSeen(address: vscode.Uri): boolean;
  /** Something came into view, or went out of it. */
  readonly onSeen: (listener: () => void) => Disposable;
  /** The text has changed: whoever is at its end stays there, nobody else is moved. */
  renew(address: vscode.Uri, text: string): Promise<void>;
  show(address: vscode.Uri, text: string, at: vscode.Range | 'end' | 'beginning'): Promise<void>;
}

/** The editor asks for the new text when it is told to, which takes it milliseconds. */
const TAKEN_MS = 2_000;

export function createDocumentView(changed: vscode.EventEmitter<vscode.Uri>, clock: Clock): DocumentView {
  const seen = new vscode.EventEmitter<void>();
  const editorsOf = (address: vscode.Uri) =>
    vscode.window.visibleTextEditors.filter(({ document }) => isSame(document.uri, address));

  /** Resolves when the editor has taken the text. */
  function taken(address: vscode.Uri, text: string): Promise<void> {
    const document = vscode.workspace.textDocuments.find(({ uri }) => isSame(uri, address));
    if (document === undefined || document.getText() === text) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = vscode.Disposable.from(
        vscode.workspace.onDidChangeTextDocument((change) => {
          if (isSame(change.document.uri, address)) done();
        }),
        clock.after(TAKEN_MS, () => done()),
      );
      const done = () => {
        waiting.dispose();
        resolve();
      };
      changed.fire(address);
    });
  }

  const disposables = vscode.Disposable.from(
    seen,
    vscode.window.onDidChangeVisibleTextEditors(() => seen.fire()),
    vscode.window.tabGroups.onDidChangeTabs(() => seen.fire()),
  );
  return {
    isSeen: (address) => editorsOf(address).length > 0 || isPreviewSeen(),
    onSeen: seen.event,
    async renew(address, text) {
      const atEnd = editorsOf(address).filter(isAtEnd);
      await taken(address, text);
      for (const editor of atEnd) editor.revealRange(endOf(editor.document));
    },
    async show(address, text, at) {
      await taken(address, text);
      const document = await vscode.workspace.openTextDocument(address);
      const selection = at === 'end' ? endOf(document) : at === 'beginning' ? undefined : at;
      const editor = await vscode.window.showTextDocument(document, selection && { selection });
      if (selection && at !== 'end') editor.revealRange(selection, vscode.TextEditorRevealType.InCenter);
    },
    dispose: () => disposables.dispose(),
  };
}

/** Which document a preview is of the editor does not tell; that one is open is enough to go on. */
function isPreviewSeen(): boolean {
  return vscode.window.tabGroups.all.some(
    ({ activeTab }) =>
      activeTab?.input instanceof vscode.TabInputWebview && activeTab.input.viewType.endsWith('markdown.preview'),
  );
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}

/** The last line is empty, and may be cut off by a pixel. */
const END_LINES = 2;

function isAtEnd({ document, visibleRanges }: vscode.TextEditor): boolean {
  const last = visibleRanges.at(-1);
  return last !== undefined && last.end.line >= document.lineCount - END_LINES;
}

function endOf({ lineCount }: vscode.TextDocument): vscode.Range {
  const end = new vscode.Position(lineCount - 1, 0);
  return new vscode.Range(end, end);
}
