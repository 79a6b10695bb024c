import type { AgentEvent } from '../protocol/event.ts';
import type { Agent, Cause, Phase, Session } from '../protocol/state.ts';
import type { AgentState, SessionState } from '../protocol/stored.ts';
import { gone, newAgent, stepAgent } from './agentStep.ts';
import { lifeTable } from './life.ts';
import { orderKey } from './order.ts';
import { nextTurnPhase, turnSignal } from './phase.ts';
import { oneLine, textIn } from './text.ts';

/** Raised when the same events give another state: stored sessions are then made anew. */
export const REDUCER_VERSION = 2;

const TITLE_MAX = 80;

/** The longest path that the systems we run on take. */
const PATH_MAX = 4096;

/** Departed sub-agents that are still listed with their session. */
const GONE_KEPT = 32;

/** One event, in order, into its session. Total and pure: any event of this session gives a legal state. */
export function reduceSession(before: SessionState | undefined, event: AgentEvent): SessionState {
  const state = before ?? newSession(event);
  const mainId = `${event.session_id}/main`;
  const teammates = withTeammate(state.teammates, event);
  const agents = markTeammates(stepAgents(state, event, mainId), teammates);
  const main = stepMain(state, event, event.agent_id === mainId);
  const session = stepSession(state, event, agents, main);
  return { session, agents, main, teammates, last: orderKey(event) };
}

/** The state that a whole session's events lead to; they must be in order. */
export function reduceAll(events: readonly AgentEvent[], from?: SessionState): SessionState | undefined {
  return events.reduce<SessionState | undefined>(reduceSession, from);
}

