import type { Log } from './ports.ts';

/**
 * `exposed`: others could have read or written it, or could have taken it away: it is open to them, or it is gone.
 * `other`: another's, or one that can't be read.
 */
export type Published = 'ours' | 'other' | 'exposed';

/** Looks come every two seconds: a home that can't be mended is tried again, and written to, once a minute. */
const RESTED_LOOKS = 30;

export interface PublishingParts {
  readonly log: Log;
  newToken(): string;
  look(token: string): Promise<Published>;
  closeHome(): Promise<void>;
}

export interface PublishingTarget {
  write(token: string): Promise<void>;
  /** Ends the connections of those who came in with another token. */
  cut(): void;
}

export interface Publishing {
  /** The one that lets in now. */
  token(): string;
  begin(target: PublishingTarget): Promise<void>;
  /** Mends what is wrong with it. Never rejects. */
  seeToIt(): Promise<void>;
  end(): void;
}

/** What an owner tells of itself, and that it stays there, its own and nobody else's to change. */
export function createPublishing({ log, newToken, look, closeHome }: PublishingParts): Publishing {
  let token = newToken();
  /** The one that was written last, or may have been. */
  let shown: string | undefined;
  let unclosed = false;
  /** As it was when it was last looked at. */
  let open = false;
  let target: PublishingTarget | undefined;
  let rest = 0;
  let told = false;
  /** Asked through a function, for it changes while something is waited for. */
  const current = () => target;

  /** At once: a home may never close, and those who read the former one must not have that time. */
  function renew(): void {
    if (token !== shown) return;
    token = newToken();
    target?.cut();
  }

  async function write(given = current()): Promise<void> {
    if (!given) return;
    shown = token;
    await given.write(token);
  }

  async function mend(): Promise<void> {
    if (unclosed) {
      await closeHome();
      unclosed = false;
      log.warn('Others could have read the port file: the collector has a new token, and its readers connect again.');
    }
    await write();
    const now = await look(token);
    open = now === 'exposed';
    if (now !== 'ours' && current()) throw new Error(now === 'exposed' ? 'it is still open to others' : 'it is gone');
  }

  return {
    token: () => token,
    async begin(given) {
      await write(given);
      target = given;
    },
    async seeToIt() {
      // A former owner that was stopped while it wrote or removed its port file, and then went on, has hit ours.
      const found = await look(token).catch(() => 'other' as const);
      if (found === 'ours') {
        rest = 0;
        told = false;
        open = false;
        return;
      }
      if (!current()) return;
      // What can't be closed at all needs no new token with every look: it would let in nobody.
      if (found === 'exposed' && (!open || rest <= 0)) {
        renew();
        unclosed = true;
      }
      open = found === 'exposed';
      if (rest-- > 0) return;
      try {
        await mend();
        rest = 0;
      } catch (error) {
        rest = RESTED_LOOKS;
        if (!told) log.warn(`The port file can’t be put right; it is tried again once a minute: ${String(error)}`);
        told = true;
      }
    },
    end() {
      target = undefined;
    },
  };
}
