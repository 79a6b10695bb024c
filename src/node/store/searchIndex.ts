import type { SayingSearch } from '../../app/ports.ts';
import { interactionOf, searchable } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { EventKey } from './database.ts';
import { readEvent } from './readEvent.ts';
import { mayContain, probesOf } from './signature.ts';
import { isStampOfNow, readStamp, speakers, type Stamper } from './stamp.ts';

/** CNV-3: the signatures of all that was said, in memory once they were looked through or warmed up; newest first. */
export interface SearchIndex {
  search(search: SayingSearch, after: EventKey | undefined, limit: number): FoundSlice;
  /** A few more of them into memory. False: all are. */
  warm(): boolean;
  /** They have rows now. */
  added(rows: readonly StampedRow[]): void;
  /** They have none any more. */
  removed(keys: readonly EventKey[]): void;
}

export interface FoundSlice {
  readonly events: readonly AgentEvent[];
  /** Up to here was looked at; undefined: to the end. */
  readonly lookedTo: EventKey | undefined;
}

export interface StampedRow {
  readonly key: EventKey;
  readonly sessionId: string;
  /** Absent: an older version wrote the row. */
  readonly stamp: Uint8Array | undefined;
}

export interface SearchRows {
  /** Newest first. */
  before(key: EventKey | undefined, limit: number): readonly StampedRow[];
  /** As it was stored. */
  json(id: string): string | undefined;
  keep(row: StampedRow, stamp: Uint8Array): void;
}

interface Entry {
  readonly key: EventKey;
  readonly sessionId: string;
  readonly speaker: number;
  readonly block: Uint32Array;
  readonly from: number;
  readonly words: number;
}

/** What work costs, in about tenths of a microsecond: a slice ends after so much of it, however fast the machine is. */
const SLICE_COST = 50_000;
const TEST_COST = 1;
const LOAD_COST = 200;
const READ_COST = 100;
const CHARACTERS_READ_FOR_ONE = 40;
/** Read, and signed. */
const CHARACTERS_STAMPED_FOR_ONE = 2;

/** A session's row, whose shape is checked. */
const CHARACTERS_JUDGED_FOR_ONE = 2;

const ROWS_AT_ONCE = 50;
/** 1 MB. */
const BLOCK_WORDS = 2 ** 18;
/** With more than these loading what is left is quicker. */
const REMOVED_ONE_BY_ONE = 1_000;
/** So much that is no longer used is given back by beginning anew. */
const WASTE_WORDS_MAX = 2 ** 20;

