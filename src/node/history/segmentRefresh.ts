import type { Followers } from './indexUpdate.ts';
import { runOf, type SessionRun } from './segmentDigest.ts';

/**
 * Brings the index up to the sealed segments that are there. `changed`: first sequence numbers of segments that are known to
 * hold something else now; others are noticed by their size.
 */
export function refreshSegments(followers: Followers, changed: readonly number[]): void {
  const { log, index, directory, searcher } = followers;
  const known = index.segments();
  for (const { firstSeq, length } of log.sealed) {
    const isKnown = known.get(firstSeq) === length && !changed.includes(firstSeq);
    known.delete(firstSeq);
    if (isKnown) continue;
    directory.forgetDigest(firstSeq);
    const { runs, tellings } = directory.digestOf(firstSeq).summary();
    index.setSegment(
      firstSeq,
      length,
      log.hasRemovals ? runs.flatMap((run) => leftOf(followers, firstSeq, run)) : runs,
    );
    for (const telling of tellings) if (telling.seq >= log.removedBefore(telling.session)) index.addTelling(telling);
  }
  for (const gone of known.keys()) {
    index.removeSegment(gone);
    directory.forgetDigest(gone);
  }
  directory.sealed();
  searcher.changed();
}

/** Counts again what sealed segments hold of a session, after events of it were removed. */
export function recountSession(followers: Followers, session: string): void {
  const { index } = followers;
  for (const { segment, ...run } of index.runsOf(session)) {
    const [left] = leftOf(followers, segment, { session, ...run });
    index.setRun(segment, session, left);
  }
}

/** Without what was removed and may still be on disk. Empty if nothing is left. */
function leftOf({ log, directory }: Followers, segment: number, run: SessionRun): readonly SessionRun[] {
  const { session, lastSeq } = run;
  if (lastSeq < log.removedBefore(session)) return [];
  const entries = directory
    .sealedEntries(segment, session)
    .filter(({ seq }) => !log.isRemoved({ seq, kind: 'event', session }));
  return entries.length === 0 ? [] : [runOf([session, entries])];
}
