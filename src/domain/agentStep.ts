import type { AgentEvent } from '../protocol/event.ts';
import { type Activity, type Agent, type Mood, moods } from '../protocol/state.ts';
import type { AgentState } from '../protocol/stored.ts';
import { hash32 } from './hash.ts';
import { nameFor } from './names.ts';
import { oneLine, textIn } from './text.ts';

const SAYS_MAX = 240;

/** A denied or unknown tool never ends; what is older than this many calls has been forgotten by its agent too. */
const OPEN_KEPT = 64;

/** AGT-1: an agent unknown so far is registered by its first event. */
export function newAgent(event: AgentEvent, mainId: string, takenNames: readonly string[]): AgentState {
  const main = event.agent_id === mainId;
  const type = textIn(event, 'agent_type') ?? '';
  const agent: Agent = {
    id: event.agent_id,
    sessionId: event.session_id,
    parentId: main ? null : mainId,
    kind: main ? 'main' : 'subagent',
    name: nameFor(event.agent_id, takenNames),
    type,
    mood: 'arriving',
    moodSince: event.ts,
    present: true,
    avatarSeed: hash32(event.agent_id),
    employmentType: 'contractor',
    source: 'runtime_agent',
    wait: null,
    activity: null,
    says: null,
    startedAt: event.ts,
  };
  return { agent, openTools: [] };
}

/** What one of its own events does to an agent. An event that says nothing about it gives the same object back. */
export function stepAgent(state: AgentState, event: AgentEvent): AgentState {
  switch (event.event_type) {
    case 'session_started':
      return event.payload['source'] === 'compact' ? compacted(state) : rested(state, event, 'arriving');
    case 'session_ended':
      return gone(state, event.ts);
    case 'user_prompt':
      // An interrupt ends calls without a word; the prompt after it is the first to tell.
      return { ...settled(state, event, 'thinking', { says: null, activity: null }), openTools: [] };
    case 'turn_ended':
      return turnEnded(state, event);
    case 'tool_started':
      return toolStarted(state, event);
    case 'tool_succeeded':
    case 'tool_failed':
      return toolEnded(state, event);
    case 'agent_started':
      return rested(state, event, 'arriving', textIn(event, 'agent_type'));
    case 'agent_stopped':
      // A main agent ends with its session; a stop that names no sub-agent is one of an unknown sub-agent.
      return state.agent.kind === 'main' ? state : parted(state, event);
    case 'agent_blocked':
      return blocked(state, event, event.payload['wait'] === 'question' ? 'question' : 'permission');
    case 'agent_unblocked':
      return state.agent.wait === null ? state : settled(state, event, moodOfWork(state.openTools));
    case 'notification':
      return noticed(state, event);
    case 'heartbeat':
    case 'schema_error':
    case 'task_created':
    case 'task_started':
    case 'task_progress':
    case 'task_completed':
    case 'task_failed':
      return thought(state, event);
  }
}

/** An agent that nobody will hear of again. */
export function gone(state: AgentState, ts: string): AgentState {
  if (!state.agent.present && state.agent.mood === 'leaving') return state;
  return {
    agent: { ...state.agent, present: false, mood: 'leaving', moodSince: ts, wait: null, activity: null },
    openTools: [],
  };
}

/** Compaction goes on with the turn, but no dialog survives the command that began it. */
function compacted(state: AgentState): AgentState {
  const { wait, activity } = state.agent;
  if (wait === null && activity === null && state.openTools.length === 0) return state;
  const mood: Mood = wait === null ? state.agent.mood : 'thinking';
  return { agent: { ...state.agent, mood, wait: null, activity: null }, openTools: [] };
}

function parted(state: AgentState, event: AgentEvent): AgentState {
  const left = gone(state, event.ts);
  const said = saying(event);
  return said === undefined ? left : { ...left, agent: { ...left.agent, says: said } };
}

function rested(state: AgentState, event: AgentEvent, mood: Mood, type?: string): AgentState {
  return {
    agent: {
      ...state.agent,
      ...(type === undefined ? {} : { type }),
      ...moodNow(mood, event.ts),
      present: true,
      wait: null,
      activity: null,
      says: null,
    },
    openTools: [],
  };
}

/** Its own activity ends its own wait: an answer given in the terminal fires no hook of its own. */
function settled(state: AgentState, event: AgentEvent, mood: Mood, changes: Partial<Agent> = {}): AgentState {
  return {
    ...state,
    agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait: null, ...changes },
  };
}

