import { type AgentEvent, type EventOf, isOfType } from '../protocol/event.ts';
import type { AgentState, SessionState } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { staysOver, stepAgents } from './agentsStep.ts';
import { countCall, stepCalls } from './calls.ts';
import { stepDigest } from './digest.ts';
import { heardAfter } from './heard.ts';
import { kinIn, withKin } from './kin.ts';
import { docsAfter } from './loadedDocs.ts';
import { orderKey } from './order.ts';
import { providerFor } from './providers/registry.ts';
import { isTurnDone, nextTurnPhase, type TurnSignal, turnSignal } from './phase.ts';
import { causeOf, newSession, stepSession } from './sessionStep.ts';
import { shortText } from './text.ts';
import { stepTrail } from './trail.ts';
import { spansAfter } from './unlogged.ts';

/** Raised when the same events give another state: stored sessions are then made anew. */
export const REDUCER_VERSION = 14;

/** One event, in order, into its session. Total and pure: any event of this session gives a legal state. */
export function reduceSession(before: SessionState | undefined, event: AgentEvent): SessionState {
  const state = before ?? emptyState(event);
  if (isPassedOver(state, event)) return { ...state, last: orderKey(event) };
  const over = staysOver(state, event);
  const kin = [...withKin(state.kin, kinIn(event))];
  const calls = stepCalls(state.ended, event);
  const agents = [...addressed(carriedOn(stepAgents(state, event, kin), event), event)];
  const main = over ? state.main : stepMain(state, event, agents);
  const { isNew, counted } = countCall(state, event, agents);
  const session = stepSession(state, event, { agents, main, failed: calls.failed, newCall: isNew });
  const next = {
    session,
    agents,
    main,
    kin,
    ended: calls.ended,
    counted: counted.length === 0 ? undefined : [...counted],
    ...notes(state, event, agents),
    digest: stepDigest({ digest: state.digest, session, agents: state.agents }, event),
    last: orderKey(event),
  };
  return { ...next, trail: stepTrail(state, next, event) };
}

/** What is no news of this session, though it bears its name. */
function isPassedOver(state: SessionState, event: AgentEvent): boolean {
  return isOlderReading(state, event) || isEndOfAnother(state, event);
}

/** Two readings of one file may bear the same moment: the further one stands. */
function isOlderReading({ read }: SessionState, event: AgentEvent): boolean {
  // A file that was replaced is added up anew.
  if (event.event_type !== 'usage_reported' || event.payload.anew === true) return false;
  const told = readUpTo(event);
  return told !== undefined && read?.path === told.path && told.offset < read.offset;
}

/** A session may go on in another process (resumed in a second terminal) before the first one ends. */
function isEndOfAnother({ session }: SessionState, event: AgentEvent): boolean {
  if (event.event_type !== 'session_ended' || providerFor(session.provider).sharesProcess) return false;
  const pid = event.payload.agent_pid;
  const elsewhere = shortText(event.payload.host) !== session.host;
  return !elsewhere && pid !== undefined && session.agentPid !== undefined && pid !== session.agentPid;
}

/** A process begins to run this session: it may have been run by another one before. */
function beginsRun(event: AgentEvent): boolean {
  return event.event_type === 'session_started' && event.source === 'hook' && event.payload.source !== 'compact';
}

/** What only later events and the correctors ask for. */
function notes(state: SessionState, event: AgentEvent, agents: SessionState['agents']) {
  const signal = turnSignal(event, isMain(event));
  const works =
    event.source === 'hook' && isMain(event) && (signal === 'prompted' || signal === 'worked' || signal === 'resulted');
  const waits = (list: SessionState['agents']) => list.filter(({ agent }) => agent.wait !== null).length;
  return {
    read: (event.event_type === 'usage_reported' ? readUpTo(event) : undefined) ?? state.read,
    unsaid: unsaidAfter(state.unsaid, event),
    worked: works ? event.ts : state.worked,
    answered: waits(agents) < waits(state.agents) ? event.ts : state.answered,
    compacting: isMain(event) && signal !== 'nothing' ? isAskedCompaction(event) : state.compacting,
    begun: beginsRun(event) ? event.ts : state.begun,
    turn: event.event_type === 'user_prompt' ? shortText(event.payload.turn) : state.turn,
    unlogged: spansAfter(state.unlogged, event),
    heard: heardAfter(state.heard, event),
    foundReplies: foundRepliesAfter(state, event),
    loadedDocs: docsAfter(state.loadedDocs, event),
  };
}

/** The state that a whole session's events lead to; they must be in order. */
export function reduceAll(events: readonly AgentEvent[], from?: SessionState): SessionState | undefined {
  return events.reduce<SessionState | undefined>(reduceSession, from);
}

function emptyState(event: AgentEvent): SessionState {
  return {
    session: newSession(event),
    agents: [],
    main: { phase: null, because: null, since: null },
    kin: [],
    ended: [],
    trail: [],
    last: orderKey(event),
  };
}

