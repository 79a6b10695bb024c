import { lastPart } from '../domain/folders.ts';
import { type AgentAnswer, phaseWords, type SessionAnswer } from './answers.ts';
import { printable } from './text.ts';

/** The part of a state that `mascot tail` tells changes of. */
export interface Watched {
  readonly sessions: ReadonlyMap<string, SessionAnswer>;
  readonly agents: ReadonlyMap<string, AgentAnswer>;
}

export interface Change {
  readonly kind: 'phase' | 'agent-arrived' | 'agent-left';
  readonly session: string;
  readonly project: string;
  readonly title: string;
  /** For `phase`: the phase, or the session's state where it has none. */
  readonly from?: string;
  readonly to?: string;
  readonly agent?: string;
  readonly name?: string;
}

export function changesBetween(before: Watched, after: Watched): readonly Change[] {
  const changes: Change[] = [];
  for (const session of after.sessions.values()) {
    const old = before.sessions.get(session.id);
    const [from, to] = [old ? standOf(old) : 'new', standOf(session)];
    if (from !== to) changes.push({ kind: 'phase', ...about(session), from, to });
  }
  for (const agent of after.agents.values()) {
    const was = before.agents.get(agent.id)?.present ?? false;
    if (was !== agent.present) changes.push(agentChange(agent, after));
  }
  for (const agent of before.agents.values()) {
    if (agent.present && !after.agents.has(agent.id)) changes.push(agentChange({ ...agent, present: false }, before));
  }
  return changes;
}

function agentChange({ id, sessionId, name, present }: AgentAnswer, { sessions }: Watched): Change {
  const session = sessions.get(sessionId);
  const where = session ? about(session) : { session: sessionId, project: '', title: '' };
  return { kind: present ? 'agent-arrived' : 'agent-left', ...where, agent: id, name };
}

function about({ id, project, cwd, title }: SessionAnswer): Pick<Change, 'session' | 'project' | 'title'> {
  return { session: id, project: project || cwd, title };
}

function standOf({ phase, state }: SessionAnswer): string {
  return phase ?? state;
}

export function changeLine(change: Change, time: string): string {
  const where = [lastPart(printable(change.project)) || '-', printable(change.title)]
    .filter((part) => part !== '')
    .join('  ');
  return `${time}  ${whatChanged(change)}  ${where}`.trimEnd();
}

function whatChanged({ kind, from = '', to = '', name = '' }: Change): string {
  switch (kind) {
    case 'phase':
      return `${wordOf(from)} → ${wordOf(to)}`;
    case 'agent-arrived':
      return `+ ${printable(name) || 'agent'}`;
    case 'agent-left':
      return `- ${printable(name) || 'agent'}`;
  }
}

function wordOf(stand: string): string {
  return Object.hasOwn(phaseWords, stand) ? phaseWords[stand as keyof typeof phaseWords] : printable(stand);
}