export function createSearchIndex(rows: SearchRows, stamper: Stamper): SearchIndex {
  let entries: Entry[] = [];
  /** Down to here rows are in `entries`. */
  let loadedTo: EventKey | undefined;
  let complete = false;
  let block = new Uint32Array(0);
  let blockUsed = 0;
  let [usedWords, wastedWords] = [0, 0];
  let sessionIds = new Map<string, string>();

  function forget(): void {
    entries = [];
    loadedTo = undefined;
    complete = false;
    block = new Uint32Array(0);
    [blockUsed, usedWords, wastedWords] = [0, 0, 0];
    sessionIds = new Map();
  }

  /** One copy of each id: a session has hundreds of them. */
  function sessionIdOf(id: string): string {
    const known = sessionIds.get(id);
    if (known === undefined) sessionIds.set(id, id);
    return known ?? id;
  }

  function entryOf({ key, sessionId }: StampedRow, stamp: Uint8Array): Entry {
    const { speaker, bits } = readStamp(stamp);
    const words = bits.length / Uint32Array.BYTES_PER_ELEMENT;
    if (blockUsed + words > block.length) {
      block = new Uint32Array(BLOCK_WORDS);
      blockUsed = 0;
    }
    const from = blockUsed;
    new Uint8Array(block.buffer, from * Uint32Array.BYTES_PER_ELEMENT, bits.length).set(bits);
    blockUsed += words;
    usedWords += words;
    return { key, sessionId: sessionIdOf(sessionId), speaker, block, from, words };
  }

  /** Gives what it cost. */
  function load(): number {
    const found = rows.before(loadedTo, ROWS_AT_ONCE);
    let cost = 0;
    for (const row of found) {
      cost += LOAD_COST;
      let { stamp } = row;
      if (!isStampOfNow(stamp)) {
        const json = rows.json(row.key[2]);
        stamp = stamper.stampOf(json === undefined ? undefined : readEvent(json));
        rows.keep(row, stamp);
        cost += READ_COST + (json?.length ?? 0) / CHARACTERS_STAMPED_FOR_ONE;
      }
      entries.push(entryOf(row, stamp));
      loadedTo = row.key;
      // Those that are left come with the next.
      if (cost >= SLICE_COST) return cost;
    }
    complete = found.length < ROWS_AT_ONCE;
    return cost;
  }

  /** Where the first one is that is older than this. */
  function placeAfter(isOlder: (key: EventKey) => boolean): number {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isOlder((entries[middle] as Entry).key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function add(row: StampedRow): void {
    const isLoaded = complete || (loadedTo !== undefined && compareKeys(row.key, loadedTo) > 0);
    if (!isLoaded || !row.stamp) return;
    const at = placeAfter((key) => compareKeys(key, row.key) < 0);
    entries.splice(at, 0, entryOf(row, row.stamp));
  }

  function remove(key: EventKey): void {
    const at = placeAfter((each) => compareKeys(each, key) < 0) - 1;
    const entry = entries[at];
    if (!entry || compareKeys(entry.key, key) !== 0) return;
    entries.splice(at, 1);
    wastedWords += entry.words;
  }

  return {
    search({ text, role, from, to, isOfSession }, after, limit) {
      const wanted = searchable(text);
      const probes = probesOf(wanted);
      const speaker = role && speakers[role];
      let judging = 0;
      const judge = (characters: number): void => {
        judging += READ_COST + characters / CHARACTERS_JUDGED_FOR_ONE;
      };
      const isWanted = (entry: Entry): boolean =>
        (speaker === undefined ? entry.speaker !== speakers.nobody : entry.speaker === speaker) &&
        mayContain(entry.block, entry.from, entry.words, probes) &&
        (isOfSession?.(entry.sessionId, judge) ?? true);
      const events: AgentEvent[] = [];
      let lookedTo = after;
      const isAhead = (key: EventKey): boolean =>
        (after === undefined || compareKeys(key, after) < 0) && (to === undefined || key[0] < to);
      let at = placeAfter(isAhead);
      for (let cost = 0; cost < SLICE_COST && events.length < limit; cost += TEST_COST) {
        while (at >= entries.length && !complete && cost < SLICE_COST) cost += load();
        const entry = entries[at++];
        if (!entry) {
          if (complete) return { events, lookedTo: undefined };
          break;
        }
        if (from !== undefined && entry.key[0] < from) return { events, lookedTo: undefined };
        if (after === undefined || compareKeys(entry.key, after) < 0) lookedTo = entry.key;
        judging = 0;
        const wantsIt = isAhead(entry.key) && isWanted(entry);
        cost += judging;
        if (!wantsIt) continue;
        const json = rows.json(entry.key[2]);
        if (json === undefined) continue;
        cost += READ_COST + json.length / CHARACTERS_READ_FOR_ONE;
        const event = readEvent(json);
        if (searchable(interactionOf(event)?.content ?? '').includes(wanted)) events.push(event);
      }
      return { events, lookedTo };
    },
    warm() {
      if (!complete) load();
      return !complete;
    },
    added: (rows) => rows.forEach(add),
    removed(keys) {
      if (keys.length > REMOVED_ONE_BY_ONE) forget();
      else keys.forEach(remove);
      if (wastedWords > WASTE_WORDS_MAX && wastedWords > usedWords / 2) forget();
    },
  };
}

function compareKeys(a: EventKey, b: EventKey): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] !== b[1]) return a[1] - b[1];
  return a[2] === b[2] ? 0 : a[2] < b[2] ? -1 : 1;
}
