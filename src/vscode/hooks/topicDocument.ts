import * as vscode from 'vscode';
import type { Disposable } from '../../app/ports.ts';
import { hookTopicScheme } from '../ids.ts';
import { type Topic, topicWords } from './hookWords.ts';

export interface TopicDocument extends Disposable {
  /** Opens what only the person can do, as a short document. */
  show(topic: Topic): Promise<void>;
}

export function createTopicDocument(): TopicDocument {
  const registered = vscode.workspace.registerTextDocumentContentProvider(hookTopicScheme, {
    provideTextDocumentContent: ({ query }) => (isTopic(query) ? topicText(query) : ''),
  });
  return {
    async show(topic) {
      const path = `/${vscode.l10n.t(topicWords[topic].title)}.md`;
      const address = vscode.Uri.from({ scheme: hookTopicScheme, path, query: topic });
      const document = await vscode.workspace.openTextDocument(address);
      await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
    },
    dispose: () => registered.dispose(),
  };
}

function isTopic(name: string): name is Topic {
  return Object.hasOwn(topicWords, name);
}

const places = { mark: '`#agent-mascot`', command: '`node`' };

function topicText(topic: Topic): string {
  const { title, lines } = topicWords[topic];
  const steps = lines.map((line) => vscode.l10n.t(line, places));
  return `# ${vscode.l10n.t(title)}\n\n${steps.join('\n\n')}\n`;
}
