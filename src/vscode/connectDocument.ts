import * as vscode from 'vscode';
import type { Disposable } from '../app/ports.ts';
import { claudeSettingsSnippet } from '../domain/providers/claude/settingsSnippet.ts';
import { documentScheme } from './ids.ts';

const address = vscode.Uri.from({ scheme: documentScheme, path: '/Connect Claude Code.md' });

export interface ConnectDocument extends Disposable {
  show(): Promise<void>;
}

/** What to do so that agents report here, as a document that can be read and copied from. `bin`: the folder with the forwarder, as a shell writes it. */
export function createConnectDocument(bin: string): ConnectDocument {
  const registered = vscode.workspace.registerTextDocumentContentProvider(documentScheme, {
    provideTextDocumentContent: () => connectText(bin),
  });
  return {
    async show() {
      const document = await vscode.workspace.openTextDocument(address);
      await vscode.window.showTextDocument(await vscode.languages.setTextDocumentLanguage(document, 'markdown'));
    },
    dispose: () => registered.dispose(),
  };
}

function connectText(bin: string): string {
  const snippet = claudeSettingsSnippet(bin);
  return [
    `# ${vscode.l10n.t('Connect Claude Code')}`,
    vscode.l10n.t(
      'Merge these hooks into {file} (keep what is there), then send a prompt: a running session takes them up at once.',
      { file: '`~/.claude/settings.json`' },
    ),
    `\`\`\`json\n${snippet}\n\`\`\``,
    vscode.l10n.t(
      'The hooks need Node 18 or later on the PATH. They never stop the agent: while no editor with Agent Mascot is open, events are kept and shown when one opens.',
    ),
    vscode.l10n.t('To disconnect, remove the same lines.'),
    '',
  ].join('\n\n');
}
