import { type AgentEvent, type EventOf, isOfType } from '../protocol/event.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { SessionState } from '../protocol/stored.ts';
import { callWords } from './eventWords.ts';
import { providerFor } from './providers/registry.ts';
import { LABEL_MAX, shortText } from './text.ts';

const ENDED_KEPT = 64;

/** Of one message; more calls than this no model makes at once. */
const BATCH_MAX = 200;

type Ended = SessionState['ended'];

/** The calls that are over after an event, and whether it is the first to tell that one of them failed. */
export function stepCalls(ended: Ended, event: AgentEvent): { readonly ended: Ended; readonly failed: boolean } {
  switch (event.event_type) {
    case 'tool_succeeded':
      return { ended: over(ended, callIn(event), false), failed: false };
    case 'tool_failed':
      return failedCall(ended, callIn(event), event.payload.denied === true);
    case 'tool_batch_ended':
      return { ended: endedIn(event).reduce((list, id) => over(list, { id, tool: '' }, false), ended), failed: false };
    default:
      return { ended, failed: false };
  }
}

const COUNTED_KEPT = 64;

export interface CallCount {
  /** No earlier event was about this call. */
  readonly isNew: boolean;
  /** Marks of calls that were counted and are not open: later events with these marks are no new calls. */
  readonly counted: readonly string[];
}

/**
 * COL-6: counts a call at its first event: its start, or its end if the hook for starts is not installed. An end without an id belongs to
 * an open call of the same tool, or to one that was dropped while it was open.
 */
export function countCall({ agents: before, counted = [] }: SessionState, event: AgentEvent, after: Agents): CallCount {
  const mark = markOf(event);
  const open = before.flatMap(({ openTools }) => openTools);
  const isKnown = isOpenCall(before, event) || counted.includes(mark);
  const isNew = tellsOfCall(event) && !isKnown;
  const stillOpen = new Set(after.flatMap(({ openTools }) => openTools.map(({ id }) => id)));
  const forgotten = open.filter((call) => !stillOpen.has(call.id) && !(call.unnamed && endsByHook(event)));
  const marks = forgotten.map(({ id, unnamed, activity }) => (unnamed ? unnamedMark(activity.tool) : id));
  const own = isNew && callIn(event).id !== undefined && !stillOpen.has(mark) ? [mark] : [];
  const left = isKnown && endsByHook(event) && mark.startsWith(UNNAMED) ? without(counted, mark) : counted;
  return {
    isNew,
    counted: [...left, ...[...marks, ...own].filter((each) => !left.includes(each))].slice(-COUNTED_KEPT),
  };
}

type Agents = SessionState['agents'];

/** Prefix of the mark of a call without an id; no id begins with it. */
const UNNAMED = '?';

function unnamedMark(tool: string): string {
  return `${UNNAMED}${tool}`;
}

function markOf(event: AgentEvent): string {
  const { id, tool } = callIn(event);
  return id ?? (endsByHook(event) ? unnamedMark(tool) : '');
}

function without(list: readonly string[], one: string): readonly string[] {
  const place = list.indexOf(one);
  return list.filter((_, index) => index !== place);
}

function endsByHook(event: AgentEvent): boolean {
  return event.source === 'hook' && isOfType(event, 'tool_succeeded', 'tool_failed');
}

/** Does this event count as a call? Calls from a transcript were counted by their hooks, and a denied call never ran. */
function tellsOfCall(event: AgentEvent): boolean {
  if (event.event_type === 'tool_started') return true;
  return endsByHook(event) && !(event.event_type === 'tool_failed' && event.payload.denied === true);
}

function isOpenCall(agents: Agents, event: AgentEvent): boolean {
  const { id, tool } = callIn(event);
  if (id !== undefined) return agents.some(({ openTools }) => openTools.some((tool) => tool.id === id));
  if (!endsByHook(event)) return false;
  const own = agents.find(({ agent }) => agent.id === event.agent_id);
  return own?.openTools.some(({ activity }) => activity.tool === tool) ?? false;
}

interface Call {
  readonly id: string | undefined;
  readonly tool: string;
}

function callIn(event: AgentEvent): Call {
  const { tool_use_id: id, tool_name: tool } = callWords(event);
  return { id: shortText(id), tool: shortText(tool) ?? '' };
}

/** A No is no failure. What one source called done another may know to have failed (a shell command's exit code). */
function failedCall(ended: Ended, call: Call, denied: boolean): { ended: Ended; failed: boolean } {
  if (denied) return { ended: over(ended, call, false), failed: false };
  const known = ended.find(({ id }) => id === call.id);
  return { ended: over(ended, call, true), failed: !known?.failed };
}

function over(ended: Ended, { id, tool }: Call, failed: boolean): Ended {
  if (id === undefined) return ended;
  const known = ended.find((call) => call.id === id);
  if (known && (known.failed || !failed)) return ended;
  return [...ended.filter((call) => call !== known), { id, failed, tool: tool || (known?.tool ?? '') }].slice(
    -ENDED_KEPT,
  );
}

/** In the words of the newest version of its agent, whatever version told it. */
export function payloadOf({ provider, raw }: AgentEvent): JsonObject {
  return providerFor(provider).upgrade?.(raw) ?? raw;
}

/** What a call was given. */
export function inputIn(event: AgentEvent): Json | undefined {
  return payloadOf(event)[providerFor(event.provider).calls.input];
}

/** The calls that a batch tells to be over. */
export function endedIn({ payload: { ended = [] } }: EventOf<'tool_batch_ended'>): readonly string[] {
  return ended.slice(0, BATCH_MAX).map((id) => id.slice(0, LABEL_MAX));
}
