import { parentPort } from 'node:worker_threads';
import { nodeFileSystem } from '../files/fileSystem.ts';
import type { SealerAnswer, SealerOrder } from './sealerThread.ts';
import { rewriteSegment, sealSegments } from './sealing.ts';

/** A program of its own (dist/sealer.js): compresses and rewrites segments, away from the thread that agents and people wait for. */
async function carriedOut(order: SealerOrder): Promise<boolean> {
  if (order.kind === 'rewrite') return rewriteSegment(nodeFileSystem, order.job);
  await sealSegments(nodeFileSystem, order.job);
  return true;
}

// A port that nobody listens to lets the thread end, in the middle of what keeps no event loop alive.
parentPort?.on('message', (order: SealerOrder) => {
  const answer = (given: SealerAnswer) => parentPort?.postMessage(given);
  carriedOut(order).then(
    (isChanged) => answer({ kind: 'made', isChanged }),
    (error: unknown) => answer({ kind: 'failed', why: String(error) }),
  );
});