function newSession(event: AgentEvent): SessionState {
  const session: Session = {
    id: event.session_id,
    provider: event.provider,
    state: 'active',
    phase: null,
    phaseBecause: null,
    phaseSince: null,
    cwd: '',
    project: event.project?.path ?? '',
    worktree: event.project?.worktree,
    workspace: event.workspace_id,
    title: '',
    model: '',
    permissionMode: '',
    source: '',
    startedAt: event.ts,
    lastEventAt: event.ts,
    counts: { prompts: 0, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
  };
  return {
    session,
    agents: [],
    main: { phase: null, because: null, since: null },
    teammates: [],
    last: orderKey(event),
  };
}

function withTeammate(teammates: SessionState['teammates'], event: AgentEvent): SessionState['teammates'] {
  const id = textIn(event, 'teammate');
  const known = id === undefined || teammates.includes(`${event.session_id}/${id}`);
  return known ? teammates : [...teammates, `${event.session_id}/${id}`];
}

function markTeammates(agents: SessionState['agents'], teammates: SessionState['teammates']): SessionState['agents'] {
  const unmarked = ({ agent }: AgentState) => agent.kind === 'subagent' && teammates.includes(agent.id);
  if (!agents.some(unmarked)) return agents;
  return agents.map((state) => (unmarked(state) ? { ...state, agent: { ...state.agent, kind: 'teammate' } } : state));
}

function stepAgents(state: SessionState, event: AgentEvent, mainId: string): SessionState['agents'] {
  // A late word of anyone revives nobody: only what revives the session does.
  if (state.session.state === 'completed' && lifeTable.completed[event.event_type] === 'completed') return state.agents;
  const agents = [...state.agents];
  // A notification never says whose wait it repeats: while anybody waits, it is that one's.
  if (event.event_type === 'notification' && urgentWait(agents) && isWaitNotice(event)) return agents;
  const known = agents.findIndex(({ agent }) => agent.id === event.agent_id);
  if (known >= 0) {
    const current = agents[known];
    if (current) agents[known] = stepAgent(current, event);
  } else if (mayAppear(state, event, mainId)) {
    agents.push(
      stepAgent(
        newAgent(
          event,
          mainId,
          agents.map(({ agent }) => agent.name),
        ),
        event,
      ),
    );
  }
  return forgetLongGone(retire(agents, event, mainId));
}

function isWaitNotice(event: AgentEvent): boolean {
  const type = event.payload['notification_type'];
  return type === 'permission_prompt' || type === 'agent_needs_input' || type === 'elicitation_dialog';
}

/** Nobody appears by ending, after the session's end, or by warming up before the first prompt (2.0.77 does, three times). */
function mayAppear(state: SessionState, event: AgentEvent, mainId: string): boolean {
  if (event.agent_id === mainId) return event.event_type !== 'session_ended';
  if (event.event_type === 'agent_stopped') return false;
  const warmingUp = state.session.source === 'startup' && state.session.counts.prompts === 0;
  return !(event.event_type === 'agent_started' && warmingUp);
}

/** Sub-agents end with their session, and with the turn unless it says that they go on in the background. */
function retire(agents: readonly AgentState[], event: AgentEvent, mainId: string): AgentState[] {
  const whole = event.event_type === 'session_ended';
  const turn = event.event_type === 'turn_ended' && event.agent_id === mainId;
  if (!whole && !turn) return [...agents];
  const background = backgroundOf(event);
  return agents.map((state) => {
    const { agent } = state;
    if (agent.id === event.agent_id || !agent.present) return state;
    return whole || (agent.kind === 'subagent' && !background.goesOn(agent.id)) ? gone(state, event.ts) : state;
  });
}

/**
 * What a Stop says of the work that goes on. A sub-agent is listed by its id; a team-mate by the id of its task, which
 * nothing ties to the agent's own, so while one is listed nobody unlisted may be sent away.
 */
function backgroundOf(event: AgentEvent): { goesOn(agentId: string): boolean } {
  const list = event.payload['background'];
  const ids = new Set(Array.isArray(list) ? list.map((id) => `${event.session_id}/${String(id)}`) : []);
  const teammates = event.payload['background_teammates'] === true;
  return { goesOn: (agentId) => teammates || ids.has(agentId) };
}

/** A day's session may start hundreds of sub-agents; one that comes back later is registered anew and looks the same. */
function forgetLongGone(agents: readonly AgentState[]): AgentState[] {
  let surplus = agents.filter(({ agent }) => !agent.present).length - GONE_KEPT;
  return agents.filter(({ agent }) => agent.present || agent.kind === 'main' || surplus-- <= 0);
}

function stepMain(state: SessionState, event: AgentEvent, byMain: boolean): SessionState['main'] {
  const over = state.session.state === 'completed' && lifeTable.completed[event.event_type] === 'completed';
  const signal = over ? 'nothing' : turnSignal(event, byMain);
  const phase = nextTurnPhase(state.main.phase, signal);
  if (phase === state.main.phase && (phase === null || signal !== 'prompted')) return state.main;
  // A minute of silence is told late: the turn has been over since it ended.
  const since = signal === 'leftIdle' && state.main.phase === 'interactable' ? state.main.since : event.ts;
  const failure = signal === 'leftIdle' ? state.main.because?.failure : failureOf(event);
  return { phase, because: { ...causeOf(event), failure }, since };
}

function stepSession(
  { session: before, agents: known }: SessionState,
  event: AgentEvent,
  agents: SessionState['agents'],
  main: SessionState['main'],
): Session {
  const state = lifeTable[before.state][event.event_type];
  const seen = described(before, event);
  return {
    ...seen,
    ...shownPhase(urgentWait(agents), main),
    state,
    counts: counted(before.counts, event, hasJoined(event, known, agents)),
    lastEventAt: event.ts,
    endedAt: state === 'completed' ? (event.event_type === 'session_ended' ? event.ts : before.endedAt) : undefined,
    endReason: state === 'completed' ? (textIn(event, 'reason') ?? before.endReason) : undefined,
  };
}

/** STA-7: the most urgent open wait of any agent, else the main agent's own phase. */
function shownPhase(
  wait: Agent['wait'] | undefined,
  main: SessionState['main'],
): Pick<Session, 'phase' | 'phaseBecause' | 'phaseSince'> {
  if (!wait) return { phase: main.phase, phaseBecause: main.because, phaseSince: main.since };
  const { kind, since, tool, target, message } = wait;
  const phase: Phase = kind === 'question' ? 'waiting_question' : 'waiting_permission';
  return {
    phase,
    phaseBecause: { event: 'agent_blocked', source: 'hook', tool, target, detail: message },
    phaseSince: since,
  };
}

function urgentWait(agents: SessionState['agents']): Agent['wait'] | undefined {
  const waits = agents.filter(({ agent }) => agent.present).map(({ agent }) => agent.wait);
  return waits.find((wait) => wait?.kind === 'permission') ?? waits.find((wait) => wait !== null);
}

function described(before: Session, event: AgentEvent): Session {
  const prompt =
    event.event_type === 'user_prompt' && event.payload['synthetic'] !== true
      ? textIn(event, 'prompt', TITLE_MAX * 4)
      : undefined;
  const pid = event.payload['agent_pid'];
  const started = event.event_type === 'session_started';
  return {
    ...before,
    project: before.project || (event.project?.path ?? ''),
    worktree: before.worktree ?? event.project?.worktree,
    workspace: before.workspace || event.workspace_id,
    cwd: textIn(event, 'cwd', PATH_MAX) ?? before.cwd,
    title: before.title || (prompt === undefined ? '' : oneLine(prompt, TITLE_MAX)),
    model: textIn(event, 'model') ?? before.model,
    permissionMode: textIn(event, 'permission_mode') ?? before.permissionMode,
    source: started ? (textIn(event, 'source') ?? before.source) : before.source,
    agentPid: typeof pid === 'number' ? pid : before.agentPid,
    agentStartedAt: textIn(event, 'agent_started_at') ?? before.agentStartedAt,
    host: textIn(event, 'host') ?? before.host,
    tty: textIn(event, 'tty') ?? before.tty,
    fingerprint: before.fingerprint ?? textIn(event, 'fingerprint'),
  };
}

/** Whether this event brought a sub-agent that was not there before: one that never shows is not counted. */
function hasJoined(event: AgentEvent, before: SessionState['agents'], after: SessionState['agents']): boolean {
  const isIt = ({ agent }: AgentState) => agent.id === event.agent_id && agent.kind !== 'main';
  return after.some(isIt) && !before.some(isIt);
}

function counted(before: Session['counts'], event: AgentEvent, joined: boolean): Session['counts'] {
  const counts = joined ? { ...before, subagents: before.subagents + 1 } : before;
  switch (event.event_type) {
    case 'user_prompt':
      return event.payload['synthetic'] === true ? counts : { ...counts, prompts: counts.prompts + 1 };
    case 'turn_ended':
      return event.payload['reason'] === 'completed' && event.agent_id === `${event.session_id}/main`
        ? { ...counts, replies: counts.replies + 1 }
        : counts;
    case 'tool_started':
      return { ...counts, toolCalls: counts.toolCalls + 1 };
    case 'tool_failed':
      return { ...counts, failures: counts.failures + 1 };
    default:
      return counts;
  }
}

function failureOf(event: AgentEvent): string | undefined {
  return event.payload['reason'] === 'failed' ? (textIn(event, 'error') ?? 'unknown') : undefined;
}

function causeOf(event: AgentEvent): Cause {
  const detail = textIn(event, 'notification_type') === 'idle_prompt' ? 'idle' : textIn(event, 'error');
  return {
    event: event.event_type,
    source: event.source,
    tool: textIn(event, 'tool_name'),
    target: textIn(event, 'target'),
    detail,
  };
}
