import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Terminal } from './command.ts';

const STDOUT = 1;
const STDERR = 2;
const PAUSE_MS = 5;

export function processTerminal(): Terminal {
  const closed = new AbortController();
  return {
    out(text) {
      if (!closed.signal.aborted && !writeLine(STDOUT, text)) closed.abort();
    },
    complain: (text) => void writeLine(STDERR, text),
    closed: closed.signal,
    isInteractive: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    ask,
  };
}

/** Synchronous, because the process ends right after; a full pipe is waited for. False: nobody reads any more. */
function writeLine(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  return true;
}

function ask(question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    lines.once('close', () => resolve(undefined));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
