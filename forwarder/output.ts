import { writeSync } from 'node:fs';

const STDOUT = 1;
const STDERR = 2;

/** A reader that takes nothing for this long has gone; the hook must end. */
const STUCK_MS = 2_000;
const PAUSE_MS = 5;

export function printOutput(output: object): void {
  writeWhole(STDOUT, `${JSON.stringify(output)}\n`);
}

/** One line, whatever is in the message. */
export function complain(message: string): void {
  writeWhole(STDERR, `agent-mascot: ${message.replace(/\s+/g, ' ').trim()}\n`);
}

/** Synchronous, because the process ends right after; a full pipe is waited for, a closed one is nobody's loss. */
export function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  const until = performance.now() + STUCK_MS;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
