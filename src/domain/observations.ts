import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Json } from '../protocol/json.ts';
import type { ToolObservation } from '../protocol/reading.ts';
import { isMain } from './agentIds.ts';
import { answerText } from './answerText.ts';
import { endedIn, inputIn, payloadOf } from './calls.ts';
import type { CallEnd, CallEvent } from './eventWords.ts';
import { hashHex } from './hash.ts';
import type { CallFields } from './providers/provider.ts';
import { providerFor } from './providers/registry.ts';
import { cutText, shortText } from './text.ts';

/** CNV-1: of a call's input, of its answer and of its error. */
export const OBSERVED_MAX = 10_000;

/** A denied call never ends; what is older than so many others is waited for no more. */
const OPEN_KEPT = 64;
/** The same end is told by hook and transcript, moments apart. */
const ENDED_KEPT = 48;
/** Enough to tell some hundred calls apart, and short enough for a cursor. */
const MARK_LENGTH = 10;

/** The calls that have begun and not ended, and those that ended last: all that is needed to go on in the middle. */
export interface CallsSoFar {
  readonly open: readonly string[];
  readonly ended: readonly string[];
  /** The mark of the turn that goes on, where its agent names its turns. */
  readonly turn?: string | undefined;
}

export const noCallsYet: CallsSoFar = { open: [], ended: [] };

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Observed = Writable<Omit<ToolObservation, 'metadata'>> & {
  metadata: { error?: string; exitCode?: number; interrupted?: true; rawRemoved?: true; cut?: Record<string, number> };
};

interface Open {
  readonly mark: string;
  /** Undefined: its beginning is on an earlier page, or was cut off this one. */
  readonly observed?: Observed | undefined;
  readonly isMain?: boolean;
}

export interface ObservationReader {
  /** In order. With `isOpen` false what begins here is on another page, and only what ends is looked at. */
  take(event: AgentEvent, isOpen: boolean): void;
  /** Whether a call of this page has begun of which nothing told yet how it ended. */
  readonly waits: boolean;
  /** Where the next page takes up, after the last event that was taken. */
  soFar(): CallsSoFar;
  readonly count: number;
  /** Oldest first. `isOver`: nothing can tell any more how those ended that seem to go on. */
  items(isOver: boolean): readonly ToolObservation[];
  /** Those that something was told of since this was asked last; for whoever goes on for days with the same reader. */
  news(): readonly ToolObservation[];
  /** CNV-4: the ids of those that something was told of, since this was asked last, that may not be kept. */
  takenBack(): readonly string[];
  /** Keeps of what ended no more than the marks; for whoever waits for more to be told. */
  letGo(): void;
  /** The mark of a call that something was told of, and that is not known here: it began before where this reader took up, or was let go of. */
  readonly missed: string | undefined;
}

