import * as vscode from 'vscode';
import type { HookPlan } from '../../app/hooks/hookInstaller.ts';
import type { Disposable } from '../../app/ports.ts';
import { lastPart } from '../../domain/folders.ts';
import { hookScheme } from '../ids.ts';
import { hookPhrase } from './hookPhrases.ts';

export type Change = Extract<HookPlan, { kind: 'change' }>;

export interface DifferenceView extends Disposable {
  /** Opens the editor's own comparison of what is there and what would be written. */
  open(change: Change): Promise<Shown>;
}

export interface Shown {
  close(): Promise<void>;
}

export function createDifferenceView(): DifferenceView {
  const texts = new Map<string, string>();
  let opened = 0;
  const registered = vscode.workspace.registerTextDocumentContentProvider(hookScheme, {
    provideTextDocumentContent: ({ query }) => texts.get(query) ?? '',
  });

  function address(file: string, side: 'before' | 'after', text: string | undefined): vscode.Uri {
    const query = `${side}-${opened}`;
    texts.set(query, text ?? '');
    return vscode.Uri.file(file).with({ scheme: hookScheme, query });
  }

  return {
    async open(change) {
      opened++;
      const { file } = change.scope;
      const before = address(file, 'before', change.before);
      const after = address(file, 'after', change.after);
      await Promise.all([before, after].map(asJson));
      await vscode.commands.executeCommand('vscode.diff', before, after, titleOf(change), { preview: true });
      return {
        async close() {
          await vscode.window.tabGroups.close(tabsOf(after));
          texts.delete(before.query);
          texts.delete(after.query);
        },
      };
    },
    dispose: () => registered.dispose(),
  };
}

async function asJson(address: vscode.Uri): Promise<void> {
  await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(address), 'json');
}

function tabsOf(after: vscode.Uri): readonly vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString(),
  );
}

function titleOf({ action, before, after, scope }: Change): string {
  const name = lastPart(scope.file);
  if (before === undefined) return hookPhrase('diff.creates', { name });
  return hookPhrase(after === undefined ? 'diff.removes' : `diff.${action}`, { name });
}
