import type { Session } from '../../protocol/state.ts';
import type { MascotIds } from '../mascots/mascotPick.ts';
import type { PersonsTime } from '../moment.ts';
import type { History } from './history.ts';
import { byDay, byProject } from './pastDays.ts';

/** Commands of its menus get these as they are. A session stands for its main agent. */
export interface LiveNode extends MascotIds {
  readonly kind: 'session' | 'agent';
}

interface Group {
  readonly sessions: readonly Session[];
  /** There may be more that have not been read yet. */
  readonly open: boolean;
}

export interface ProjectNode extends Group {
  readonly kind: 'project';
  readonly project: string;
}

export interface DayNode extends Group {
  readonly kind: 'day';
  readonly day: string;
  /** Undefined: of all projects. */
  readonly project: string | undefined;
  readonly first: boolean;
}

/** A session that is over. */
export interface PastNode {
  readonly kind: 'past';
  readonly sessionId: string;
  readonly session: Session;
  readonly project: string | undefined;
}

export interface HintNode {
  readonly kind: 'more' | 'silent' | 'nothing';
}

export type SessionNode = LiveNode | ProjectNode | DayNode | PastNode | HintNode;

export function isLive(node: SessionNode): node is LiveNode {
  return node.kind === 'session' || node.kind === 'agent';
}

export type Grouping = 'project' | 'day';

export interface Past {
  /** Newest first. */
  readonly sessions: readonly Session[];
  readonly history: Pick<History, 'standing' | 'hasMore'>;
  readonly grouping: Grouping;
  readonly when: PersonsTime;
}

/** What stands below the sessions that are there. */
export function pastRoots({ sessions, history, grouping, when }: Past): readonly SessionNode[] {
  const open = history.hasMore();
  const groups: readonly SessionNode[] =
    grouping === 'day'
      ? dayNodes(sessions, { open, project: undefined, when })
      : byProject(sessions).map((group) => ({ kind: 'project', open, ...group }));
  if (history.standing() === 'silent') return [...groups, { kind: 'silent' }];
  return open ? [...groups, { kind: 'more' }] : groups;
}

export function pastChildren(node: ProjectNode | DayNode, when: PersonsTime): readonly SessionNode[] {
  if (node.kind === 'project') return dayNodes(node.sessions, { open: node.open, project: node.project, when });
  return node.sessions.map((session) => ({
    ...{ kind: 'past', sessionId: session.id, session },
    project: node.project,
  }));
}

interface Days {
  readonly open: boolean;
  readonly project: string | undefined;
  readonly when: PersonsTime;
}

/** Only of the oldest day there may be more. */
function dayNodes(sessions: readonly Session[], { open, project, when }: Days): readonly DayNode[] {
  const days = byDay(sessions, when);
  return days.map((group, index) => ({
    ...{ kind: 'day', project, ...group },
    open: open && index === days.length - 1,
    first: index === 0,
  }));
}
