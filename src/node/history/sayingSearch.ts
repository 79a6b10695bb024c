import type { SayingSearch } from '../../app/ports.ts';
import { interactionOf, searchable } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { EventDirectory } from './eventDirectory.ts';
import type { Saying, SayingEntry } from './segmentDigest.ts';
import { readEventRecord } from './storedRecords.ts';

/** Newest first: by time, then by rank, then by place in the log. */
export type SayingKey = readonly [time: number, rank: number, seq: number];

export interface FoundSayings {
  readonly events: readonly AgentEvent[];
  /** Up to here was looked at; undefined: to the end. */
  readonly lookedTo: SayingKey | undefined;
}

/** What work costs, in about tenths of a microsecond: a slice ends after so much of it, however fast the machine is. */
const SLICE_COST = 50_000;
const SEGMENT_COST = 4_000;
const READ_COST = 3_000;
const CANDIDATE_COST = 10;
const CHARACTERS_JUDGED_FOR_ONE = 2;

/** Greater than every rank. */
const AFTER_ALL_RANKS = 1e9;

/** A sealed segment, or what is not yet sealed, that may hold what is wanted. */
interface Source {
  /** The time of its latest saying. */
  readonly to: number;
  candidates(wanted: string): readonly SayingEntry[];
}

/**
 * CNV-3: finds what was said. Sealed segments have an index over their texts in their digests; what is not yet sealed is kept
 * here, and looked through.
 */
export class SayingSearcher {
  readonly #log: RecordLog;
  readonly #directory: EventDirectory;
  /** The sealed segments whose sayings are not in `#unsealed`. */
  #sealed: readonly number[] = [];
  #unsealed: Saying[] = [];

  constructor(log: RecordLog, directory: EventDirectory) {
    this.#log = log;
    this.#directory = directory;
  }

  /** An event was appended that a search may find. */
  add(saying: Saying): void {
    this.#unsealed.push(saying);
  }

  /** Segments were sealed, rewritten or removed, or records removed. */
  changed(): void {
    this.#sealed = this.#log.sealed.map(({ firstSeq }) => firstSeq);
    this.#unsealed = this.#unsealed.filter(
      ({ seq, session }) => !this.#log.isSealed(seq) && !this.#log.isRemoved({ seq, kind: 'event', session }),
    );
  }

  /** Newest first, after this key. Ends after some milliseconds of work, perhaps with nothing found yet. */
  search(search: SayingSearch, after: SayingKey | undefined, limit: number): FoundSayings {
    const wanted = searchable(search.text);
    const isWanted = wantedBy(search, after);
    const sources = this.#sourcesOf(search, after);
    const events: AgentEvent[] = [];
    let [cost, judged] = [0, 0];
    let lookedTo = after;
    let found: SayingEntry[] = [];
    const judge = (characters: number): void => {
      judged += characters / CHARACTERS_JUDGED_FOR_ONE;
    };
    for (;;) {
      const next = sources.at(-1);
      const candidate = found.at(-1);
      if (next === undefined && candidate === undefined) return { events, lookedTo: undefined };
      const isSourceNext = next !== undefined && (candidate === undefined || next.to >= candidate.time);
      const bound: SayingKey = [isSourceNext ? next.to : (candidate?.time ?? 0), AFTER_ALL_RANKS, 0];
      if (events.length >= limit) return { events, lookedTo };
      // However long it takes, something is done before a slice ends, or the next one would begin at the same place.
      if (cost >= SLICE_COST) {
        if (lookedTo !== after) return { events, lookedTo };
        if (after === undefined || compareSayings(bound, after) < 0) return { events, lookedTo: bound };
      }
      if (isSourceNext) {
        sources.pop();
        const own = next.candidates(wanted).filter(isWanted);
        cost += SEGMENT_COST + own.length * CANDIDATE_COST;
        if (own.length > 0) found = [...found, ...own].sort((a, b) => compareSayings(keyOf(a), keyOf(b)));
        continue;
      }
      found.pop();
      if (candidate === undefined) continue;
      lookedTo = keyOf(candidate);
      judged = 0;
      const isOfSession = search.isOfSession?.(candidate.session, judge) ?? true;
      cost += judged + CANDIDATE_COST;
      if (!isOfSession) continue;
      cost += READ_COST;
      const event = this.#read(candidate.seq);
      if (!event || !searchable(interactionOf(event)?.content ?? '').includes(wanted)) continue;
      // An append that was written but not acknowledged comes again.
      if (events.every(({ id }) => id !== event.id)) events.push(event);
    }
  }

  #read(seq: number): AgentEvent | undefined {
    const record = this.#log.at(seq);
    return record && readEventRecord(record)?.event;
  }

  /** The one with the latest saying comes last. */
  #sourcesOf({ from, to }: SayingSearch, after: SayingKey | undefined): Source[] {
    const earliest = from === undefined ? -Infinity : Date.parse(from);
    const latest = Math.min(to === undefined ? Infinity : Date.parse(to), after?.[0] ?? Infinity);
    const sources = this.#sealed.flatMap((segment): Source[] => {
      const digest = this.#directory.digestOf(segment);
      const { said } = digest;
      if (said === undefined || said[1] < earliest || said[0] > latest) return [];
      return [{ to: Math.min(said[1], latest), candidates: (wanted) => digest.sayingsWith(wanted) }];
    });
    const unsealed: Source = {
      to: Math.min(
        latest,
        this.#unsealed.reduce((most, { time }) => Math.max(most, time), -Infinity),
      ),
      candidates: (wanted) => this.#unsealed.filter(({ text }) => text.includes(wanted)),
    };
    return [...sources, unsealed].sort((a, b) => a.to - b.to);
  }
}

function keyOf({ time, rank, seq }: SayingEntry): SayingKey {
  return [time, rank, seq];
}

function compareSayings(a: SayingKey, b: SayingKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function wantedBy({ role, from, to }: SayingSearch, after: SayingKey | undefined): (saying: SayingEntry) => boolean {
  const earliest = from === undefined ? -Infinity : Date.parse(from);
  const before = to === undefined ? Infinity : Date.parse(to);
  return (saying) =>
    (role === undefined || saying.role === role) &&
    saying.time >= earliest &&
    saying.time < before &&
    (after === undefined || compareSayings(keyOf(saying), after) < 0);
}
