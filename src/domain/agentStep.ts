import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Activity, Agent, Mood } from '../protocol/state.ts';
import type { AgentState, OpenTool } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { endedIn } from './calls.ts';
import { agentType, type CallEnd, type CallWords, callWords } from './eventWords.ts';
import { hash32 } from './hash.ts';
import { nameFor } from './names.ts';
import { isTurnDone } from './phase.ts';
import { oneLine, shortText } from './text.ts';

const SAYS_MAX = 240;
const PATH_MAX = 4096;

/** A denied or unknown tool never ends; what is older than this many calls has been forgotten by its agent too. */
const OPEN_KEPT = 64;

/** AGT-1: an agent unknown so far is registered by its first event. */
export function newAgent(event: AgentEvent, mainId: string, takenNames: readonly string[]): AgentState {
  const main = isMain(event);
  const type = shortText(agentType(event)) ?? '';
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
    task: (event.event_type === 'agent_started' ? shortText(event.payload.task) : undefined) ?? null,
    team: shortText(event.payload.agent_team) ?? null,
    background: false,
    talksTo: null,
    startedAt: event.ts,
  };
  return { agent, openTools: [], seenAt: event.ts, ...(main ? {} : unlogged(event)) };
}

/** The name that the sender gave a sub-agent; undefined if it gave none, and then we make one up. */
function ownName(event: AgentEvent): string | undefined {
  return isMain(event) ? undefined : shortText(event.payload.agent_name);
}

function unlogged({ payload }: AgentEvent): Pick<OpenTool, 'unlogged'> {
  return payload.unlogged === true ? { unlogged: true } : {};
}

/** What one of its own events does to an agent. `steers`: it is a prompt of the turn that goes on, and ends no call. */
export function stepAgent(state: AgentState, event: AgentEvent, steers = false): AgentState {
  const next = named(steers ? settled(state, event, moodOfWork(state.openTools)) : stepped(state, event), event);
  const seenAt = event.ts > state.seenAt ? event.ts : state.seenAt;
  const transcript = state.agent.kind === 'main' ? undefined : shortText(event.payload.transcript_path, PATH_MAX);
  return { ...next, seenAt, ...(transcript === undefined ? {} : { transcript }) };
}

/** Sets name and team, which may arrive after the agent was registered. */
function named(state: AgentState, event: AgentEvent): AgentState {
  const name = ownName(event) ?? state.agent.name;
  const team = shortText(event.payload.agent_team) ?? state.agent.team;
  if (name === state.agent.name && team === state.agent.team) return state;
  return { ...state, agent: { ...state.agent, name, team } };
}

