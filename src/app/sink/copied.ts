import { hashHex } from '../../domain/hash.ts';
import type { CallsSoFar } from '../../domain/observations.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { OrderKey, SessionState } from '../../protocol/stored.ts';

/** A place in a session where no call was open: from there on it can be read without what came before. */
export interface Quiet {
  readonly key: OrderKey;
  readonly calls: CallsSoFar;
}

/** How far a session has been copied: kept beside the events, and moved only after the COMMIT. */
export interface CopiedTo {
  readonly key: OrderKey;
  /** How many events it had up to there: more of them now came late. */
  readonly count: number;
  readonly quiet?: Quiet | undefined;
  /** Where it has to be copied again: the database had it up to here before. */
  readonly hadTo?: OrderKey | undefined;
  /** Marks of the session's row, and of what the person did not want to be kept of it. */
  readonly row: string;
  readonly unlogged: string;
}

/** Enough to know again a call that two sources tell, moments apart. */
const ENDED_KEPT = 12;

export function copiedJson({ key, count, quiet, hadTo, row, unlogged }: CopiedTo): Json {
  const kept = quiet && {
    key: quiet.key,
    calls: {
      open: quiet.calls.open,
      ended: quiet.calls.ended.slice(-ENDED_KEPT),
      ...(quiet.calls.turn === undefined ? {} : { turn: quiet.calls.turn }),
    },
  };
  return { key, count, row, unlogged, ...(kept ? { quiet: kept } : {}), ...(hadTo ? { hadTo } : {}) };
}

/** Written by nobody else; what an older version wrote and can't be used is as good as nothing. */
export function copiedOf(value: Json | undefined): CopiedTo | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['key']) || typeof value['count'] !== 'number') return undefined;
  return value as unknown as CopiedTo;
}

export function unloggedMark(state: Pick<SessionState, 'unlogged'> | undefined): string {
  const spans = (state?.unlogged ?? []).map(({ from, to, isPrivate, turn }) => [from, to, isPrivate, turn]);
  return spans.length > 0 ? hashHex(JSON.stringify(spans)) : '';
}
