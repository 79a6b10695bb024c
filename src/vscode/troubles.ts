import * as vscode from 'vscode';
import type { Log } from '../app/ports.ts';
import { SPOOL_MAX_BYTES } from '../protocol/limits.ts';
import { commandIds } from './ids.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor } from './phrases.ts';

export interface Troubles {
  failed(error: unknown): void;
  repaired(sentence: string): void;
  /** So many events were dropped, for nobody took them in. */
  dropped(count: number): void;
}

/** Said once for each reason: a window that can't take part tries again every few seconds. */
export function createTroubles(log: Log): Troubles {
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
    dropped(count) {
      const megabytes = SPOOL_MAX_BYTES / 1024 / 1024;
      void vscode.window.showWarningMessage(phraseFor('spool.dropped', { count, megabytes }));
    },
  };
}
