import { type AgentEvent, type EventOf, isOfType } from '../protocol/event.ts';
import type { Mood } from '../protocol/state.ts';
import type { SessionEventType } from '../protocol/sessionEvent.ts';
import type { Story, StoryKind, StoryNews, StoryStep, TouchedFile } from '../protocol/story.ts';
import { waitNotice } from './agentStep.ts';
import { type CallEnd, type CallEvent, callWords, workItem } from './eventWords.ts';
import { sessionEventOf } from './sessionEvents.ts';
import { LABEL_MAX, oneLine, shortText } from './text.ts';

export const STORY_STEPS = 40;
export const STORY_FILES = 40;
/** Of an agent that others have left behind: its own card has something to tell too. */
const STEPS_OF_EACH = 12;
const STEPS_MAX = 200;
const TEXT_MAX = 200;
const OPEN_MAX = 200;

interface OpenCall {
  readonly id: string | undefined;
  readonly agentId: string;
  readonly tool: string;
  readonly mood: Mood | undefined;
  readonly target: string | undefined;
}

/**
 * The story that these events tell, oldest first. A call is told when it is over: what goes on is seen on the mascot, and a
 * call that was denied never ends.
 */
export function storyOf(sessionId: string, events: readonly AgentEvent[]): Story {
  const steps: StoryStep[] = [];
  const files = new Map<string, TouchedFile>();
  const open: OpenCall[] = [];
  const heldBack = new Set<string>();
  for (const event of events) {
    if (event.event_type === 'tool_started') {
      open.push(callIn(event));
      if (open.length > OPEN_MAX) open.shift();
      continue;
    }
    const isEnd = isOfType(event, 'tool_succeeded', 'tool_failed');
    const step = isEnd ? endStep(event, takeCall(open, event)) : stepOf(event);
    const id = shortText(callWords(event).tool_use_id) ?? '';
    if (step?.news === 'edit_denied') heldBack.add(id);
    // That it was denied is told already, and why.
    if (event.event_type === 'tool_failed' && event.payload.denied === true && heldBack.has(id)) continue;
    if (step === undefined || isToldAgain(steps.at(-1), step)) continue;
    steps.push(step);
    noteFile(files, step);
  }
  return {
    sessionId,
    steps: newest(steps),
    files: [...files.values()].slice(-STORY_FILES).reverse(),
  };
}

/** Newest first: the last of all, and the last of each agent. */
function newest(steps: readonly StoryStep[]): StoryStep[] {
  const counts = new Map<string, number>();
  return steps
    .toReversed()
    .filter(({ agentId }, place) => {
      const count = (counts.get(agentId) ?? 0) + 1;
      counts.set(agentId, count);
      return place < STORY_STEPS || count <= STEPS_OF_EACH;
    })
    .slice(0, STEPS_MAX);
}

function callIn(event: CallEvent): OpenCall {
  return {
    id: shortText(event.payload.tool_use_id),
    agentId: event.agent_id,
    tool: shortText(event.payload.tool_name) ?? '',
    mood: event.payload.mood,
    target: shortText(event.payload.target),
  };
}

/** The call that ended; some agents give theirs no ids, then it is the oldest open one of that tool. */
function takeCall(open: OpenCall[], event: CallEnd): OpenCall {
  const end = callIn(event);
  const place = open.findIndex((call) =>
    end.id === undefined ? call.agentId === end.agentId && call.tool === end.tool : call.id === end.id,
  );
  const [call] = place < 0 ? [] : open.splice(place, 1);
  return { ...end, mood: call?.mood ?? end.mood, target: call?.target ?? end.target, tool: call?.tool ?? end.tool };
}

function endStep(event: CallEnd, { tool, mood, target }: OpenCall): StoryStep {
  const news = newsOf(event);
  const error = event.event_type === 'tool_failed' ? shortText(event.payload.error_message, TEXT_MAX * 4) : undefined;
  return {
    ...told(event, event.event_type === 'tool_failed' ? 'tool_failed' : 'tool', error),
    tool,
    ...(mood === undefined ? {} : { mood }),
    ...(target === undefined ? {} : { target }),
    ...(news === undefined ? {} : { news }),
  };
}

/** Whatever else is worth a line; undefined for the rest. */
function stepOf(event: AgentEvent): StoryStep | undefined {
  switch (event.event_type) {
    case 'session_started':
      if (event.payload.source === 'compact') return newsStep(event);
      return told(event, 'session_started', shortText(event.payload.source));
    case 'session_ended':
      return told(event, 'session_ended', shortText(event.payload.reason));
    case 'user_prompt':
      if (event.payload.synthetic === true) return undefined;
      return told(event, 'prompt', shortText(event.payload.prompt, TEXT_MAX * 4));
    case 'turn_ended':
      return turnStep(event);
    case 'agent_started':
    case 'agent_stopped':
      return told(event, event.event_type, shortText(event.payload.agent_type));
    case 'agent_blocked':
      return waitStep(event);
    case 'agent_unblocked':
      return event.payload.derived === true ? undefined : told(event, 'answered');
    case 'task_started':
    case 'task_completed':
    case 'task_failed': {
      const title = shortText(event.payload.title);
      return title === undefined ? undefined : { ...told(event, 'task', title), tool: event.event_type };
    }
    case 'notification':
      return waitNotice(event) === undefined ? undefined : waitStep(event);
    default:
      return newsStep(event);
  }
}

