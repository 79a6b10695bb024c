import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { hashHex } from './hash.ts';
import { shortText } from './text.ts';

/** More prompts and ends of turns than pass between a line of a transcript and somebody who reads it. */
const HEARD_KEPT = 24;

/** Two prompts that begin with the same so many letters are one, where the time fits too. */
const MARKED_LENGTH = 2_000;

type Heard = NonNullable<SessionState['heard']>[number];

/** What hooks told of the conversation last, so that whoever finds the same in the transcript knows it. */
export function heardAfter(before: SessionState['heard'], event: AgentEvent): SessionState['heard'] {
  if (event.source !== 'hook' || !isMain(event)) return before;
  const heard = heardIn(event);
  return heard === undefined ? before : [...(before ?? []), heard].slice(-HEARD_KEPT);
}

function heardIn(event: AgentEvent): Heard | undefined {
  if (event.event_type === 'turn_ended') return { kind: 'end', ts: event.ts };
  if (event.event_type !== 'user_prompt') return undefined;
  const [prompt, turn] = [shortText(event.payload.prompt, MARKED_LENGTH), shortText(event.payload.turn)];
  return {
    kind: 'prompt',
    ts: event.ts,
    ...(prompt === undefined ? {} : { mark: promptMark(prompt) }),
    ...(turn === undefined ? {} : { turn }),
    ...(event.payload.synthetic === true ? { synthetic: true } : {}),
  };
}

/** The text as it is stored: masked. */
export function promptMark(prompt: string): string {
  return hashHex(prompt.trim().slice(0, MARKED_LENGTH).trim());
}

export interface FoundPrompt {
  readonly ts: string;
  readonly mark: string;
  /** The agent's own id of the turn. */
  readonly turn?: string | undefined;
  /** The last prompt that hooks told of before it, which is another one. */
  readonly after?: string | undefined;
}

export function foundPromptIn({ ts, payload: { prompt = '', turn, after } }: EventOf<'prompt_found'>): FoundPrompt {
  return { ts, mark: promptMark(prompt), turn: shortText(turn), after: shortText(after) };
}

/** Other people's hooks may hold a prompt up before its line is written; clocks differ a little. */
const LINE_LATE_MS = 120_000;
const LINE_EARLY_MS = 5_000;

/** The prompt of a hook that this one, found in a transcript, tells again. */
export function promptHeard(heard: SessionState['heard'], found: FoundPrompt): Heard | undefined {
  return heard?.findLast((each) => each.kind === 'prompt' && each.synthetic !== true && isSame(each, found));
}

function isSame(heard: Heard, { ts, mark, turn, after }: FoundPrompt): boolean {
  if (after !== undefined && heard.ts <= after) return false;
  if (turn !== undefined && heard.turn !== undefined) return turn === heard.turn;
  const late = Date.parse(ts) - Date.parse(heard.ts);
  // A prompt of which nothing is kept is known by its time alone.
  return late >= -LINE_EARLY_MS && late <= LINE_LATE_MS && (heard.mark === undefined || heard.mark === mark);
}

/** Whether hooks told how the turn ended that a reply of this moment belongs to. */
export function endHeard(heard: SessionState['heard'], ts: string): boolean {
  return heard?.find((each) => each.ts >= ts)?.kind === 'end';
}
