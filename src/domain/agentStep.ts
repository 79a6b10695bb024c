import type { AgentEvent } from '../protocol/event.ts';
import { type Activity, type Agent, type Corrector, correctors, type Mood, moods } from '../protocol/state.ts';
import type { AgentState, OpenTool } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { endedIn } from './calls.ts';
import { hash32 } from './hash.ts';
import { nameFor } from './names.ts';
import { isTurnDone } from './phase.ts';
import { oneLine, textIn } from './text.ts';

const SAYS_MAX = 240;
const PATH_MAX = 4096;

/** A denied or unknown tool never ends; what is older than this many calls has been forgotten by its agent too. */
const OPEN_KEPT = 64;

/** AGT-1: an agent unknown so far is registered by its first event. */
export function newAgent(event: AgentEvent, mainId: string, takenNames: readonly string[]): AgentState {
  const main = isMain(event);
  const type = textIn(event, 'agent_type') ?? '';
  const agent: Agent = {
    id: event.agent_id,
    sessionId: event.session_id,
    parentId: main ? null : mainId,
    kind: main ? 'main' : 'subagent',
    name: ownName(event) ?? nameFor(event.agent_id, takenNames),
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
    task: textIn(event, 'task') ?? null,
    team: textIn(event, 'agent_team') ?? null,
    background: false,
    talksTo: null,
    startedAt: event.ts,
  };
  return { agent, openTools: [], seenAt: event.ts, ...(main ? {} : unlogged(event)) };
}

/** The name that the sender gave a sub-agent; undefined if it gave none, and then we make one up. */
function ownName(event: AgentEvent): string | undefined {
  return isMain(event) ? undefined : textIn(event, 'agent_name');
}

function unlogged({ payload }: AgentEvent): Pick<OpenTool, 'unlogged'> {
  return payload['unlogged'] === true ? { unlogged: true } : {};
}

/** What one of its own events does to an agent. */
export function stepAgent(state: AgentState, event: AgentEvent): AgentState {
  const next = named(stepped(state, event), event);
  const seenAt = event.ts > state.seenAt ? event.ts : state.seenAt;
  const transcript = state.agent.kind === 'main' ? undefined : textIn(event, 'transcript_path', PATH_MAX);
  return { ...next, seenAt, ...(transcript === undefined ? {} : { transcript }) };
}

/** Sets name and team, which may arrive after the agent was registered. */
function named(state: AgentState, event: AgentEvent): AgentState {
  const name = ownName(event) ?? state.agent.name;
  const team = textIn(event, 'agent_team') ?? state.agent.team;
  if (name === state.agent.name && team === state.agent.team) return state;
  return { ...state, agent: { ...state.agent, name, team } };
}

function stepped(state: AgentState, event: AgentEvent): AgentState {
  switch (event.event_type) {
    case 'session_started':
      // A session that was only seen in its transcript tells nothing of what its agent does.
      if (event.payload['source'] === 'seen') return state.agent.present ? state : rested(state, event, 'resting');
      return event.payload['source'] === 'compact' ? compacted(state) : rested(state, event, 'arriving');
    case 'session_ended':
      return gone(state, event.ts);
    case 'user_prompt':
      if (event.payload['steers'] === true) return settled(state, event, moodOfWork(state.openTools));
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
      return started(state, event);
    case 'agent_stopped':
      return stopped(state, event);
    case 'agent_blocked':
      return blocked(state, event, event.payload['wait'] === 'question' ? 'question' : 'permission');
    case 'agent_unblocked':
      // A record for readers: what it tells of has cleared the wait itself.
      return event.payload['derived'] === true ? state : unblocked(state, event);
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
    ...state,
    agent: { ...state.agent, present: false, mood: 'leaving', moodSince: ts, wait: null, activity: null },
    openTools: [],
  };
}

/** Its request is answered or void; the work it was asked for goes on. */
export function unblocked(state: AgentState, event: AgentEvent): AgentState {
  const { wait } = state.agent;
  return wait === null ? state : settled(state, event, moodOfWork(state.openTools));
}

/** A main agent ends with its session, or with its process; a stop that names no sub-agent is one of an unknown sub-agent. */
function stopped(state: AgentState, event: AgentEvent): AgentState {
  if (state.agent.kind === 'main') return event.payload['reason'] === 'process_gone' ? gone(state, event.ts) : state;
  // A team-mate waits for its next message.
  if (state.agent.kind === 'teammate') return spoken(rested(state, event, 'resting'), event);
  return parted(state, event);
}

