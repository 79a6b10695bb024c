import { ClaimLostError } from '../../app/ports.ts';

/** The store on disk was written by a newer version. Nothing of it was changed. */
export class NewerStoreError extends Error {
  override readonly name = 'NewerStoreError';

  constructor(file: string, found: number, known: number) {
    super(
      `${file} was written by a newer version of Agent Mascot (format ${found}, this one knows ${known}). ` +
        'It was left as it is. Update the extension in this editor, then reload the window.',
    );
  }
}

/** Another window has become the owner; what this one would still write could destroy what that one wrote. */
export class StoreFencedError extends ClaimLostError {
  override readonly name = 'StoreFencedError';

  constructor() {
    super('Another window keeps the store now, so nothing was written from this one.');
  }
}

/** Another collector, with another home, has this folder open: two writers would destroy each other's work. */
export class StoreInUseError extends Error {
  override readonly name = 'StoreInUseError';

  constructor(folder: string) {
    super(
      `The store in ${folder} is in use by a collector with another home folder. ` +
        'Give every editor the same AGENT_MASCOT_HOME (or none), or close the other one.',
    );
  }
}

export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';

  constructor() {
    super('The store is closed.');
  }
}

/** `store.json` says something that we never wrote. */
export class StoreLocationError extends Error {
  override readonly name = 'StoreLocationError';

  constructor(file: string) {
    super(
      `${file} can’t be understood, so it is not known where the store is. It was left as it is. ` +
        'Put it right, or delete it to begin a new store.',
    );
  }
}

/** The folder of the store is not there, and nothing shows that it was removed. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';

  constructor(folder: string, storeLocation: string) {
    super(
      `The folder of the store, ${folder}, is not there or is empty: its drive may not be mounted. ` +
        `Bring it back, or delete ${storeLocation} to begin a new store.`,
    );
  }
}
