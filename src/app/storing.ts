import { storingTrouble, type StoringTrouble } from '../domain/storing.ts';
import type { Storing } from '../protocol/reading.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { ClaimLostError, type Clock, type Log } from './ports.ts';

export interface StoringWatch {
  readonly state: () => Storing;
  /** Told when a trouble begins, becomes another, and ends. */
  readonly onChange: Listeners<Storing>['add'];
  stored(): void;
  refused(error: unknown): void;
  /** This refusal was put into the log, or it has been there. */
  hasTold(error: unknown): boolean;
}

export interface StoringParts {
  /** The store's, for the person. */
  readonly folder?: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

type Refusing = Storing & { readonly code: string; readonly refused: number };

/** STO-3: whether the store takes what comes. A disk that stays full refuses every event, and is told of once. */
export function createStoring({ folder, clock, log }: StoringParts): StoringWatch {
  const listeners = createListeners<Storing>(log);
  let trouble: Refusing | undefined;
  let last: unknown;
  const state = (): Storing => trouble ?? { ok: true };

  return {
    state,
    onChange: listeners.add,
    hasTold: (error) => error === last,
    stored() {
      if (!trouble) return;
      log.info(`Events are stored again, after ${trouble.refused} refusal(s).`);
      [trouble, last] = [undefined, undefined];
      listeners.tell(state());
    },
    refused(error) {
      // Another process stores from now on, or this one is about to end.
      if (error instanceof ClaimLostError || nameOf(error) === 'StoreClosedError') return;
      last = error;
      const code = codeOf(error);
      const before = trouble;
      const place = folder ?? pathOf(error);
      const since = before?.since ?? new Date(clock.now()).toISOString();
      trouble = { ok: false, code, since, refused: (before?.refused ?? 0) + 1, ...(place && { folder: place }) };
      if (before?.code === code) return;
      log.error(`${sentences[storingTrouble(code)](place ?? 'the store')} (${String(error)})`);
      listeners.tell(state());
    },
  };
}

const then = 'What hooks tell meanwhile waits in the spool, and is taken in then.';
const sentences: Readonly<Record<StoringTrouble, (place: string) => string>> = {
  full: (place) => `Nothing is stored: the disk of ${place} is full. Make room. ${then}`,
  unwritable: (place) => `Nothing is stored: ${place} can’t be written. Make it writable. ${then}`,
  failed: (place) =>
    `Nothing is stored: writing to ${place} fails. Check the disk; reload the window if it stays. ${then}`,
};

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== '' ? code : nameOf(error);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

function pathOf(error: unknown): string | undefined {
  const path: unknown = error instanceof Error && 'path' in error ? error.path : undefined;
  return typeof path === 'string' && path !== '' ? path : undefined;
}