/** Compaction goes on with the turn, but no dialog survives the command that began it. */
function compacted(state: AgentState): AgentState {
  const { wait, activity } = state.agent;
  if (wait === null && activity === null && state.openTools.length === 0) return state;
  const mood: Mood = wait === null ? state.agent.mood : 'thinking';
  return { ...state, agent: { ...state.agent, mood, wait: null, activity: null }, openTools: [] };
}

function parted(state: AgentState, event: AgentEvent): AgentState {
  return spoken(gone(state, event.ts), event);
}

function spoken(state: AgentState, event: AgentEvent): AgentState {
  const words = saying(event);
  return words === undefined ? state : { ...state, agent: { ...state.agent, says: words } };
}

function rested(state: AgentState, event: AgentEvent, mood: Mood, type?: string): AgentState {
  return {
    ...state,
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

function started(state: AgentState, event: AgentEvent): AgentState {
  const arrived = rested(state, event, 'arriving', textIn(event, 'agent_type'));
  return { ...arrived, agent: { ...arrived.agent, task: textIn(event, 'task') ?? arrived.agent.task } };
}

/** Its own activity ends its own wait: an answer given in the terminal fires no hook of its own. */
function settled(state: AgentState, event: AgentEvent, mood: Mood, changes: Partial<Agent> = {}): AgentState {
  return {
    ...state,
    agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait: null, ...changes },
  };
}

const moodAfter: Readonly<Record<string, Mood>> = { completed: 'celebrating', failed: 'hurt' };

function turnEnded(state: AgentState, event: AgentEvent): AgentState {
  const reason = isTurnDone(event) ? 'completed' : (textIn(event, 'reason') ?? '');
  // STA-5: a sub-agent whose model call fails sends no stop of its own.
  if (reason === 'failed' && state.agent.kind === 'subagent') return parted(state, event);
  // It has left: its hooks overtook each other.
  if (state.agent.kind === 'subagent' && !state.agent.present) return spoken(state, event);
  const idle = state.agent.activity === null && state.agent.wait === null && state.openTools.length === 0;
  const mood: Mood = (Object.hasOwn(moodAfter, reason) ? moodAfter[reason] : undefined) ?? 'resting';
  // The same end told again, by another source, is nothing new.
  if (reason !== 'completed' && idle && state.agent.mood !== 'thinking') return state;
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
  const own = textIn(event, 'tool_use_id');
  const id = own ?? event.id;
  const tool = {
    id,
    activity,
    ...(own === undefined ? { unnamed: true } : {}),
    ...spawning(event),
    ...unlogged(event),
  };
  const openTools = [...state.openTools.filter((open) => open.id !== id), tool].slice(-OPEN_KEPT);
  return { ...settled(state, event, mood, { activity, ...bubble(event) }), openTools };
}

function spawning(event: AgentEvent): Pick<OpenTool, 'spawn'> {
  if (event.payload['spawn_type'] === undefined) return {};
  return { spawn: { type: textIn(event, 'spawn_type') ?? '', task: textIn(event, 'spawn_task') } };
}

function toolEnded(state: AgentState, event: AgentEvent): AgentState {
  const call = callOf(state.openTools, event);
  const openTools = state.openTools.filter(({ id }) => id !== call);
  const failed = event.event_type === 'tool_failed';
  const activity = openTools.at(-1)?.activity ?? null;
  // A result that comes after the turn ended, or after the agent left, must not wake it.
  const over = state.agent.activity === null && state.openTools.length === 0;
  if (over && state.agent.wait === null) return thought(state, event);
  if (isOthersWait(state, call, event))
    return { ...state, agent: { ...state.agent, activity, ...bubble(event) }, openTools };
  const mood = failed ? 'hurt' : moodOfWork(openTools);
  return { ...settled(state, event, mood, { activity, ...bubble(event) }), openTools };
}

/** STA-7: a call that runs beside the one that waits answers nothing. */
function isOthersWait({ agent }: AgentState, call: string | undefined, event: AgentEvent): boolean {
  const { wait } = agent;
  if (wait === null || wait.inferred) return false;
  if (wait.toolUseId !== undefined) return wait.toolUseId !== call;
  const tool = textIn(event, 'tool_name') ?? '';
  // What a server asks (an elicitation) ends with one of the servers' own calls.
  return wait.tool === undefined ? wait.kind === 'question' && !tool.startsWith('mcp__') : wait.tool !== tool;
}

/** Some agents give their calls no ids: then it is the oldest open one of that tool. */
function callOf(open: AgentState['openTools'], event: AgentEvent): string | undefined {
  const name = textIn(event, 'tool_name');
  return textIn(event, 'tool_use_id') ?? open.find(({ activity }) => activity.tool === name)?.id;
}

function blocked(
  state: AgentState,
  event: AgentEvent,
  kind: 'permission' | 'question',
  inferred = event.payload['inferred'] === true,
): AgentState {
  // Who only guesses adds nothing to what the agent itself has said.
  if (inferred && state.agent.wait !== null) return state;
  const mood: Mood = kind === 'question' ? 'asking' : 'waiting';
  const wait = {
    kind,
    since: event.ts,
    tool: textIn(event, 'tool_name'),
    target: textIn(event, 'target'),
    message: textIn(event, 'message'),
    toolUseId: textIn(event, 'tool_use_id') ?? askingCall(state, event),
    source: event.source,
    by: correctorIn(event),
    inferred: inferred || undefined,
  } as const;
  return { ...state, agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait } };
}

