import type { HandOver } from '../../protocol/handOver.ts';
import { askThread } from '../machine/thread.ts';
import type { Made } from './handOver.ts';

/** What the thread is given and gives back. */
export interface HandOverOrder {
  readonly handOver: HandOver;
  readonly made: Made;
}
export type HandOverAnswer =
  { readonly kind: 'completed'; readonly json: string | undefined } | { readonly kind: 'failed'; readonly why: string };

/** See `completedText`. Rejects when it is given up. */
export type Complete = (handOver: HandOver, made: Made, signal?: AbortSignal) => Promise<string | undefined>;

/** The worst of the largest that is taken needs two seconds, and twelve on a machine that has too much to do; others wait behind it. */
const DEADLINE_MS = 30_000;

/** The worst of the largest that is taken makes objects of 700 MB. What needs more ends the thread, and not the editor. */
const HEAP_MAX_MB = 1024;

/** FWD-9: a thread for each large hand-over, which are few: parsing and cutting 16 MB holds up whoever does it for seconds. */
export function completeInThread(program: string): Complete {
  return async (handOver, made, signal) => {
    const order: HandOverOrder = { handOver, made };
    const limits = { deadlineMs: DEADLINE_MS, resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB }, signal };
    const answer = await askThread<HandOverAnswer>(program, order, limits);
    if (answer.kind === 'completed') return answer.json;
    throw new Error(answer.why);
  };
}
