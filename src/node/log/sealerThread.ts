import { askThread } from '../machine/thread.ts';
import type { Sealer } from './recordLog.ts';
import type { RewriteJob, Rewritten, SealJob } from './sealing.ts';

/** What the thread is given. */
export type SealerOrder =
  { readonly kind: 'seal'; readonly job: SealJob } | { readonly kind: 'rewrite'; readonly job: RewriteJob };

/** What it answers. A sealed segment is always `written`. */
export type SealerAnswer =
  { readonly kind: 'made'; readonly outcome: Rewritten } | { readonly kind: 'failed'; readonly why: string };

/** Compressing some megabytes takes a tenth of a second; what takes this long will not end. */
const DEADLINE_MS = 60_000;

/** A thread for each job: one is needed for a tenth of a second every few megabytes, and its memory is given back. */
export function sealerInThread(program: string): Sealer {
  async function ask(order: SealerOrder): Promise<Rewritten> {
    const answer = await askThread<SealerAnswer>(program, order, { deadlineMs: DEADLINE_MS });
    if (answer.kind === 'failed') throw new Error(answer.why);
    return answer.outcome;
  }
  return {
    seal: async (job) => void (await ask({ kind: 'seal', job })),
    rewrite: (job) => ask({ kind: 'rewrite', job }),
  };
}