/** CNV-1: what was begun and ended by separate events, put together; told twice, it is one. */
export function readObservations(before: CallsSoFar): ObservationReader {
  const items: Observed[] = [];
  const touched = new Set<Observed>();
  const takenBack = new Set<string>();
  const open: Open[] = before.open.map((mark) => ({ mark }));
  const ended = new Map<string, Observed | undefined>(before.ended.map((mark) => [mark, undefined]));
  let turn = before.turn;
  let missed: string | undefined;

  function begin(event: EventOf<'tool_started'>): void {
    const mark = callMark(event);
    const isNamed = shortText(event.payload.tool_use_id) !== undefined;
    // A hook that is installed twice tells each call twice.
    if (isNamed && (ended.has(mark) || open.some((call) => call.mark === mark))) return;
    const observed = begun(event);
    items.push(observed);
    tell(observed, event);
    open.push({ mark, observed, isMain: isMain(event) });
    if (open.length > OPEN_KEPT) giveUp(open.shift());
  }

  function tell(observed: Observed, event: AgentEvent): void {
    touched.add(observed);
    if (event.payload.unlogged === true) takenBack.add(observed.id);
  }

  function giveUp(call: Open | undefined): void {
    if (call?.observed?.outcome !== 'running') return;
    call.observed.outcome = 'unknown';
    touched.add(call.observed);
  }

  function end(event: CallEnd, isOpen: boolean): void {
    const mark = callMark(event);
    const place = open.findIndex((call) => call.mark === mark);
    const [call] = place < 0 ? [] : open.splice(place, 1);
    const isNamed = shortText(event.payload.tool_use_id) !== undefined;
    const again = !call && isNamed && ended.has(mark);
    let observed = call ? call.observed : ended.get(mark);
    if (!call && !again) {
      if (!isOpen) return;
      observed = begun(event);
      items.push(observed);
    }
    if (observed) {
      addEnd(observed, event, call !== undefined);
      tell(observed, event);
    } else missed ??= mark;
    if (isNamed) remember(mark, observed);
  }

  function remember(mark: string, observed: Observed | undefined): void {
    ended.delete(mark);
    ended.set(mark, observed);
    const oldest = ended.size > ENDED_KEPT ? ended.keys().next().value : undefined;
    if (oldest !== undefined) ended.delete(oldest);
  }

  /** What goes on after a call without telling its end: it is not known, though it may still be told. */
  function passOver(isMeant: (call: Open) => boolean): void {
    for (const call of open) if (call.observed && isMeant(call)) giveUp(call);
  }

  function overAll(): void {
    turn = undefined;
    passOver(() => true);
  }

  /** A prompt that steers the turn that goes on (Codex takes one in mid-turn) ends nothing of it. */
  function steers(event: EventOf<'user_prompt'>): boolean {
    if (event.payload.synthetic === true) return true;
    if (!isMain(event)) return false;
    const id = shortText(event.payload.turn);
    const before = turn;
    turn = id && marked(id);
    return turn !== undefined && turn === before;
  }

  function batchOver(event: EventOf<'tool_batch_ended'>): void {
    for (const id of endedIn(event)) {
      const call = open.find(({ mark }) => mark === markOfId(id));
      // Whatever ran has been told by a hook of its own before.
      if (!call) continue;
      if (!call.observed) {
        missed ??= call.mark;
        continue;
      }
      call.observed.outcome = 'denied';
      tell(call.observed, event);
      addAnswer(call.observed, event, callsOf(event).batchAnswer?.(payloadOf(event), id));
    }
  }

  return {
    items: (isOver) =>
      items.map((each) => (isOver && each.outcome === 'running' ? { ...each, outcome: 'unknown' } : each)),
    news: () => {
      const news = [...touched].map((each) => ({ ...each }));
      touched.clear();
      items.length = 0;
      return news;
    },
    takenBack: () => {
      const ids = [...takenBack];
      takenBack.clear();
      return ids;
    },
    letGo() {
      for (const mark of ended.keys()) ended.set(mark, undefined);
    },
    get missed() {
      return missed;
    },
    get count() {
      return items.length;
    },
    take(event, isOpen) {
      switch (event.event_type) {
        case 'tool_started':
          return isOpen ? begin(event) : undefined;
        case 'tool_succeeded':
        case 'tool_failed':
          return end(event, isOpen);
        case 'user_prompt':
          return steers(event) ? undefined : passOver((call) => belongs(call, event));
        case 'turn_ended':
          if (isMain(event)) turn = undefined;
          return passOver((call) => belongs(call, event));
        case 'agent_stopped':
          return passOver((call) => belongs(call, event));
        case 'session_started':
          return event.payload.source === 'compact' ? undefined : overAll();
        case 'session_ended':
          return overAll();
        case 'tool_batch_ended':
          return batchOver(event);
        default:
          return undefined;
      }
    },
    get waits() {
      return open.some(({ observed }) => observed?.outcome === 'running');
    },
    soFar: () => ({ open: open.map(({ mark }) => mark), ended: [...ended.keys()], turn }),
  };
}

/** A call of the main agent is over with its turn, a sub-agent's with the sub-agent. */
function belongs({ observed, isMain: byMain }: Open, event: AgentEvent): boolean {
  return isMain(event) ? byMain === true : observed?.agentId === event.agent_id;
}

