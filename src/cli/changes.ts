import { lastPart } from '../domain/folders.ts';
import type { SessionEventType } from '../protocol/sessionEvent.ts';
import type { WorkItem } from '../protocol/work.ts';
import { type AgentAnswer, type Answer, phaseWords, type SessionAnswer, textIn } from './answers.ts';
import { printable } from './text.ts';

/** The part of a state that `mascot tail` tells changes of. */
export interface Watched {
  readonly sessions: ReadonlyMap<string, SessionAnswer>;
  readonly agents: ReadonlyMap<string, AgentAnswer>;
  /** By their keys. */
  readonly work: ReadonlyMap<string, WorkItem>;
}

export interface Change {
  readonly kind: 'phase' | 'agent-arrived' | 'agent-left' | 'work' | 'event';
  /** Empty for `work`: an item is nobody's own. */
  readonly session: string;
  readonly project: string;
  readonly title: string;
  /** For `phase`: the phase, or the session's state where it has none. For `work`: the item's status. */
  readonly from?: string;
  readonly to?: string;
  readonly agent?: string;
  readonly name?: string;
  /** The work item that it is about. */
  readonly item?: string;
  readonly event?: string;
  readonly summary?: string;
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
  for (const item of after.work.values()) {
    const [from, to] = [before.work.get(item.key)?.status ?? 'new', item.status];
    const { id, title, project } = item;
    if (from !== to) changes.push({ kind: 'work', session: '', project, title, item: id, from, to });
  }
  return changes;
}

/** EVT-1: what no change of a phase, an agent or a work item tells already. */
const told: ReadonlySet<string> = new Set<SessionEventType>([
  ...(['decision', 'escalation', 'untracked_edit', 'guard_gap', 'dependency_resolved'] as const),
  ...(['build_failed', 'test_failed', 'quality_warning', 'compact', 'context_overflow'] as const),
]);

export function eventChange(event: Answer, { sessions }: Watched): Change | undefined {
  const type = textIn(event, 'event_type');
  if (!told.has(type)) return undefined;
  const id = textIn(event, 'session_id');
  const session = sessions.get(id);
  const item = textIn(event, 'work_item_id');
  return {
    kind: 'event',
    ...(session ? about(session) : { session: id, project: '', title: '' }),
    event: type,
    summary: textIn(event, 'summary'),
    ...(item === '' ? {} : { item }),
  };
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

function whatChanged({ kind, from = '', to = '', name = '', item = '', event = '', summary = '' }: Change): string {
  switch (kind) {
    case 'phase':
      return `${wordOf(from)} → ${wordOf(to)}`;
    case 'agent-arrived':
      return `+ ${printable(name) || 'agent'}`;
    case 'agent-left':
      return `- ${printable(name) || 'agent'}`;
    case 'work':
      return `work ${printable(item)}: ${printable(from)} → ${printable(to)}`;
    case 'event':
      return `${printable(event).replaceAll('_', ' ')}: ${printable(summary)}`;
  }
}

function wordOf(stand: string): string {
  return Object.hasOwn(phaseWords, stand) ? phaseWords[stand as keyof typeof phaseWords] : printable(stand);
}
