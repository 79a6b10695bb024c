import * as vscode from 'vscode';
import type { Disposable, Log } from '../app/ports.ts';
import { storingTrouble } from '../domain/storing.ts';
import { SPOOL_MAX_BYTES, SPOOL_MAX_DAYS } from '../protocol/limits.ts';
import type { Storing } from '../protocol/reading.ts';
import { commandIds } from './ids.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor } from './phrases.ts';

export interface Troubles {
  failed(error: unknown): void;
  repaired(sentence: string): void;
  readonly ofStore: {
    /** So many events were lost, for nobody took them in. */
    onDropped(count: number): void;
    /** The store of this window refuses what comes, or takes it again. */
    onStoring(storing: Storing): void;
  };
  /** What there is to say about that as long as it lasts. */
  readonly notStoring: NotStoring;
}

export interface NotStoring {
  readonly text: () => string | undefined;
  readonly onChange: (listener: () => void) => Disposable;
}

/** A disk at its limit is full and has room by turns: that is one trouble. The same reason later than this is another. */
const TELL_AGAIN_MS = 60 * 60_000;

/** Of the names of files that were being written. */
const randomParts = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{12}(?=\.tmp)/g;

/** Said once for each reason: a window that can't take part tries again every few seconds, at least once a minute. */
export function createTroubles(log: Log, now: () => number = Date.now): Troubles {
  const failedAt = new Map<string, number>();
  const storingToldAt = new Map<string, number>();
  const listeners = new Set<() => void>();
  let notStoring: string | undefined;
  return {
    failed(error) {
      log.error(String(error));
      const reason = error instanceof Error ? error.message : String(error);
      const kind = reason.replace(randomParts, '');
      const before = failedAt.get(kind) ?? -Infinity;
      failedAt.set(kind, now());
      if (now() - before < TELL_AGAIN_MS) return;
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
    ofStore: {
      onDropped(count) {
        const megabytes = SPOOL_MAX_BYTES / 1024 / 1024;
        void vscode.window.showWarningMessage(phraseFor('spool.dropped', { count, megabytes, days: SPOOL_MAX_DAYS }));
      },
      onStoring({ ok, code = 'unknown', folder = '?' }) {
        notStoring = ok ? undefined : withoutLinks(phraseFor(`storing.${storingTrouble(code)}`, { folder, why: code }));
        for (const listener of listeners) listener();
        if (notStoring === undefined || now() - (storingToldAt.get(code) ?? -Infinity) < TELL_AGAIN_MS) return;
        storingToldAt.set(code, now());
        void vscode.window.showErrorMessage(notStoring);
      },
    },
    notStoring: {
      text: () => notStoring,
      onChange(listener) {
        listeners.add(listener);
        return { dispose: () => void listeners.delete(listener) };
      },
    },
  };
}
