import type { SayingSearch } from '../../app/ports.ts';
import { interactionOf, searchable } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { RecordLog } from '../log/recordLog.ts';
import type { EventDirectory } from './eventDirectory.ts';
import type { Saying, SayingEntry } from './segmentDigest.ts';
import { readEventRecord } from './storedRecords.ts';
import type { StoreIndex } from './storeIndex.ts';

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
/** Most candidates lie in a block that was just read. */
const READ_COST = 600;
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

/** A search as far as it has come. */
interface Progress {
  readonly search: Omit<SayingSearch, 'isOfSession'>;
  /** The one with the latest saying comes last. */
  readonly sources: Source[];
  /** Candidates that were not looked at yet; the newest comes last. */
  found: SayingEntry[];
  lookedTo: SayingKey | undefined;
}

/**
 * CNV-3: finds what was said. Sealed segments have an index over their texts in their digests; what is not yet sealed is kept
 * here, and looked through.
 */
export class SayingSearcher {
  readonly #log: RecordLog;
  readonly #directory: EventDirectory;
  readonly #index: Pick<StoreIndex, 'saidSegments' | 'segments'>;
  /** The sealed segments whose sayings are not in `#unsealed`. */
  #sealed: ReturnType<StoreIndex['saidSegments']> = [];
  #unsealed: Saying[] = [];
  /** Of the last search: its next page goes on from here. */
  #last: Progress | undefined;

  constructor(log: RecordLog, directory: EventDirectory, index: Pick<StoreIndex, 'saidSegments' | 'segments'>) {
    this.#log = log;
    this.#directory = directory;
    this.#index = index;
  }

  /** An event was appended that a search may find. */
  add(saying: Saying): void {
    this.#unsealed.push(saying);
    const looked = this.#last?.lookedTo;
    if (looked !== undefined && compareSayings(keyOf(saying), looked) < 0) this.#last = undefined;
  }

  /** Segments were sealed, rewritten or removed, or records removed. */
  changed(): void {
    this.#last = undefined;
    this.#sealed = this.#index.saidSegments();
    const known = this.#index.segments();
    const isKnown = (segment: number | undefined) => segment !== undefined && known.has(segment);
    this.#unsealed = this.#unsealed.filter(
      ({ seq, session }) =>
        !isKnown(this.#log.sealedSegmentOf(seq)) && !this.#log.isRemoved({ seq, kind: 'event', session }),
    );
  }

  /** Newest first, after this key. Ends after some milliseconds of work, perhaps with nothing found yet. */
  search({ isOfSession, ...search }: SayingSearch, after: SayingKey | undefined, limit: number): FoundSayings {
    const progress = this.#goneOn(search, after) ?? this.#begun(search, after);
    this.#last = undefined;
    const wanted = searchable(search.text);
    const isWanted = wantedBy(search, after);
    const events: AgentEvent[] = [];
    let [cost, judged] = [0, 0];
    const judge = (characters: number): void => {
      judged += characters / CHARACTERS_JUDGED_FOR_ONE;
    };
    while (progress.found.length + progress.sources.length > 0) {
      const bound = boundOf(progress, after);
      // However long it takes, the next page begins behind this one.
      const isFull = events.length >= limit || (cost >= SLICE_COST && bound !== after);
      if (isFull) return this.#paused({ ...progress, lookedTo: bound }, events);
      cost += openNext(progress, wanted, isWanted);
      const candidate = progress.found.at(-1);
      // What a source has that is not opened yet may be newer.
      if (candidate === undefined || (progress.sources.at(-1)?.to ?? -Infinity) >= candidate.time) continue;
      progress.found.pop();
      progress.lookedTo = keyOf(candidate);
      judged = 0;
      const isOfIt = isOfSession?.(candidate.session, judge) ?? true;
      cost += judged + CANDIDATE_COST;
      if (!isOfIt) continue;
      cost += READ_COST;
      const event = this.#read(candidate.seq);
      if (!event || !searchable(interactionOf(event)?.content ?? '').includes(wanted)) continue;
      // An append that was written but not acknowledged comes again.
      if (events.every(({ id }) => id !== event.id)) events.push(event);
    }
    return { events, lookedTo: undefined };
  }

