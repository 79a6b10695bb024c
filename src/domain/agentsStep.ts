import { compareText } from './order.ts';
import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Agent } from '../protocol/state.ts';
import type { AgentState, SessionState } from '../protocol/stored.ts';
import { isMain, mainIdOf } from './agentIds.ts';
import { askedCall, gone, newAgent, stepAgent, unblocked, waitNotice } from './agentStep.ts';
import { applyKin, likelyStarter, taken } from './kin.ts';
import { agentType, endReason, isInferred } from './eventWords.ts';
import { nextLife } from './life.ts';
import { shortText } from './text.ts';

/** Departed sub-agents that are still listed with their session. */
const GONE_KEPT = 32;

/** All agents of a session after an event of one of them. */
export function stepAgents(state: SessionState, event: AgentEvent, kin: SessionState['kin']): SessionState['agents'] {
  // A late word of anyone revives nobody: only what revives the session does.
  if (staysOver(state, event)) return state.agents;
  const stepped = stepOne(state, event);
  const told = toldOfOthers(stepped, event);
  return [...forgetLongGone(applyKin(retire(told, event), kin))];
}

export function staysOver({ session }: SessionState, event: AgentEvent): boolean {
  return session.state === 'completed' && nextLife(session.state, event) === 'completed';
}

export function urgentWait(agents: SessionState['agents']): Agent['wait'] | undefined {
  const waits = agents.filter(({ agent }) => agent.present).map(({ agent }) => agent.wait);
  const open = waits.filter((wait) => wait !== null).toSorted((a, b) => compareText(a.since, b.since));
  return open.find(({ kind }) => kind === 'permission') ?? open[0];
}

function stepOne(state: SessionState, event: AgentEvent): readonly AgentState[] {
  const { agents } = state;
  if (saysNothingNew(state, event)) return agents;
  const steers = steersTurn(state, event);
  const id = whoseWait(agents, event) ?? event.agent_id;
  const known = agents.findIndex(({ agent }) => agent.id === id);
  if (known >= 0) return agents.map((each, index) => (index === known ? stepAgent(each, event, steers) : each));
  return mayAppear(state, event) ? withNewcomer(agents, event) : agents;
}

/** Is it a prompt of the turn that goes on already (Codex takes one in mid-turn)? */
function steersTurn({ turn, main }: SessionState, event: AgentEvent): boolean {
  if (event.event_type !== 'user_prompt' || main.phase !== 'busy') return false;
  return turn !== undefined && shortText(event.payload.turn) === turn;
}

/** Hooks overtake each other: a call of one that has just left was made before it left. */
const JUST_LEFT_MS = 2_000;

function isAfterglow(agents: readonly AgentState[], event: AgentEvent): boolean {
  const agent = agents.find((each) => each.agent.id === event.agent_id)?.agent;
  if (event.event_type !== 'tool_started' || !agent || agent.kind !== 'subagent' || agent.present) return false;
  return Date.parse(event.ts) - Date.parse(agent.moodSince) < JUST_LEFT_MS;
}

function saysNothingNew({ agents, ended, session }: SessionState, event: AgentEvent): boolean {
  // A notification never says whose wait it repeats: while anybody waits, it is that one's.
  if (waitNotice(event) && urgentWait(agents)) return true;
  if (event.event_type === 'agent_blocked') {
    // `-p` asks nobody: what is not allowed is denied at once.
    if (session.surface === 'headless') return true;
    if (isInferred(event) && urgentWait(agents)) return true;
  }
  if (isAfterglow(agents, event)) return true;
  // The person may say No before the hook of the call has been run: then its end is known before its start.
  const call = event.event_type === 'tool_started' ? shortText(event.payload.tool_use_id) : undefined;
  return call !== undefined && ended.some(({ id }) => id === call);
}

/** A notification comes without its agent: it is the one with a call that can ask, else the main one. */
function whoseWait(agents: readonly AgentState[], event: AgentEvent): string | undefined {
  if (!waitNotice(event) && !isInferred(event)) return undefined;
  const calls = agents.flatMap(({ agent, openTools }) => {
    const call = askedCall(openTools);
    return call ? [{ id: agent.id, call }] : [];
  });
  const asking = calls.filter(({ call }) => call.activity.mood !== 'delegating');
  return asking.toSorted((a, b) => compareText(b.call.activity.since, a.call.activity.since))[0]?.id;
}

function withNewcomer(agents: readonly AgentState[], event: AgentEvent): readonly AgentState[] {
  const mainId = mainIdOf(event.session_id, agents);
  const names = agents.map(({ agent }) => agent.name);
  const starter = isMain(event) ? undefined : likelyStarter(agents, shortText(agentType(event)));
  const fresh = newAgent(event, mainId, names);
  const newcomer: AgentState = starter
    ? {
        ...fresh,
        agent: {
          ...fresh.agent,
          parentId: starter.parentId,
          task: fresh.agent.task ?? starter.call.spawn?.task ?? null,
        },
      }
    : fresh;
  return [...(starter ? taken(agents, starter) : agents), stepAgent(newcomer, event)];
}

