import { askThread } from '../machine/thread.ts';
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
  return async (job) => {
    const order: CompactOrder = { wasm, job };
    const answer = await askThread<CompactAnswer>(program, order, { deadlineMs: DEADLINE_MS });
    if (answer.kind === 'made') return answer.bytes;
    throw answer.notWritten ? new NotWrittenError(answer.why) : new Error(answer.why);
  };
}
