import type { AgentEvent } from '../protocol/event.ts';
import type { AgentState } from '../protocol/stored.ts';

/** NRM-6: `{session}/main`, and `{team}/leader` where every payload names the team. */
export function isMain({ agent_id: id, session_id: session }: Pick<AgentEvent, 'agent_id' | 'session_id'>): boolean {
  return id === `${session}/main` || (id.endsWith('/leader') && !id.startsWith(`${session}/`));
}

/** The main agent's id, which it has or would get. */
export function mainIdOf(session: string, agents: readonly AgentState[]): string {
  return agents.find(({ agent }) => agent.kind === 'main')?.agent.id ?? `${session}/main`;
}
