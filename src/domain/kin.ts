import { compareText } from './order.ts';
import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Agent } from '../protocol/state.ts';
import type { AgentState, Kin, OpenTool } from '../protocol/stored.ts';
import { given } from './eventWords.ts';
import { shortText } from './text.ts';

/** A session that starts agents all day: what was said of the oldest is forgotten with them. */
const KIN_KEPT = 200;

/** What this event says of another agent than its own: the spawning call's result, or the agent's own description file. */
export function kinIn(event: AgentEvent): Kin | undefined {
  switch (event.event_type) {
    case 'tool_succeeded':
      return spawnedIn(event);
    case 'agent_described':
      return describedIn(event);
    default:
      return undefined;
  }
}

function spawnedIn({ payload, session_id: session, agent_id: parent }: EventOf<'tool_succeeded'>): Kin | undefined {
  const { teammate, spawned_background: background } = payload;
  const id = shortText(payload.spawned) ?? shortText(teammate);
  if (id === undefined) return undefined;
  return {
    id: `${session}/${id}`,
    ...given({
      parent,
      task: shortText(payload.spawned_task),
      name: shortText(payload.spawned_name),
      team: shortText(payload.team),
      background: background === true || undefined,
      teammate: teammate !== undefined || undefined,
    }),
  };
}

function describedIn({ payload, session_id: session }: EventOf<'agent_described'>): Kin | undefined {
  const [id, parent] = [shortText(payload.agent), shortText(payload.parent)];
  if (id === undefined) return undefined;
  return {
    id: `${session}/${id}`,
    ...given({
      parent: parent === undefined ? undefined : `${session}/${parent}`,
      task: shortText(payload.task),
      name: shortText(payload.name),
      team: shortText(payload.team),
    }),
  };
}

export function withKin(known: readonly Kin[], said: Kin | undefined): readonly Kin[] {
  if (!said) return known;
  const before = known.find((each) => each.id === said.id);
  return [...known.filter((each) => each !== before), { ...before, ...said }].slice(-KIN_KEPT);
}

/** The agents with what is known about them put on; the same objects where nothing changes. */
export function applyKin(states: readonly AgentState[], kin: readonly Kin[]): readonly AgentState[] {
  if (kin.length === 0) return states;
  return states.map((state) => {
    const said = kin.find((each) => each.id === state.agent.id);
    return said ? described(state, said, states) : state;
  });
}

function described(state: AgentState, said: Kin, states: readonly AgentState[]): AgentState {
  const { agent } = state;
  if (agent.kind === 'main') return state;
  const next: Agent = {
    ...agent,
    parentId: said.parent !== undefined && mayBeParent(said.parent, agent.id, states) ? said.parent : agent.parentId,
    task: said.task ?? agent.task,
    // A team-mate is called by the name that its team gave it.
    name: said.name ?? agent.name,
    team: said.team ?? agent.team,
    background: said.background ?? agent.background,
    kind: said.teammate ? 'teammate' : agent.kind,
  };
  const same = (Object.keys(next) as (keyof Agent)[]).every((key) => next[key] === agent[key]);
  return same ? state : { ...state, agent: next };
}

/** Only an agent that is there, and none of its own descendants: the tree must stay one. */
function mayBeParent(parent: string, child: string, states: readonly AgentState[]): boolean {
  let id: string | null | undefined = parent;
  for (let depth = 0; depth <= states.length && id !== null && id !== undefined; depth++) {
    if (id === child) return false;
    const above: AgentState | undefined = states.find(({ agent }) => agent.id === id);
    if (!above) return false;
    id = above.agent.parentId;
  }
  return true;
}

export interface Starter {
  readonly parentId: string;
  readonly call: OpenTool;
}

/**
 * Whose open call most likely started this agent: an agent's start does not say. The oldest one that starts an agent of this
 * type and has not got it yet; the call's own result corrects it later.
 */
export function likelyStarter(states: readonly AgentState[], type: string | undefined): Starter | undefined {
  const open = states.flatMap(({ agent, openTools }) =>
    openTools.filter(({ spawn }) => spawn !== undefined).map((call) => ({ parentId: agent.id, call })),
  );
  const fitting = open.filter(({ call }) => !type || !call.spawn?.type || call.spawn.type === type);
  return fitting.toSorted((a, b) => compareText(a.call.activity.since, b.call.activity.since))[0];
}

/** The call has got its agent: the next one that starts belongs to another call. */
export function taken(states: readonly AgentState[], { parentId, call }: Starter): readonly AgentState[] {
  return states.map((state) =>
    state.agent.id === parentId
      ? { ...state, openTools: state.openTools.map((tool) => (tool === call ? withoutSpawn(tool) : tool)) }
      : state,
  );
}

function withoutSpawn({ spawn: _taken, ...tool }: OpenTool): OpenTool {
  return tool;
}
