import { grouped } from '../../domain/grouped.ts';
import { isThere } from '../../domain/selectors.ts';
import { lastWorkOf } from '../../domain/work.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import type { MascotIds } from '../mascots/mascotPick.ts';
import type { PersonsTime } from '../moment.ts';
import type { SessionHistory } from './sessionHistory.ts';

/** A session that is there, or one of its agents. Commands of the tree's menus get it as their argument; a session stands for its main agent. */
export interface LiveNode extends MascotIds {
  readonly kind: 'session' | 'agent';
}

interface Group {
  readonly sessions: readonly Session[];
  /** The group may have more sessions that have not been read yet. */
  readonly open: boolean;
}

export interface ProjectNode extends Group {
  readonly kind: 'project';
  readonly project: string;
}

export interface DayNode extends Group {
  readonly kind: 'day';
  /** Like `2026-03-02`, in the person's own time. */
  readonly day: string;
  /** `undefined`: of all projects. */
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

/** A line that offers to read on, to try again, or to clear the filter. */
export interface HintNode {
  readonly kind: 'more' | 'silent' | 'nothing';
}

export type SessionNode = LiveNode | ProjectNode | DayNode | PastNode | HintNode;

export function isLive(node: SessionNode): node is LiveNode {
  return node.kind === 'session' || node.kind === 'agent';
}

export type State = Pick<Snapshot, 'sessions' | 'agents'>;

/** In the order in which they began: a line that moves can't be clicked. */
export function liveRoots(there: readonly Session[], state: State): LiveNode[] {
  return there
    .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .map(({ id }) => ({ kind: 'session', sessionId: id, agentId: mainOf(id, state)?.id }));
}

/** The agents that a session's main agent, or another agent, has started. */
export function liveChildren(node: LiveNode, state: State, showHidden: boolean): LiveNode[] {
  const mine = state.agents.filter((agent) => agent.sessionId === node.sessionId && agent.present);
  const main = mainOf(node.sessionId, state);
  const helpers = mine.filter((agent) => agent !== main && (showHidden || agent.hidden !== true));
  const isBelow = ({ parentId }: Agent) =>
    node.kind === 'agent' ? parentId === node.agentId : !helpers.some(({ id }) => id === parentId);
  return helpers.filter(isBelow).map(({ id, sessionId }) => ({ kind: 'agent', sessionId, agentId: id }));
}

function mainOf(sessionId: string, { agents }: State): Agent | undefined {
  return agents.find((agent) => agent.sessionId === sessionId && agent.kind === 'main');
}

/** The sessions that are over, newest first. What the state says of a session replaces what was read of it. */
export function pastSessions(read: readonly Session[], present: readonly Session[]): readonly Session[] {
  const now = new Map(present.map((session) => [session.id, session]));
  return [...read.filter(({ id }) => !now.has(id)), ...present.filter((session) => !isThere(session))].toSorted(
    byLastWork,
  );
}

/** Compares by the last work in them, the newest first. */
export function byLastWork(one: Session, other: Session): number {
  return lastWorkOf(one) < lastWorkOf(other) ? 1 : -1;
}

export type Grouping = 'project' | 'day';

export interface Past {
  /** Newest first. */
  readonly sessions: readonly Session[];
  readonly history: Pick<SessionHistory, 'progress' | 'hasMore'>;
  readonly grouping: Grouping;
  readonly when: PersonsTime;
}

/** The lines below the sessions that are there. A project stands where its newest session does. */
export function pastRoots({ sessions, history, grouping, when }: Past): readonly SessionNode[] {
  const open = history.hasMore();
  const groups: readonly SessionNode[] =
    grouping === 'day' ? dayNodes(sessions, { open, project: undefined, when }) : projectNodes(sessions, open);
  if (history.progress() === 'silent') return [...groups, { kind: 'silent' }];
  return open ? [...groups, { kind: 'more' }] : groups;
}

export function pastChildren(node: ProjectNode | DayNode, when: PersonsTime): readonly SessionNode[] {
  if (node.kind === 'project') return dayNodes(node.sessions, { open: node.open, project: node.project, when });
  return node.sessions.map((session) => ({
    ...{ kind: 'past', sessionId: session.id, session },
    project: node.project,
  }));
}

function projectNodes(sessions: readonly Session[], open: boolean): readonly ProjectNode[] {
  return grouped(sessions, ({ project, cwd }) => project || cwd).map(([project, mine]) => ({
    ...{ kind: 'project', open, project },
    sessions: mine,
  }));
}

interface Days {
  readonly open: boolean;
  readonly project: string | undefined;
  readonly when: PersonsTime;
}

/** Only the oldest day may have more sessions that have not been read. */
function dayNodes(sessions: readonly Session[], { open, project, when }: Days): readonly DayNode[] {
  const dayOf = dayFormat(when);
  const days = grouped(sessions, (session) => dayOf(lastWorkOf(session)));
  return days.map(([day, mine], index) => ({
    ...{ kind: 'day', project, day },
    sessions: mine,
    open: open && index === days.length - 1,
    first: index === 0,
  }));
}

/** Formats like `2026-03-02`; empty for a timestamp that can't be read. */
function dayFormat({ timeZone }: PersonsTime): (at: string | number) => string {
  // That locale writes a date as ISO does.
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', options);
  return (at) => {
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? '' : format.format(date);
  };
}

const DAY_MS = 86_400_000;

/** What people call a day. */
export type DayName = 'today' | 'yesterday' | { readonly date: string };

/** `day`: like `2026-03-02`. The year is only named if it is not this one. */
export function dayName(day: string, when: PersonsTime): DayName {
  const today = dayFormat(when)(when.now);
  const [at, now] = [Date.parse(day), Date.parse(today)];
  if (day === today) return 'today';
  if (at === now - DAY_MS) return 'yesterday';
  if (Number.isNaN(at)) return { date: '?' };
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' as const };
  const options = { weekday: 'long', day: 'numeric', month: 'long', ...year, timeZone: 'UTC' } as const;
  return { date: new Intl.DateTimeFormat(when.locale, options).format(at) };
}
