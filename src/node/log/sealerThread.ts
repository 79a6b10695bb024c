import type { Log } from '../../app/ports.ts';
import { nodeFileSystem, removeIfThere } from '../files/fileSystem.ts';
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

/**
 * A thread for each job: one is needed for a tenth of a second every few megabytes, and its memory is given back. If no thread can
 * be had, `here` does the job: better a pause than words that stay on disk after they were erased.
 */
export function sealerInThread(program: string, here: Sealer, log: Pick<Log, 'warn'>): Sealer {
  /** Undefined if there was no thread. Rejects if the thread could not do it: the disk would not let this one either. */
  async function ask(order: SealerOrder): Promise<Rewritten | undefined> {
    const answer = await askThread<SealerAnswer>(program, order, { deadlineMs: DEADLINE_MS }).catch(
      (error: unknown) => {
        log.warn(`log: a segment is written on the main thread, because no other could do it: ${String(error)}`);
        return undefined;
      },
    );
    if (answer === undefined) return undefined;
    if (answer.kind === 'failed') throw new Error(answer.why);
    return answer.outcome;
  }
  return {
    seal: async (job) => {
      if ((await ask({ kind: 'seal', job })) !== undefined) return;
      await removeIfThere(nodeFileSystem, job.target);
      await here.seal(job);
    },
    rewrite: async (job) => {
      const outcome = await ask({ kind: 'rewrite', job });
      if (outcome !== undefined) return outcome;
      await removeIfThere(nodeFileSystem, job.target);
      return here.rewrite(job);
    },
  };
}
