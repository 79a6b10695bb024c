import { hashHex } from '../../domain/hash.ts';
import type { CallsSoFar } from '../../domain/observations.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { OrderKey, SessionState } from '../../protocol/stored.ts';

/** A place in a session where no call was open: from there on it can be read without what came before. */
export interface Quiet {
  readonly key: OrderKey;
  /** How many events were read up to there. */
  readonly count: number;
  readonly calls: CallsSoFar;
}

/** How far a session has been copied: kept beside the events, and moved only after the COMMIT. */
export interface CopiedTo {
  readonly key: OrderKey;
  /** How many events were read up to there: with more of them now some came late, with fewer retention took some. */
  readonly count: number;
  readonly quiet?: Quiet | undefined;
  /** Where it has to be copied again: the database had it up to here before. */
  readonly hadTo?: OrderKey | undefined;
  /** Marks of the session's row, and of what the person did not want to be kept of it up to there. */
  readonly row: string;
  readonly unlogged: string;
  /** Nothing more is expected of the session, so time alone changes nothing of that row. */
  readonly isFinal?: boolean | undefined;
}

/** Enough to know again a call that two sources tell, moments apart. */
const ENDED_KEPT = 12;

export function copiedJson({ key, count, quiet, hadTo, row, unlogged, isFinal }: CopiedTo): Json {
  const kept = quiet && {
    key: quiet.key,
    count: quiet.count,
    calls: {
      open: quiet.calls.open,
      ended: quiet.calls.ended.slice(-ENDED_KEPT),
      ...(quiet.calls.turn === undefined ? {} : { turn: quiet.calls.turn }),
    },
  };
  const also = { ...(kept ? { quiet: kept } : {}), ...(hadTo ? { hadTo } : {}), ...(isFinal ? { isFinal } : {}) };
  return { key, count, row, unlogged, ...also };
}

/** Written by nobody else; what an older version wrote and can't be used is as good as nothing. */
export function copiedOf(value: Json | undefined): CopiedTo | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['key']) || typeof value['count'] !== 'number') return undefined;
  const copied = value as unknown as CopiedTo;
  return copied.quiet && typeof copied.quiet.count !== 'number' ? { ...copied, quiet: undefined } : copied;
}

/** Of the times that began by this moment, as they were then: whatever lies beyond is still to be read. */
export function unloggedMark(spans: SessionState['unlogged'], upTo: OrderKey | undefined): string {
  const ts = upTo?.ts ?? '';
  const passed = (spans ?? [])
    .filter(({ from }) => from <= ts)
    .map(({ from, to, isPrivate, turn }) => [from, to !== undefined && to <= ts ? to : undefined, isPrivate, turn]);
  return passed.length > 0 ? hashHex(JSON.stringify(passed)) : '';
}
