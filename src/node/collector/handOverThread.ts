import { Worker } from 'node:worker_threads';
import type { HandOver } from '../../protocol/handOver.ts';
import type { Made } from './handOver.ts';

/** What the thread is given and gives back. */
export interface HandOverOrder {
  readonly handOver: HandOver;
  readonly made: Made;
}
export type HandOverAnswer =
  { readonly kind: 'completed'; readonly json: string | undefined } | { readonly kind: 'failed'; readonly why: string };

/** See `completedText`. */
export type Complete = (handOver: HandOver, made: Made) => Promise<string | undefined>;

/** The worst of the largest that is taken needs two seconds, and twelve on a machine that has too much to do; others wait behind it. */
const DEADLINE_MS = 30_000;

/** The worst of the largest that is taken makes objects of 700 MB. What needs more ends the thread, and not the editor. */
const HEAP_MAX_MB = 1024;

/** FWD-9: a thread for each large hand-over, which are few: parsing and cutting 16 MB holds up whoever does it for seconds. */
export function completeInThread(program: string): Complete {
  return (handOver, made) =>
    new Promise((resolve, reject) => {
      const order: HandOverOrder = { handOver, made };
      // Nothing of the editor's is of use there.
      const worker = new Worker(program, {
        env: {},
        execArgv: [],
        stdin: false,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
      });
      const deadline = setTimeout(() => end(() => reject(new Error('it did not end'))), DEADLINE_MS).unref();
      let ended = false;
      function end(then: () => void): void {
        if (ended) return;
        ended = true;
        clearTimeout(deadline);
        void worker.terminate().then(then, then);
      }
      worker.once('message', (answer: HandOverAnswer) =>
        end(() => (answer.kind === 'completed' ? resolve(answer.json) : reject(new Error(answer.why)))),
      );
      worker.once('error', (error) => end(() => reject(error)));
      worker.once('exit', (code) => end(() => reject(new Error(`the thread ended with ${code}`))));
      worker.postMessage(order);
    });
}