function stepMain(state: SessionState, event: AgentEvent, agents: SessionState['agents']): SessionState['main'] {
  const byMain = isMain(event);
  const signal = mainSignal(state, event, byMain);
  const next = nextTurnPhase(state.main.phase, signal);
  // A session known only from its sub-agents' events is busy while one of them is present.
  const phase = next === 'busy' && !agents.some(({ agent }) => agent.present) ? null : next;
  const anew = signal === 'prompted' || isAskedCompaction(event);
  if (phase === state.main.phase && (phase === null || !anew)) return state.main;
  // A minute of silence is told late: the turn has been over since it ended.
  const since = signal === 'leftIdle' && state.main.phase === 'interactable' ? state.main.since : event.ts;
  const failure = signal === 'leftIdle' ? state.main.because?.failure : failureOf(event);
  return { phase, because: { ...causeOf(event), failure }, since };
}

/** The longest path that the systems we run on take. */
const PATH_MAX = 4096;

function readUpTo({ payload }: EventOf<'usage_reported'>): SessionState['read'] {
  const { offset, counted = [] } = payload;
  const path = shortText(payload.path, PATH_MAX);
  if (path === undefined || offset === undefined) return undefined;
  return {
    path,
    offset,
    counted: [...counted],
    tokensIn: payload.tokens_in ?? 0,
    tokensOut: payload.tokens_out ?? 0,
    tokensCached: payload.tokens_cached ?? 0,
    prompts: payload.prompts ?? 0,
    firstPrompt: shortText(payload.first_prompt),
    title: shortText(payload.title_told),
    titleByPerson: payload.title_by_person === true || undefined,
    began: shortText(payload.began),
    ...(payload.private_turns === true ? { privateTurns: true } : {}),
  };
}

/** TRN-2: some agents do not say at a turn's end what they said last. */
function unsaidAfter(before: string | undefined, event: AgentEvent): string | undefined {
  if (isOfType(event, 'last_reply_found', 'user_prompt')) return undefined;
  if (event.event_type !== 'turn_ended' || !isTurnDone(event) || !isMain(event)) return before;
  return shortText(event.payload.message) === undefined ? event.ts : undefined;
}

/** Counted already, and perhaps told again by the hooks of the turn's ends. */
function foundRepliesAfter({ foundReplies = 0 }: SessionState, event: AgentEvent): number | undefined {
  if (event.event_type === 'reply_found') return foundReplies + 1;
  if (event.event_type === 'prompt_found' || (event.event_type === 'user_prompt' && isMain(event))) return undefined;
  const isTold = isTurnDone(event) && isMain(event);
  return Math.max(0, isTold ? foundReplies - 1 : foundReplies) || undefined;
}

function mainSignal(state: SessionState, event: AgentEvent, byMain: boolean): TurnSignal {
  const signal = turnSignal(event, byMain);
  if (event.event_type === 'tool_started' && hasEnded(state, shortText(event.payload.tool_use_id))) return 'nothing';
  // A sub-agent's prompt begins no turn of the agent that started it.
  if (event.event_type === 'user_prompt' && !byMain) return 'helped';
  // TRN-4: without hooks a transcript does not tell whose move it is.
  if (event.source === 'transcript' && state.session.seenIn === 'transcript') return 'nothing';
  // The person asked for the compaction, so with it ends the turn.
  return state.compacting && byMain && (signal === 'compacted' || event.event_type === 'compaction_ended')
    ? 'ended'
    : signal;
}

function isAskedCompaction(event: AgentEvent): boolean {
  return event.event_type === 'compaction_started' && event.payload.trigger === 'manual';
}

function hasEnded({ ended }: SessionState, call: string | undefined): boolean {
  return call !== undefined && ended.some(({ id }) => id === call);
}

function failureOf(event: AgentEvent): string | undefined {
  if (event.event_type !== 'turn_ended' || event.payload.reason !== 'failed') return undefined;
  return shortText(event.payload.error) ?? 'unknown';
}

/** NRM-6: after `/clear` the new session's main agent has the look and the name of the old one's. */
function carriedOn(agents: SessionState['agents'], event: AgentEvent): SessionState['agents'] {
  if (event.event_type !== 'session_continued') return agents;
  const { seed } = event.payload;
  const name = shortText(event.payload.name);
  if (seed === undefined || name === undefined) return agents;
  return agents.map((state) =>
    state.agent.kind === 'main' ? { ...state, agent: { ...state.agent, avatarSeed: seed, name } } : state,
  );
}

/** Who writes to whom: an agent addresses a team-mate by its name, and its leader by one of these. */
const leaderNames = new Set(['team-lead', 'leader', 'lead', 'main']);

function addressed(agents: SessionState['agents'], event: AgentEvent): SessionState['agents'] {
  const to = event.event_type === 'tool_started' ? shortText(event.payload.talks_to) : undefined;
  const target = to === undefined ? undefined : agentCalled(agents, to);
  if (!target || target.agent.id === event.agent_id) return agents;
  return agents.map((state) =>
    state.agent.id === event.agent_id
      ? { ...state, agent: { ...state.agent, talksTo: { id: target.agent.id, at: event.ts } } }
      : state,
  );
}

export function agentCalled(agents: readonly AgentState[], name: string): AgentState | undefined {
  if (leaderNames.has(name)) return agents.find(({ agent }) => agent.kind === 'main');
  return agents.find(({ agent }) => agent.name === name) ?? agents.find(({ agent }) => agent.type === name);
}
