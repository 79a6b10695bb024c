import * as vscode from 'vscode';
import type { Disposable } from '../app/ports.ts';

export interface MadeDocument extends Disposable {
  /** Opens the document of that id, made anew, or shows the message `unknown`. */
  show(id: string): Promise<void>;
}

export interface MadeDocumentParts {
  readonly scheme: string;
  /** The title of its tab. */
  readonly name: (id: string) => string;
  /** Markdown; `undefined` if there is nothing to show now. */
  readonly text: (id: string) => Promise<string | undefined>;
  /** What is shown instead of a missing text. */
  readonly unknown: () => string;
}

/** Read-only Markdown documents of one kind, each made when it is opened. Registers their scheme with the editor. */
export function createMadeDocument({ scheme, name, text, unknown }: MadeDocumentParts): MadeDocument {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registered = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: async ({ query }) => (await text(query)) ?? unknown(),
  });
  return {
    async show(id) {
      if ((await text(id)) === undefined) {
        void vscode.window.showInformationMessage(unknown());
        return;
      }
      const address = vscode.Uri.from({ scheme, path: `/${name(id).replace(/[\\/]/g, ' ')}.md`, query: id });
      changed.fire(address);
      const document = await vscode.workspace.openTextDocument(address);
      try {
        await vscode.commands.executeCommand('markdown.showPreview', address);
      } catch {
        // The preview belongs to the editor's Markdown extension, which can be turned off.
        await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
      }
    },
    dispose() {
      registered.dispose();
      changed.dispose();
    },
  };
}
