import * as vscode from 'vscode';
import type { Disposable, Explainer } from '../app/ports.ts';
import type { Explanation } from '../protocol/explanation.ts';
import { explanationText } from './explanationText.ts';
import { explanationScheme } from './ids.ts';
import { phraseFor } from './phrases.ts';
import { sourceText, standingText } from './sessionWords.ts';

export interface ExplanationDocument extends Disposable {
  /** Opens why that session is shown as it is, or says that nobody can tell. */
  show(sessionId: string): Promise<void>;
}

/** UI: "Explain this state", as a document that nobody can edit. It is made anew each time it is asked for. */
export function createExplanationDocument(explainer: Explainer): ExplanationDocument {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registered = vscode.workspace.registerTextDocumentContentProvider(explanationScheme, {
    onDidChange: changed.event,
    async provideTextDocumentContent({ query }) {
      const explanation = await explainer.explain(query);
      return explanation ? textOf(explanation) : phraseFor('explain.unknown');
    },
  });
  return {
    async show(sessionId) {
      if ((await explainer.explain(sessionId)) === undefined) {
        void vscode.window.showInformationMessage(phraseFor('explain.unknown'));
        return;
      }
      const address = vscode.Uri.from({
        scheme: explanationScheme,
        path: '/Explain This State.md',
        query: sessionId,
      });
      changed.fire(address);
      const document = await vscode.workspace.openTextDocument(address);
      await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
    },
    dispose() {
      registered.dispose();
      changed.dispose();
    },
  };
}

function textOf(explanation: Explanation): string {
  return explanationText(explanation, {
    l10n: vscode.l10n,
    standing: standingText,
    source: sourceText,
    locale: vscode.env.language,
    now: Date.now(),
  });
}