/** By the call's id; some agents give none, then the oldest open one of that tool is meant. */
function callMark(event: CallEvent): string {
  const id = shortText(event.payload.tool_use_id);
  return id === undefined ? marked(`${event.agent_id}\n${shortText(event.payload.tool_name) ?? ''}`) : markOfId(id);
}

function markOfId(id: string): string {
  return marked(`id\n${id}`);
}

function marked(text: string): string {
  return hashHex(text).slice(-MARK_LENGTH);
}

function begun(event: CallEvent): Observed {
  const observed: Observed = {
    id: event.id,
    sessionId: event.session_id,
    agentId: event.agent_id,
    skillName: shortText(event.payload.tool_name) ?? '',
    arguments: '',
    target: shortText(event.payload.target) ?? null,
    response: null,
    outcome: 'running',
    durationMs: null,
    metadata: {},
    ts: event.ts,
  };
  addInput(observed, event);
  return observed;
}

function callsOf({ provider }: AgentEvent): CallFields {
  return providerFor(provider).calls;
}

function addInput(observed: Observed, event: AgentEvent): void {
  noteRemoved(observed, event);
  const input = inputIn(event);
  if (input === undefined) return;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  observed.arguments = cut(observed, 'arguments', text);
}

function addEnd(observed: Observed, event: CallEnd, hasBegun: boolean): void {
  noteRemoved(observed, event);
  const outcome = outcomeOf(event);
  // What one source called done another may know to have failed; what never ran did neither.
  if (observed.outcome !== 'failed' && observed.outcome !== 'denied') observed.outcome = outcome;
  observed.target ??= shortText(event.payload.target) ?? null;
  observed.durationMs = event.payload.duration_ms ?? observed.durationMs ?? timeSince(observed, event, hasBegun);
  if (observed.arguments === '') addInput(observed, event);
  addAnswer(observed, event, payloadOf(event)[callsOf(event).answer]);
  if (event.event_type === 'tool_failed') addFailure(observed, event);
}

function outcomeOf(event: CallEnd): 'succeeded' | 'denied' | 'failed' {
  if (event.event_type === 'tool_succeeded') return 'succeeded';
  return event.payload.denied === true ? 'denied' : 'failed';
}

function timeSince(observed: Observed, event: AgentEvent, hasBegun: boolean): number | null {
  // The time of a call that never ran was the person's own.
  if (!hasBegun || observed.outcome === 'denied') return null;
  const ms = Date.parse(event.ts) - Date.parse(observed.ts);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function addAnswer(observed: Observed, event: AgentEvent, answer: Json | undefined): void {
  const text = answerText(answer, callsOf(event).words);
  if (text !== undefined && observed.response === null) observed.response = cut(observed, 'response', text);
}

function addFailure(observed: Observed, event: EventOf<'tool_failed'>): void {
  const { error } = payloadOf(event);
  const message = typeof error === 'string' && error !== '' ? error : shortText(event.payload.error_message, Infinity);
  // A transcript's word on it is the poorer one.
  if (message !== undefined && (observed.metadata.error === undefined || event.source === 'hook'))
    observed.metadata.error = cut(observed, 'error', message);
  const { exit_code: exitCode = null } = event.payload;
  if (exitCode !== null) observed.metadata.exitCode = exitCode;
  if (event.payload.interrupt === true) observed.metadata.interrupted = true;
  // The error is what the tool answered, where it did not answer anything else.
  if (observed.response === null && event.source === 'hook' && typeof error === 'string')
    addAnswer(observed, event, error);
}

function noteRemoved(observed: Observed, event: AgentEvent): void {
  if (event.raw_removed === true) observed.metadata.rawRemoved = true;
}

/** Never through the middle of a letter; how long it was stands beside it. */
function cut(observed: Observed, field: string, text: string): string {
  if (text.length <= OBSERVED_MAX) return text;
  observed.metadata.cut = { ...observed.metadata.cut, [field]: text.length };
  // A part that engines keep as a place in the whole text would keep all of that.
  return JSON.parse(JSON.stringify(cutText(text, OBSERVED_MAX))) as string;
}
