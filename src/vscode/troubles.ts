import * as vscode from 'vscode';
import type { Log } from '../app/ports.ts';
import { commandIds } from './ids.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor } from './phrases.ts';

/** Said once for each reason: a window that can't take part tries again every few seconds. */
export function createTroubles(log: Log): { failed(error: unknown): void; repaired(sentence: string): void } {
  const said = new Set<string>();
  return {
    failed(error) {
      log.error(String(error));
      const reason = error instanceof Error ? error.message : String(error);
      if (said.has(reason)) return;
      said.add(reason);
      const showLog = phraseFor('failure.showLog');
      void vscode.window
        .showErrorMessage(withoutLinks(phraseFor('failure.owner', { reason })), showLog)
        .then((choice) => {
          if (choice === showLog) void vscode.commands.executeCommand(commandIds.showLog);
        });
    },
    repaired(sentence) {
      void vscode.window.showWarningMessage(withoutLinks(phraseFor('damage.title', { sentence })));
    },
  };
}
