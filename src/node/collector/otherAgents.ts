import { storedSession } from '../../domain/restore.ts';
import { mayTellTitle } from '../../domain/workText.ts';
import type { Interaction } from '../../protocol/reading.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { type AgentScope, isOwnSession } from './agentScope.ts';
import type { RouteWorld } from './route.ts';

type World = Pick<RouteWorld, 'source' | 'store' | 'agentWords'>;

/**
 * MEM-5: what an agent may read of another session: the person's prompts, and agents' words only if the session fetched nothing and the
 * setting allows it. Otherwise a page that one agent read could give orders to the next.
 */
interface Reading {
  readonly mayReadAgents: boolean;
  readonly mayReadPrompts: boolean;
  readonly title: string;
}

function readingOf({ store, agentWords }: World, { id, surface }: Pick<Session, 'id' | 'surface'>): Reading {
  const row = store.session(id);
  const digest = row && storedSession(row)?.digest;
  const mayReadAgents = digest?.reachedOut === false && agentWords();
  // An agent may have written the prompt of a headless session.
  const mayReadPrompts = surface !== 'headless' || mayReadAgents;
  return { mayReadAgents, mayReadPrompts, title: (mayReadPrompts ? digest?.name : undefined) ?? '' };
}

/** GRD-5: the item, with its id in place of a title that the agent may not read. */
export function itemForAgent(
  world: Pick<World, 'agentWords'>,
  scope: AgentScope | undefined,
  item: WorkItem,
): WorkItem {
  const isOwn = scope?.session !== undefined && item.madeIn === scope.session;
  return scope === undefined || isOwn || mayTellTitle(item, world.agentWords()) ? item : { ...item, title: item.id };
}

export function sessionForAgent(world: World, scope: AgentScope | undefined, session: Session): Session {
  if (scope === undefined || session.id === scope.session) return session;
  const { mayReadAgents, title } = readingOf(world, session);
  return mayReadAgents ? { ...session, title } : { ...session, title, lastReply: null, tasks: [], phaseBecause: null };
}

function agentForAgent({ activity, wait, ...agent }: Agent): Agent {
  return {
    ...agent,
    name: agent.ownName ?? agent.kind,
    ...{ says: null, task: null, team: null },
    activity: activity && { tool: activity.tool, mood: activity.mood, since: activity.since },
    wait: wait && { kind: wait.kind, since: wait.since },
  };
}

/** May an agent read this prompt or reply? */
export function mayReadSaid(world: World, scope: AgentScope, { role, sessionId }: Interaction): boolean {
  if (sessionId === scope.session) return true;
  const { mayReadAgents, mayReadPrompts } = readingOf(world, { id: sessionId, surface: surfaceOf(world, sessionId) });
  return role === 'user' ? mayReadPrompts : mayReadAgents;
}

export function titleForAgent(world: World, scope: AgentScope, id: string, title: string): string {
  return id === scope.session ? title : readingOf(world, { id, surface: surfaceOf(world, id) }).title;
}

function surfaceOf({ source, store }: World, id: string): Session['surface'] {
  const live = source.snapshot().sessions.find((session) => session.id === id);
  const row = live ? undefined : store.session(id);
  return live?.surface ?? (row && storedSession(row)?.session.surface) ?? 'headless';
}

/** The part of the live state that lies in the scope; all of it without a scope. */
export function ownState(world: World, scope: AgentScope | undefined): Snapshot {
  const state = world.source.snapshot();
  if (scope === undefined) return state;
  const sessions = state.sessions.filter((session) => isOwnSession(scope, session));
  const ids = new Set(sessions.map(({ id }) => id));
  const isOwn = ({ project }: { readonly project: string }) => project === scope.project;
  return {
    ...state,
    sessions: sessions.map((session) => sessionForAgent(world, scope, session)),
    agents: state.agents
      .filter(({ sessionId }) => ids.has(sessionId))
      .map((agent) => (agent.sessionId === scope.session ? agent : agentForAgent(agent))),
    workItems: state.workItems.filter(isOwn).map((item) => itemForAgent(world, scope, item)),
    guardGaps: state.guardGaps.filter(isOwn),
  };
}
