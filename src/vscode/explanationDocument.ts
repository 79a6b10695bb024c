import * as vscode from 'vscode';
import type { Explainer } from '../app/ports.ts';
import type { Explanation } from '../protocol/explanation.ts';
import { explanationText } from './explanationText.ts';
import { explanationScheme } from './ids.ts';
import { createMadeDocument, type MadeDocument } from './madeDocument.ts';
import { phraseFor } from './phrases.ts';
import { sourceText, stateText } from './sessionWords.ts';

/** Why a session is shown as it is. */
export function createExplanationDocument(explainer: Explainer): MadeDocument {
  return createMadeDocument({
    scheme: explanationScheme,
    name: () => phraseFor('explain.title'),
    async text(sessionId) {
      const explanation = await explainer.explain(sessionId);
      return explanation && textOf(explanation);
    },
    unknown: () => phraseFor('explain.unknown'),
  });
}

function textOf(explanation: Explanation): string {
  return explanationText(explanation, {
    l10n: vscode.l10n,
    standing: stateText,
    source: sourceText,
    locale: vscode.env.language,
    now: Date.now(),
  });
}
