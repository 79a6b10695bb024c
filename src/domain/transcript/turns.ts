import type { TranscriptFact } from '../providers/transcript.ts';

/** A prompt that somebody typed, or what a turn ended with. */
export interface FoundSaying {
  readonly kind: 'prompt' | 'reply';
  /** Names the same saying for ever, also where more of it is found later. */
  readonly key: string;
  readonly ts: string;
  readonly text: string;
  readonly turn?: string | undefined;
  /** Nothing says that the turn ended with it, but the next that began. */
  readonly unsure?: true;
}

interface Message {
  readonly id: string;
  readonly ts: string;
  readonly text: string;
  readonly ends: boolean | undefined;
}

/** The text that a turn may turn out to have ended with. */
export interface Turns {
  readonly last: Message | undefined;
}

export const noTurns: Turns = { last: undefined };

interface TurnStep {
  readonly turns: Turns;
  readonly said: readonly FoundSaying[];
}

/** TRN-2, CNV-1: what was typed, and the text of the message that ended each turn; a failed or interrupted turn has none. */
export function stepTurns(turns: Turns, fact: TranscriptFact): TurnStep {
  switch (fact.kind) {
    case 'prompt':
      return { turns: noTurns, said: [...overdue(turns), ...typed(fact)] };
    case 'reply':
      return replied(turns, fact);
    case 'turnEnded':
      // Its words came before the hook of the turn's end, this line comes after it.
      return {
        turns: noTurns,
        said: fact.message === undefined ? [] : [ended(fact.id, turns.last?.ts ?? fact.ts, fact.message)],
      };
    case 'interrupted':
    case 'turnFailed':
      return { turns: noTurns, said: [] };
    default:
      return { turns, said: [] };
  }
}

/** Nothing follows: the last text ended the turn, also beside a call, and where older versions do not say so. */
export function overdue({ last }: Turns): readonly FoundSaying[] {
  return last && last.ends === undefined ? [{ ...ended(last.id, last.ts, last.text), unsure: true }] : [];
}

function typed({ id, ts, text, turn, synthetic }: Extract<TranscriptFact, { kind: 'prompt' }>): FoundSaying[] {
  return synthetic ? [] : [{ kind: 'prompt', key: `prompt:${id || ts}`, ts, text, turn }];
}

/** Of one message there may be several texts, a line for each. */
function replied({ last }: Turns, fact: Extract<TranscriptFact, { kind: 'reply' }>): TurnStep {
  const before = last?.id === fact.messageId ? last : undefined;
  const text = before ? `${before.text}\n${fact.text}` : fact.text;
  const message = { id: fact.messageId, ts: fact.ts, text, ends: fact.ends };
  return { turns: { last: message }, said: message.ends === true ? [ended(message.id, message.ts, text)] : [] };
}

function ended(id: string, ts: string, text: string): FoundSaying {
  return { kind: 'reply', key: `reply:${id || ts}`, ts, text };
}
