import { type ResourceLimits, Worker } from 'node:worker_threads';

export interface ThreadLimits {
  readonly deadlineMs: number;
  readonly resourceLimits?: ResourceLimits;
}

/** Starts a program as a thread, gives it one order and resolves with its first message. Rejects when it ends without one. */
export function askThread<Answer>(
  program: string,
  order: unknown,
  { deadlineMs, resourceLimits = {} }: ThreadLimits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Nothing of the editor's is of use there.
    const worker = new Worker(program, { env: {}, execArgv: [], stdin: false, resourceLimits });
    const deadline = setTimeout(() => end(() => reject(new Error('it did not end'))), deadlineMs).unref();
    let ended = false;
    function end(then: () => void): void {
      if (ended) return;
      ended = true;
      clearTimeout(deadline);
      // Only then does it write nothing any more.
      void worker.terminate().then(then, then);
    }
    worker.once('message', (answer: Answer) => end(() => resolve(answer)));
    worker.once('error', (error) => end(() => reject(error)));
    worker.once('exit', (code) => end(() => reject(new Error(`the thread ended with ${code}`))));
    worker.postMessage(order);
  });
}
