import { parentPort } from 'node:worker_threads';
import { nodeFileSystem } from '../files/fileSystem.ts';
import { compactImage, NotWrittenError } from './compact.ts';
import type { CompactAnswer, CompactOrder } from './compactThread.ts';
import { loadSqlite } from './database.ts';

/** A program of its own (dist/compact.js): makes one image, away from the thread that agents and people wait for. */
// A port that nobody listens to lets the thread end, in the middle of what keeps no event loop alive.
parentPort?.on('message', ({ wasm, job }: CompactOrder) => {
  const answer = (told: CompactAnswer) => parentPort?.postMessage(told);
  loadSqlite(wasm)
    .then((sqlite) => compactImage(nodeFileSystem, sqlite, job))
    .then(
      (bytes) => answer({ kind: 'made', bytes }),
      (error: unknown) => answer({ kind: 'failed', why: String(error), notWritten: error instanceof NotWrittenError }),
    );
});
