import { parentPort } from 'node:worker_threads';
import { completedText } from './handOver.ts';
import type { HandOverAnswer, HandOverOrder } from './handOverThread.ts';

/** A program of its own (dist/handOver.js): completes one hand-over, away from the thread that agents and people wait for. */
// A port that nobody listens to lets the thread end, in the middle of what keeps no event loop alive.
parentPort?.on('message', ({ handOver, made }: HandOverOrder) => {
  const answer = (told: HandOverAnswer) => parentPort?.postMessage(told);
  completedText(handOver, made).then(
    (json) => answer({ kind: 'completed', json }),
    // What a parser complains about quotes what it was given.
    (error: unknown) => answer({ kind: 'failed', why: error instanceof Error ? error.name : typeof error }),
  );
});
