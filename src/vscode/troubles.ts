import * as vscode from 'vscode';
import type { Disposable, Log } from '../app/ports.ts';
import { storingTrouble } from '../domain/storing.ts';
import { SPOOL_MAX_BYTES, SPOOL_MAX_DAYS } from '../protocol/limits.ts';
import type { Storing } from '../protocol/reading.ts';
import { commandIds } from './ids.ts';
import { withoutLinks } from './noticeText.ts';
import { phraseFor } from './phrases.ts';

/** Whether this window's store refuses what comes. */
export interface NotStoring {
  /** Why nothing is stored now; `undefined` while the store works. */
  readonly text: () => string | undefined;
  readonly onChange: (listener: () => void) => Disposable;
}

/** A disk at its limit is full and has room by turns, which is one trouble. After this time the same reason is shown again. */
const SHOW_AGAIN_MS = 60 * 60_000;

/** The random parts of names of temporary files. */
const randomParts = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{12}(?=\.tmp)/g;

/**
 * Shows what goes wrong with the collector and the store of this window. Each reason is shown once an hour at most, because a window
 * that fails to take part tries again every few seconds.
 */
export class Troubles {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #failedAt = new Map<string, number>();
  readonly #storingShownAt = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #notStoring: string | undefined;

  readonly notStoring: NotStoring = {
    text: () => this.#notStoring,
    onChange: (listener) => {
      this.#listeners.add(listener);
      return { dispose: () => void this.#listeners.delete(listener) };
    },
  };

  /** For the owner's world, which reports its store by these. */
  readonly ofStore = {
    /** This many events were lost, because no window took them in. */
    onDropped: (count: number): void => {
      const megabytes = SPOOL_MAX_BYTES / 1024 / 1024;
      void vscode.window.showWarningMessage(phraseFor('spool.dropped', { count, megabytes, days: SPOOL_MAX_DAYS }));
    },
    /** The store refuses what comes, or takes it again. */
    onStoring: (storing: Storing): void => this.#showStoring(storing),
  };

  constructor(log: Log, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /** This window could not take part. */
  failed(error: unknown): void {
    this.#log.error(String(error));
    const reason = error instanceof Error ? error.message : String(error);
    const kind = reason.replace(randomParts, '');
    const before = this.#failedAt.get(kind) ?? -Infinity;
    this.#failedAt.set(kind, this.#now());
    if (this.#now() - before < SHOW_AGAIN_MS) return;
    const showLog = phraseFor('failure.showLog');
    void vscode.window
      .showErrorMessage(withoutLinks(phraseFor('failure.owner', { reason })), showLog)
      .then((choice) => {
        if (choice === showLog) void vscode.commands.executeCommand(commandIds.showLog);
      });
  }

  /** The store was damaged and is repaired. `sentence` says what was done. */
  repaired(sentence: string): void {
    void vscode.window.showWarningMessage(withoutLinks(phraseFor('damage.title', { sentence })));
  }

  #showStoring({ ok, code = 'unknown', folder = '?' }: Storing): void {
    const text = ok ? undefined : withoutLinks(phraseFor(`storing.${storingTrouble(code)}`, { folder, why: code }));
    this.#notStoring = text;
    for (const listener of this.#listeners) listener();
    if (text === undefined || this.#now() - (this.#storingShownAt.get(code) ?? -Infinity) < SHOW_AGAIN_MS) return;
    this.#storingShownAt.set(code, this.#now());
    void vscode.window.showErrorMessage(text);
  }
}