/** EVT-1: the words of a session's story that are told here, too; edits are told as the calls that they are. */
const newsByType: Readonly<Partial<Record<SessionEventType, StoryNews>>> = {
  work_start: 'work_start',
  work_end: 'work_done',
  dependency_resolved: 'dependency_resolved',
  untracked_edit: 'edit_untracked',
  guard_gap: 'guard_gap',
  decision: 'decision',
  escalation: 'escalation',
  build_failed: 'build_failed',
  test_failed: 'test_failed',
  quality_warning: 'quality_warning',
  context_overflow: 'context_overflow',
  checkpoint_created: 'checkpoint_created',
  compact: 'compact',
  context_loaded: 'context_loaded',
};

function newsOf(event: AgentEvent): StoryNews | undefined {
  const told = sessionEventOf(event, () => true);
  if (told?.details['decision'] === 'denied') return 'edit_denied';
  if (told?.details['status'] === 'cancelled') return 'work_cancelled';
  return told && newsByType[told.event_type];
}

function newsStep(event: AgentEvent): StoryStep | undefined {
  const news = newsOf(event);
  if (news === undefined) return undefined;
  const target = shortText(callWords(event).target);
  const tool = shortText(callWords(event).tool_name);
  return {
    ...told(event, 'message', newsText(event)),
    news,
    ...(tool === undefined ? {} : { tool }),
    ...(target === undefined ? {} : { target }),
  };
}

/** What older panels say of it, and newer ones where it is somebody's own words. */
function newsText(event: AgentEvent): string | undefined {
  switch (event.event_type) {
    case 'usage_reported':
      return usedText(event) ?? sessionEventOf(event, () => true)?.summary;
    case 'work_started':
    case 'work_ended':
    case 'dependency_resolved':
      return shortText(event.payload.title) ?? workItem(event);
    case 'decision':
    case 'escalation':
      return shortText(event.payload.summary, TEXT_MAX * 4) ?? workItem(event);
    default:
      return workItem(event) ?? sessionEventOf(event, () => true)?.summary;
  }
}

function usedText({ payload }: EventOf<'usage_reported'>): string | undefined {
  const { context_used: used, context_window: window = 0 } = payload;
  if (used === undefined) return undefined;
  return window > 0 ? `${Math.round((used / window) * 100)}%` : `${Math.round(used / 1_000)}k`;
}

function turnStep(event: EventOf<'turn_ended'>): StoryStep {
  const reason = shortText(event.payload.reason);
  if (reason === 'failed') return told(event, 'turn_failed', shortText(event.payload.error));
  if (reason === 'interrupted') return told(event, 'interrupted');
  return told(event, 'turn_ended', shortText(event.payload.message, TEXT_MAX * 4));
}

function waitStep(event: EventOf<'agent_blocked' | 'notification'>): StoryStep {
  const tool = shortText(event.payload.tool_name);
  const target = shortText(event.payload.target);
  return {
    ...told(event, 'waits', shortText(event.payload.message, TEXT_MAX * 4)),
    mood: isQuestion(event) ? 'asking' : 'waiting',
    ...(tool === undefined ? {} : { tool }),
    ...(target === undefined ? {} : { target }),
  };
}

function isQuestion(event: EventOf<'agent_blocked' | 'notification'>): boolean {
  return event.payload.wait === 'question' || waitNotice(event) === 'question';
}

function told({ id, ts, agent_id: agentId }: AgentEvent, kind: StoryKind, text?: string): StoryStep {
  const line = text === undefined ? '' : oneLine(text, TEXT_MAX);
  return { id, ts, agentId, kind, ...(line === '' ? {} : { text: line }) };
}

const SAME_MS = 10_000;
/** NRM-8: these are told by more than one source, seconds apart. */
const toldTwice: ReadonlySet<StoryKind> = new Set([
  'waits',
  'turn_ended',
  'turn_failed',
  'interrupted',
  'session_ended',
]);

function isToldAgain(before: StoryStep | undefined, step: StoryStep): boolean {
  if (before === undefined || !toldTwice.has(step.kind)) return false;
  if (before.kind !== step.kind || before.agentId !== step.agentId) return false;
  return Date.parse(step.ts) - Date.parse(before.ts) < SAME_MS;
}

/** A path, and no command or pattern: what a reading or writing tool is about. */
function noteFile(files: Map<string, TouchedFile>, { kind, mood, target, ts, agentId }: StoryStep): void {
  if (kind !== 'tool' || target === undefined || (mood !== 'reading' && mood !== 'writing')) return;
  if (target.length >= LABEL_MAX || /[\n\0]/.test(target)) return;
  const change = mood === 'writing' || files.get(target)?.change === 'written' ? 'written' : 'read';
  // Taken out first: a map keeps the place of what is set again.
  files.delete(target);
  files.set(target, { path: target, change, at: ts, agentId });
}
