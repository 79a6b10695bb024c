import type { FileSystem } from '../files/fileSystem.ts';
import type { Sealer } from '../log/recordLog.ts';
import { rewriteSegment, sealSegments } from '../log/sealing.ts';
import { makeSegmentDigest } from './segmentDigest.ts';

/** Compresses and rewrites segments of the store's log in this thread. */
export function sealHere(fs: FileSystem): Sealer {
  return {
    seal: (job) => sealSegments(fs, job, makeSegmentDigest),
    rewrite: (job) => rewriteSegment(fs, job, makeSegmentDigest),
  };
}