  /** Keeps the progress for the next page. */
  #paused(progress: Progress, events: readonly AgentEvent[]): FoundSayings {
    this.#last = progress;
    return { events, lookedTo: progress.lookedTo };
  }

  #goneOn(search: Progress['search'], after: SayingKey | undefined): Progress | undefined {
    const last = this.#last;
    if (last === undefined || after === undefined || last.lookedTo === undefined) return undefined;
    const isSame = JSON.stringify([search, after]) === JSON.stringify([last.search, last.lookedTo]);
    return isSame ? { ...last, lookedTo: after } : undefined;
  }

  #begun(search: Progress['search'], after: SayingKey | undefined): Progress {
    return { search, sources: this.#sourcesOf(search, after), found: [], lookedTo: after };
  }

  #read(seq: number): AgentEvent | undefined {
    const record = this.#log.at(seq);
    return record && readEventRecord(record)?.event;
  }

  #sourcesOf({ from, to }: Progress['search'], after: SayingKey | undefined): Source[] {
    const earliest = from === undefined ? -Infinity : Date.parse(from);
    const latest = Math.min(to === undefined ? Infinity : Date.parse(to), after?.[0] ?? Infinity);
    const sources = this.#sealed.flatMap(({ segment, said }): Source[] => {
      if (said[1] < earliest || said[0] > latest) return [];
      const candidates = (wanted: string) => this.#directory.digestOf(segment).sayingsWith(wanted);
      return [{ to: Math.min(said[1], latest), candidates }];
    });
    const newest = this.#unsealed.reduce((most, { time }) => Math.max(most, time), -Infinity);
    const unsealed: Source = {
      to: Math.min(latest, newest),
      candidates: (wanted) => this.#unsealed.filter(({ text }) => text.includes(wanted)),
    };
    return [...sources, unsealed].sort((a, b) => a.to - b.to);
  }
}

/** Everything newer than this was looked at, even if no candidate was. */
function boundOf({ sources, found, lookedTo }: Progress, after: SayingKey | undefined): SayingKey | undefined {
  if (lookedTo !== after) return lookedTo;
  const time = Math.max(sources.at(-1)?.to ?? -Infinity, found.at(-1)?.time ?? -Infinity);
  const bound: SayingKey = [time, AFTER_ALL_RANKS, 0];
  return after === undefined || compareSayings(bound, after) < 0 ? bound : after;
}

/** Opens the next source if it may hold something newer than the newest candidate. Returns what that cost. */
function openNext(progress: Progress, wanted: string, isWanted: (saying: SayingEntry) => boolean): number {
  const { sources, found } = progress;
  const next = sources.at(-1);
  if (next === undefined || next.to < (found.at(-1)?.time ?? -Infinity)) return 0;
  sources.pop();
  const own = next.candidates(wanted).filter(isWanted);
  if (own.length > 0) progress.found = [...found, ...own].sort((a, b) => compareSayings(keyOf(a), keyOf(b)));
  return SEGMENT_COST + own.length * CANDIDATE_COST;
}

function keyOf({ time, rank, seq }: SayingEntry): SayingKey {
  return [time, rank, seq];
}

function compareSayings(a: SayingKey, b: SayingKey): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function wantedBy(
  { role, from, to }: Progress['search'],
  after: SayingKey | undefined,
): (saying: SayingEntry) => boolean {
  const earliest = from === undefined ? -Infinity : Date.parse(from);
  const before = to === undefined ? Infinity : Date.parse(to);
  return (saying) =>
    (role === undefined || saying.role === role) &&
    saying.time >= earliest &&
    saying.time < before &&
    (after === undefined || compareSayings(keyOf(saying), after) < 0);
}
