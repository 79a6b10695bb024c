import { writeSync } from 'node:fs';

const RETRY_MS = 2;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a text to standard output. When it returns, the parent can read all of it, even if this process is killed right then.
 * A pipe is full while a busy parent does not read from it; then this waits.
 */
export function tellParent(text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'EAGAIN') throw error;
      Atomics.wait(sleeping, 0, 0, RETRY_MS);
    }
  }
}