function turnEnded(state: AgentState, event: AgentEvent): AgentState {
  const failed = event.payload['reason'] === 'failed';
  const mood: Mood = failed ? 'hurt' : 'celebrating';
  const ended = settled(state, event, mood, { activity: null, says: saying(event) ?? state.agent.says });
  return { ...ended, openTools: [] };
}

function toolStarted(state: AgentState, event: AgentEvent): AgentState {
  const mood = moodIn(event);
  const activity: Activity = {
    tool: textIn(event, 'tool_name') ?? '',
    mood,
    since: event.ts,
    target: textIn(event, 'target'),
  };
  const id = textIn(event, 'tool_use_id') ?? event.id;
  const openTools = [...state.openTools.filter((tool) => tool.id !== id), { id, activity }].slice(-OPEN_KEPT);
  return { ...settled(state, event, mood, { activity, ...bubble(event) }), openTools };
}

function toolEnded(state: AgentState, event: AgentEvent): AgentState {
  const openTools = withoutCall(state.openTools, event);
  const failed = event.event_type === 'tool_failed';
  const activity = openTools.at(-1)?.activity ?? null;
  // A result that comes after the turn ended, or after the agent left, must not wake it.
  const over = state.agent.activity === null && state.openTools.length === 0;
  if (over && state.agent.wait === null) return thought(state, event);
  if (isOthersWait(state, event)) return { agent: { ...state.agent, activity, ...bubble(event) }, openTools };
  const mood = failed ? 'hurt' : moodOfWork(openTools);
  return { ...settled(state, event, mood, { activity, ...bubble(event) }), openTools };
}

/** STA-7: a call that runs beside the one that waits answers nothing. */
function isOthersWait({ agent }: AgentState, event: AgentEvent): boolean {
  const call = agent.wait?.toolUseId;
  return call !== undefined && call !== textIn(event, 'tool_use_id');
}

function withoutCall(open: AgentState['openTools'], event: AgentEvent): AgentState['openTools'] {
  const id = textIn(event, 'tool_use_id');
  if (id !== undefined) return open.filter((tool) => tool.id !== id);
  const name = textIn(event, 'tool_name');
  const index = open.findIndex((tool) => tool.activity.tool === name);
  return index < 0 ? open : open.toSpliced(index, 1);
}

function blocked(state: AgentState, event: AgentEvent, kind: 'permission' | 'question'): AgentState {
  const mood: Mood = kind === 'question' ? 'asking' : 'waiting';
  const wait = {
    kind,
    since: event.ts,
    tool: textIn(event, 'tool_name'),
    target: textIn(event, 'target'),
    message: textIn(event, 'message'),
    toolUseId: textIn(event, 'tool_use_id') ?? askingCall(state, event),
  } as const;
  return { ...state, agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait } };
}

/** A permission request does not say for which call it is; of the open ones it is the last with this tool and target. */
function askingCall(state: AgentState, event: AgentEvent): string | undefined {
  const [tool, target] = [textIn(event, 'tool_name'), textIn(event, 'target')];
  return state.openTools.findLast(({ activity }) => activity.tool === tool && activity.target === target)?.id;
}

/** NRM-8: the same wait comes again as a notification, seconds later and without its tool; the first telling stays. */
function noticed(state: AgentState, event: AgentEvent): AgentState {
  switch (event.payload['notification_type']) {
    case 'permission_prompt':
    case 'agent_needs_input':
      return state.agent.wait === null ? blocked(state, event, 'permission') : state;
    case 'elicitation_dialog':
      return state.agent.wait === null ? blocked(state, event, 'question') : state;
    case 'elicitation_response':
      return state.agent.wait === null ? state : settled(state, event, moodOfWork(state.openTools));
    default:
      return thought(state, event);
  }
}

function thought(state: AgentState, event: AgentEvent): AgentState {
  const said = bubble(event);
  return said.says === undefined ? state : { ...state, agent: { ...state.agent, ...said } };
}

function bubble(event: AgentEvent): { says?: string } {
  return event.thinking_text === undefined ? {} : { says: oneLine(event.thinking_text, SAYS_MAX) };
}

function saying(event: AgentEvent): string | undefined {
  const message = textIn(event, 'message', SAYS_MAX * 4);
  return message === undefined ? undefined : oneLine(message, SAYS_MAX);
}

function moodNow(mood: Mood, ts: string): Pick<Agent, 'mood' | 'moodSince'> {
  return { mood, moodSince: ts };
}

function moodOfWork(open: AgentState['openTools']): Mood {
  return open.at(-1)?.activity.mood ?? 'thinking';
}

function moodIn(event: AgentEvent): Mood {
  const mood = event.payload['mood'];
  return moods.find((known) => known === mood) ?? 'thinking';
}
