import { Worker } from 'node:worker_threads';
import { NotWrittenError, type Compact, type CompactJob } from './compact.ts';

/** What the thread is given and gives back. */
export interface CompactOrder {
  readonly wasm: Uint8Array;
  readonly job: CompactJob;
}
export type CompactAnswer =
  | { readonly kind: 'made'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly why: string; readonly notWritten: boolean };

/** Rebuilding 50 MB takes a second; one that takes this long will not end. */
const DEADLINE_MS = 120_000;

/**
 * STO-4: a thread for each image: it is needed for a second every few megabytes, and its memory is given back. It reads and writes
 * by itself, for also taking in 50 MB and letting go of them holds up whoever does it.
 */
export function compactInThread(program: string, wasm: Uint8Array): Compact {
  return (job) =>
    new Promise((resolve, reject) => {
      const order: CompactOrder = { wasm, job };
      // Nothing of the editor's is of use there.
      const worker = new Worker(program, { env: {}, execArgv: [], stdin: false });
      const deadline = setTimeout(() => end(() => reject(new Error('it did not end'))), DEADLINE_MS).unref();
      let ended = false;
      function end(then: () => void): void {
        if (ended) return;
        ended = true;
        clearTimeout(deadline);
        // Only then can nothing be written any more.
        void worker.terminate().then(then, then);
      }
      worker.once('message', (answer: CompactAnswer) =>
        end(() => {
          if (answer.kind === 'made') resolve(answer.bytes);
          else reject(answer.notWritten ? new NotWrittenError(answer.why) : new Error(answer.why));
        }),
      );
      worker.once('error', (error) => end(() => reject(error)));
      worker.once('exit', (code) => end(() => reject(new Error(`the thread ended with ${code}`))));
      worker.postMessage(order);
    });
}
