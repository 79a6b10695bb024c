import * as vscode from 'vscode';
import type { Disposable } from '../app/ports.ts';

export interface MadeDocument extends Disposable {
  /** Opens it, made anew, or says that there is nothing to tell. */
  show(id: string): Promise<void>;
}

export interface MadeDocumentParts {
  readonly scheme: string;
  /** What its tab says. */
  readonly name: (id: string) => string;
  /** Markdown; undefined: nothing can be told now. */
  readonly text: (id: string) => Promise<string | undefined>;
  /** What is said then. */
  readonly unknown: () => string;
}

/** A text of ours about something, as a document that nobody can edit. */
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
        // The editor's own Markdown extension draws it, and can be turned off.
        await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
      }
    },
    dispose() {
      registered.dispose();
      changed.dispose();
    },
  };
}