/** A permission request does not say for which call it is; of the open ones it is the last with this tool and target. */
function askingCall(state: AgentState, event: AgentEvent): string | undefined {
  const [tool, target] = [textIn(event, 'tool_name'), textIn(event, 'target')];
  return state.openTools.findLast(({ activity }) => activity.tool === tool && activity.target === target)?.id;
}

/** NRM-8: a wait comes again as a notification, seconds later and without its tool; what is open already stays as it is. */
function noticed(state: AgentState, event: AgentEvent): AgentState {
  const kind = waitNotice(event);
  if (kind) return state.agent.wait === null ? blocked(state, openCallNamed(state, event), kind, true) : state;
  if (event.payload['notification_type'] === 'elicitation_response') return unblocked(state, event);
  if (event.payload['notification_type'] === 'tool_batch') return batchEnded(state, event);
  if (event.payload['notification_type'] === 'model_call') return modelCalled(state, event);
  if (event.payload['notification_type'] === 'compacting') return compacted(state);
  return thought(state, event);
}

/** Which kind of wait a notification tells of, if it tells of one. */
export function waitNotice(event: AgentEvent): 'permission' | 'question' | undefined {
  switch (event.payload['notification_type']) {
    case 'permission_prompt':
    case 'agent_needs_input':
      return 'permission';
    case 'elicitation_dialog':
      return 'question';
    default:
      return undefined;
  }
}

/** The notification names no tool: it is the call that is open. */
function openCallNamed(state: AgentState, event: AgentEvent): AgentEvent {
  const call = askedCall(state.openTools);
  if (!call) return event;
  const { tool, target } = call.activity;
  const named = { tool_name: tool, tool_use_id: call.id, ...(target === undefined ? {} : { target }) };
  return { ...event, payload: { ...event.payload, ...named } };
}

/** A call that starts an agent runs while that one asks; any other open call is more likely the one that is asked for. */
export function askedCall(open: AgentState['openTools']): OpenTool | undefined {
  return open.findLast(({ activity }) => activity.mood !== 'delegating') ?? open.at(-1);
}

/** All calls of one message are over, the denied ones too, of which nothing else tells. */
function batchEnded(state: AgentState, event: AgentEvent): AgentState {
  const ended = new Set(endedIn(event));
  const openTools = state.openTools.filter(({ id }) => !ended.has(id));
  const answers =
    state.agent.wait !== null && (state.agent.wait.toolUseId === undefined || ended.has(state.agent.wait.toolUseId));
  if (openTools.length === state.openTools.length && !answers) return state;
  const activity = openTools.at(-1)?.activity ?? null;
  if (state.agent.wait !== null && !answers) return { ...state, agent: { ...state.agent, activity }, openTools };
  return { ...settled(state, event, moodOfWork(openTools), { activity }), openTools };
}

/** The model works: whatever was asked before has been answered. A command may go on meanwhile. */
function modelCalled(state: AgentState, event: AgentEvent): AgentState {
  const mood = moodOfWork(state.openTools);
  return state.agent.mood === mood && state.agent.wait === null ? state : settled(state, event, mood);
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

function correctorIn(event: AgentEvent): Corrector | undefined {
  return correctors.find((known) => known === event.payload['by']);
}

function moodIn(event: AgentEvent): Mood {
  const mood = event.payload['mood'];
  return moods.find((known) => known === mood) ?? 'thinking';
}
