import { type ResourceLimits, Worker } from 'node:worker_threads';
import { errorCode } from '../files/fileSystem.ts';

export interface ThreadLimits {
  readonly deadlineMs: number;
  readonly resourceLimits?: ResourceLimits;
  /** Given up when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** The work itself was too much: it would be again. */
export class ThreadLimitError extends Error {
  override readonly name = 'ThreadLimitError';
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** Starts a program as a thread, gives it one order and resolves with its first message. Rejects when it ends without one. */
export function askThread<Answer>(
  program: string,
  order: unknown,
  { deadlineMs, resourceLimits = {}, signal }: ThreadLimits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Nothing of the editor's is of use there.
    const worker = new Worker(program, { env: {}, execArgv: [], stdin: false, resourceLimits });
    const late = () => end(() => reject(new ThreadLimitError('it did not end')));
    const deadline = setTimeout(late, deadlineMs).unref();
    const giveUp = () => end(() => reject(new Error('it was given up')));
    signal?.addEventListener('abort', giveUp, { once: true });
    let ended = false;
    function end(then: () => void): void {
      if (ended) return;
      ended = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', giveUp);
      // Only then does it write nothing any more.
      void worker.terminate().then(then, then);
    }
    worker.once('message', (answer: Answer) => end(() => resolve(answer)));
    worker.once('error', (error) => end(() => reject(limitOr(error))));
    worker.once('exit', (code) => end(() => reject(new Error(`the thread ended with ${code}`))));
    worker.postMessage(order);
  });
}

function limitOr(error: Error): Error {
  return errorCode(error) === OUT_OF_MEMORY ? new ThreadLimitError(error.message) : error;
}
