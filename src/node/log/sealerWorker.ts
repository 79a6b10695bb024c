import { parentPort } from 'node:worker_threads';
import { nodeFileSystem } from '../files/fileSystem.ts';
import { makeSegmentDigest } from '../store/segmentDigest.ts';
import type { SealerAnswer, SealerOrder } from './sealerThread.ts';
import { type Rewritten, rewriteSegment, sealSegments } from './sealing.ts';

/** A program of its own (dist/sealer.js): compresses and rewrites segments, away from the thread that agents and people wait for. */
async function carriedOut(order: SealerOrder): Promise<Rewritten> {
  if (order.kind === 'rewrite') return rewriteSegment(nodeFileSystem, order.job, makeSegmentDigest);
  await sealSegments(nodeFileSystem, order.job, makeSegmentDigest);
  return 'written';
}

// A port that nobody listens to lets the thread end, in the middle of what keeps no event loop alive.
parentPort?.on('message', (order: SealerOrder) => {
  const answer = (given: SealerAnswer) => parentPort?.postMessage(given);
  carriedOut(order).then(
    (outcome) => answer({ kind: 'made', outcome }),
    (error: unknown) => answer({ kind: 'failed', why: String(error) }),
  );
});
