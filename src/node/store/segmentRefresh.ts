import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Followers } from './indexUpdate.ts';
import { type EventEntry, runOf, type SessionRun } from './segmentDigest.ts';

/**
 * Brings the index up to the sealed segments that are there, with turns for others in between. `changed`: first sequence numbers of
 * segments that are known to hold something else now; others are noticed by their size. Until it is done an event may be known both
 * as sealed and as not yet sealed; readers give it once.
 */
export async function refreshSegments(followers: Followers, changed: readonly number[]): Promise<void> {
  const { log, index, directory, searcher } = followers;
  const known = index.segments();
  for (const { firstSeq, length } of log.sealed) {
    const isKnown = known.get(firstSeq) === length && !changed.includes(firstSeq);
    known.delete(firstSeq);
    if (isKnown) continue;
    directory.forgetDigest(firstSeq);
    const { runs, tellings } = directory.summaryOf(firstSeq);
    const left = log.hasRemovals ? runs.flatMap((run) => leftOf(followers, firstSeq, run)) : runs;
    index.setSegment(firstSeq, { size: length, runs: left, said: directory.digestOf(firstSeq).said });
    for (const telling of tellings) if (telling.seq >= log.removedBefore(telling.session)) index.addTelling(telling);
    await nextTurn();
  }
  for (const gone of known.keys()) {
    index.removeSegment(gone);
    directory.forgetDigest(gone);
  }
  directory.sealed();
  searcher.changed();
}

/** Counts again what sealed segments hold of a session, after events of it were removed. */
export function recountSession({ log, index, directory }: Followers, session: string): void {
  const bySegment = new Map<number, EventEntry[]>();
  for (const entry of directory.entriesOf(session)) {
    const segment = log.sealedSegmentOf(entry.seq);
    if (segment === undefined) continue;
    const own = bySegment.get(segment);
    if (own) own.push(entry);
    else bySegment.set(segment, [entry]);
  }
  for (const { segment } of index.runsOf(session)) {
    const left = bySegment.get(segment);
    index.setRun(segment, session, left && runOf([session, left]));
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