function stepped(state: AgentState, event: AgentEvent): AgentState {
  switch (event.event_type) {
    case 'session_started':
      // A session that was only seen in its transcript tells nothing of what its agent does.
      if (event.payload.source === 'seen') return state.agent.present ? state : rested(state, event, 'resting');
      return event.payload.source === 'compact' ? compacted(state) : rested(state, event, 'arriving');
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
      return started(state, event);
    case 'agent_stopped':
      return stopped(state, event);
    case 'agent_blocked':
      return requested(state, event);
    case 'agent_unblocked':
      // A record for readers: what it tells of has cleared the wait itself.
      return event.payload.derived === true ? state : unblocked(state, event);
    case 'notification':
      return noticed(state, event);
    case 'tool_batch_ended':
      return batchEnded(state, event);
    case 'model_called':
      return modelCalled(state, event);
    case 'compaction_started':
      return compacted(state);
    default:
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
function stopped(state: AgentState, event: EventOf<'agent_stopped'>): AgentState {
  if (state.agent.kind === 'main') return event.payload.reason === 'process_gone' ? gone(state, event.ts) : state;
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

function parted(state: AgentState, event: EventOf<'agent_stopped' | 'turn_ended'>): AgentState {
  return spoken(gone(state, event.ts), event);
}

function spoken(state: AgentState, event: EventOf<'agent_stopped' | 'turn_ended'>): AgentState {
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

function started(state: AgentState, event: EventOf<'agent_started'>): AgentState {
  const arrived = rested(state, event, 'arriving', shortText(event.payload.agent_type));
  return { ...arrived, agent: { ...arrived.agent, task: shortText(event.payload.task) ?? arrived.agent.task } };
}

/** Its own activity ends its own wait: an answer given in the terminal fires no hook of its own. */
function settled(state: AgentState, event: AgentEvent, mood: Mood, changes: Partial<Agent> = {}): AgentState {
  return {
    ...state,
    agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait: null, ...changes },
  };
}

const moodAfter: Readonly<Record<string, Mood>> = { completed: 'celebrating', failed: 'hurt' };

function turnEnded(state: AgentState, event: EventOf<'turn_ended'>): AgentState {
  const reason = isTurnDone(event) ? 'completed' : (shortText(event.payload.reason) ?? '');
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

function toolStarted(state: AgentState, event: EventOf<'tool_started'>): AgentState {
  const { mood = 'thinking' } = event.payload;
  const activity: Activity = {
    tool: shortText(event.payload.tool_name) ?? '',
    mood,
    since: event.ts,
    target: shortText(event.payload.target),
  };
  const own = shortText(event.payload.tool_use_id);
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

function spawning({ payload }: EventOf<'tool_started'>): Pick<OpenTool, 'spawn'> {
  if (payload.spawn_type === undefined) return {};
  return { spawn: { type: shortText(payload.spawn_type) ?? '', task: shortText(payload.spawn_task) } };
}

function toolEnded(state: AgentState, event: CallEnd): AgentState {
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
function isOthersWait({ agent }: AgentState, call: string | undefined, event: CallEnd): boolean {
  const { wait } = agent;
  if (wait === null || wait.inferred) return false;
  if (wait.toolUseId !== undefined) return wait.toolUseId !== call;
  const tool = shortText(event.payload.tool_name) ?? '';
  // What a server asks (an elicitation) ends with one of the servers' own calls.
  return wait.tool === undefined ? wait.kind === 'question' && !tool.startsWith('mcp__') : wait.tool !== tool;
}

/** Some agents give their calls no ids: then it is the oldest open one of that tool. */
function callOf(open: AgentState['openTools'], event: CallEnd): string | undefined {
  const name = shortText(event.payload.tool_name);
  return shortText(event.payload.tool_use_id) ?? open.find(({ activity }) => activity.tool === name)?.id;
}

/** The agent, or somebody who guesses, says that it waits for the person. */
function requested(state: AgentState, event: EventOf<'agent_blocked'>): AgentState {
  const kind = event.payload.wait === 'question' ? 'question' : 'permission';
  return blocked(state, event, { kind, call: event.payload, inferred: event.payload.inferred === true });
}

interface Request {
  readonly kind: 'permission' | 'question';
  readonly call: CallWords;
  readonly inferred: boolean;
}

function blocked(
  state: AgentState,
  event: EventOf<'agent_blocked' | 'notification'>,
  { kind, call, inferred }: Request,
): AgentState {
  // Who only guesses adds nothing to what the agent itself has said.
  if (inferred && state.agent.wait !== null) return state;
  const mood: Mood = kind === 'question' ? 'asking' : 'waiting';
  const [tool, target] = [shortText(call.tool_name), shortText(call.target)];
  const wait = {
    kind,
    since: event.ts,
    tool,
    target,
    message: shortText(event.payload.message),
    toolUseId: shortText(call.tool_use_id) ?? askingCall(state, tool, target),
    source: event.source,
    by: event.payload.by,
    inferred: inferred || undefined,
  } as const;
  return { ...state, agent: { ...state.agent, ...moodNow(mood, event.ts), present: true, wait } };
}

/** A permission request does not say for which call it is; of the open ones it is the last with this tool and target. */
function askingCall(state: AgentState, tool: string | undefined, target: string | undefined): string | undefined {
  return state.openTools.findLast(({ activity }) => activity.tool === tool && activity.target === target)?.id;
}

/** NRM-8: a wait comes again as a notification, seconds later and without its tool; what is open already stays as it is. */
function noticed(state: AgentState, event: EventOf<'notification'>): AgentState {
  const kind = waitNotice(event);
  if (kind && state.agent.wait !== null) return state;
  if (kind) return blocked(state, event, { kind, call: openCallWords(state, event), inferred: true });
  return event.payload.notification_type === 'elicitation_response' ? unblocked(state, event) : thought(state, event);
}

/** Which kind of wait a notification tells of, if it tells of one. */
export function waitNotice(event: AgentEvent): 'permission' | 'question' | undefined {
  if (event.event_type !== 'notification') return undefined;
  switch (event.payload.notification_type) {
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
function openCallWords(state: AgentState, event: EventOf<'notification'>): CallWords {
  const call = askedCall(state.openTools);
  if (!call) return callWords(event);
  const { tool, target } = call.activity;
  return { tool_name: tool, tool_use_id: call.id, ...(target === undefined ? {} : { target }) };
}

/** A call that starts an agent runs while that one asks; any other open call is more likely the one that is asked for. */
export function askedCall(open: AgentState['openTools']): OpenTool | undefined {
  return open.findLast(({ activity }) => activity.mood !== 'delegating') ?? open.at(-1);
}

/** All calls of one message are over, the denied ones too, of which nothing else tells. */
function batchEnded(state: AgentState, event: EventOf<'tool_batch_ended'>): AgentState {
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

function saying(event: EventOf<'agent_stopped' | 'turn_ended'>): string | undefined {
  const message = shortText(event.payload.message, SAYS_MAX * 4);
  return message === undefined ? undefined : oneLine(message, SAYS_MAX);
}

function moodNow(mood: Mood, ts: string): Pick<Agent, 'mood' | 'moodSince'> {
  return { mood, moodSince: ts };
}

function moodOfWork(open: AgentState['openTools']): Mood {
  return open.at(-1)?.activity.mood ?? 'thinking';
}