/** AGT-1: may this event register its agent? Not if it is an end, or the start of an agent that only warms up. */
function mayAppear(state: SessionState, event: AgentEvent): boolean {
  if (isMain(event)) return event.event_type !== 'session_ended';
  switch (event.event_type) {
    case 'agent_started':
      return event.payload.warm_up !== true || isAskedFor(state, event);
    case 'tool_started':
    case 'agent_blocked':
    case 'user_prompt':
    case 'session_started':
      return true;
    case 'tool_succeeded':
    case 'tool_failed':
      // Ends found in a transcript or an agent's own file may belong to an agent that left long ago.
      return event.source === 'hook';
    case 'agent_stopped':
    case 'agent_unblocked':
    case 'turn_ended':
    case 'session_ended':
    case 'task_created':
    case 'task_started':
    case 'task_progress':
    case 'task_completed':
    case 'task_failed':
    case 'heartbeat':
    case 'schema_error':
      return false;
    default:
      // Some only report an end. What names its agent comes from an agent that is present.
      return shortText(event.payload.agent_name) !== undefined;
  }
}

/** STA-5: did a call ask for this agent? A warm-up agent starts with its session, outside any turn and without a call. */
function isAskedFor({ main, agents }: SessionState, event: AgentEvent): boolean {
  return main.phase === 'busy' || likelyStarter(agents, shortText(agentType(event))) !== undefined;
}

/** What one agent's event says of others: guesses that a certain word makes void, answers to all, ends that are reported. */
function toldOfOthers(agents: readonly AgentState[], event: AgentEvent): readonly AgentState[] {
  if (event.event_type === 'agent_blocked' && !isInferred(event)) {
    return agents.map((state) =>
      state.agent.id !== event.agent_id && state.agent.wait?.inferred ? unblocked(state, event) : state,
    );
  }
  // Nobody is asked any more: a team-mate's request is over as well.
  if (event.event_type === 'turn_ended' && event.payload.alone === true) {
    return agents.map((state) => unblocked(state, event));
  }
  const finished = event.event_type === 'user_prompt' ? shortText(event.payload.finished) : undefined;
  if (finished === undefined) return agents;
  const id = `${event.session_id}/${finished}`;
  return agents.map((state) =>
    state.agent.id === id && state.agent.kind === 'subagent' ? gone(state, event.ts) : state,
  );
}

/** Sub-agents end with their session, and with the turn unless they go on in the background. */
function retire(agents: readonly AgentState[], event: AgentEvent): readonly AgentState[] {
  if (endsAll(event)) return agents.map((state) => gone(state, event.ts));
  if (event.event_type !== 'turn_ended' || !isMain(event)) return agents;
  const goesOn = backgroundAfter(event);
  const clearsWaits = event.payload.reason === 'interrupted' || event.payload.alone === true;
  return agents.map((state) => {
    const { agent } = state;
    if (agent.kind !== 'subagent' || !agent.present) return state;
    const on = goesOn(agent);
    if (!on && (agent.wait === null || clearsWaits)) return gone(state, event.ts);
    return on && !agent.background ? { ...state, agent: { ...agent, background: true } } : state;
  });
}

/** A main agent's end, by the session's or by its process's, is everybody's. */
export function endsAll(event: AgentEvent): boolean {
  if (event.event_type === 'session_ended') return true;
  return event.event_type === 'agent_stopped' && isMain(event) && endReason(event) === 'process_gone';
}

/**
 * Who goes on when the main turn ends. A newer Stop lists sub-agents by id, and team-mates by the ids of their tasks, which
 * nothing ties to the agents' own, so while one is listed nobody unlisted may be sent away. Where there is no list (older
 * versions, an interrupt, a failure) those go on that were started to.
 */
function backgroundAfter(event: EventOf<'turn_ended'>): (agent: Agent) => boolean {
  const { alone, background: list } = event.payload;
  if (alone === true) return () => false;
  if (list === undefined) return (agent) => agent.background;
  const ids = new Set(list.map((id) => `${event.session_id}/${id}`));
  const teammates = event.payload.background_teammates === true;
  return (agent) => teammates || ids.has(agent.id);
}

/** A day's session may start hundreds of sub-agents; one that comes back later is registered anew and looks the same. */
function forgetLongGone(agents: readonly AgentState[]): readonly AgentState[] {
  let surplus = agents.filter(({ agent }) => !agent.present).length - GONE_KEPT;
  return agents.filter(({ agent }) => agent.present || agent.kind === 'main' || surplus-- <= 0);
}
