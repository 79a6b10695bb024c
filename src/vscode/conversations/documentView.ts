import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../app/ports.ts';

/** The editor takes a new text within milliseconds. After this long it is not waited for any more. */
const TAKEN_MS = 2_000;

/** Shows documents whose text changes while the person reads them. */
export class DocumentView implements Disposable {
  readonly #changed: vscode.EventEmitter<vscode.Uri>;
  readonly #clock: Clock;
  readonly #seen = new vscode.EventEmitter<void>();
  readonly #disposables: Disposable;
  /** Fires when a document comes into view or goes out of it. */
  readonly onSeen = this.#seen.event;

  /** `changed`: the event by which the editor learns that it must ask for a document's text again. */
  constructor(changed: vscode.EventEmitter<vscode.Uri>, clock: Clock) {
    this.#changed = changed;
    this.#clock = clock;
    this.#disposables = vscode.Disposable.from(
      this.#seen,
      vscode.window.onDidChangeVisibleTextEditors(() => this.#seen.fire()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#seen.fire()),
    );
  }

  isSeen(address: vscode.Uri): boolean {
    return editorsOf(address).length > 0 || isPreviewSeen();
  }

  /** Gives the editor a changed text. An editor that is scrolled to the end stays at the end, the others don't move. */
  async renew(address: vscode.Uri, text: string): Promise<void> {
    const atEnd = editorsOf(address).filter(isAtEnd);
    await this.#giveText(address, text);
    for (const editor of atEnd) editor.revealRange(endOf(editor.document));
  }

  async show(address: vscode.Uri, text: string, at: vscode.Range | 'end' | 'beginning'): Promise<void> {
    await this.#giveText(address, text);
    const document = await vscode.workspace.openTextDocument(address);
    const selection = at === 'end' ? endOf(document) : at === 'beginning' ? undefined : at;
    const editor = await vscode.window.showTextDocument(document, selection && { selection });
    if (selection && at !== 'end') editor.revealRange(selection, vscode.TextEditorRevealType.InCenter);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Resolves when the editor has taken the text. */
  #giveText(address: vscode.Uri, text: string): Promise<void> {
    const document = vscode.workspace.textDocuments.find(({ uri }) => isSame(uri, address));
    if (document === undefined || document.getText() === text) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = vscode.Disposable.from(
        vscode.workspace.onDidChangeTextDocument((change) => {
          if (isSame(change.document.uri, address)) done();
        }),
        this.#clock.after(TAKEN_MS, () => done()),
      );
      const done = () => {
        waiting.dispose();
        resolve();
      };
      this.#changed.fire(address);
    });
  }
}

function editorsOf(address: vscode.Uri): readonly vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(({ document }) => isSame(document.uri, address));
}

/** The editor does not say which document a Markdown preview shows, so any visible preview counts. */
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
