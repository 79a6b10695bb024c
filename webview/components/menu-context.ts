import type { Agent, Session } from '../../src/protocol/state.ts';
import type { Opened } from './open-card.ts';

interface People {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly sessions: ReadonlyMap<string, Session>;
}

/** What the editor's menu is told of the place where it opens; the conditions of our commands there read it. */
export function menuContext(
  target: Element | null,
  { agents, sessions }: People,
  opened: Opened | undefined,
): Readonly<Record<string, unknown>> {
  const item = target?.closest<HTMLElement>('[data-session-id]');
  const sessionId = item?.dataset['sessionId'];
  if (sessionId === undefined) return {};
  const chosen = target?.localName === 'session-details' ? opened?.agentId : item?.dataset['agentId'];
  const agent = chosen === undefined ? mainOf(sessionId, agents) : agents.get(chosen);
  return {
    mascotSection: chosen === undefined ? 'session' : 'agent',
    sessionId,
    agentId: agent?.id ?? sessionId,
    pinned: agent?.pinnedAt !== undefined,
    hidden: agent?.hidden === true,
    transcript: sessions.get(sessionId)?.transcriptPath !== undefined,
    preventDefaultContextMenuItems: true,
  };
}

export function mainOf(sessionId: string, agents: ReadonlyMap<string, Agent>): Agent | undefined {
  return [...agents.values()].find((agent) => agent.sessionId === sessionId && agent.kind === 'main');
}
