import type { Session, Snapshot } from '../protocol/state.ts';

/** What a session asks of the person, most urgent first. */
export const urgencies = ['permission', 'question', 'busy', 'yourMove', 'none'] as const;
export type Urgency = (typeof urgencies)[number];

export function urgencyOf(session: Session): Urgency {
  // What is asleep, over or lost asks for nothing.
  if (session.state !== 'active') return 'none';
  if (session.surface === 'headless') return headlessUrgency(session);
  switch (session.phase) {
    case 'waiting_permission':
      return 'permission';
    case 'waiting_question':
      // STA-2: a minute of silence after a turn is no question to anybody.
      return session.phaseBecause?.detail === 'idle' ? 'yourMove' : 'question';
    case 'busy':
      return 'busy';
    case 'interactable':
      return 'yourMove';
    case null:
      return 'none';
  }
}

/** Nobody sits at a session without a terminal, so nothing of it can wait for the person: not even its end. */
function headlessUrgency({ phase }: Session): Urgency {
  return phase === 'busy' || phase === 'waiting_permission' || phase === 'waiting_question' ? 'busy' : 'none';
}

export interface Summary {
  /** Sessions by what they ask, each list with the longest wait first. */
  readonly by: Readonly<Record<Urgency, readonly Session[]>>;
  readonly mostUrgent: Urgency;
  /** Sessions that wait for the person: the number on the badge. */
  readonly waiting: number;
  /** The one that has waited longest, whatever for. */
  readonly longestWait: Session | undefined;
  /** Sessions that are there and ask for nothing. */
  readonly quiet: readonly Session[];
  /** Sub-agents that go on after their main agents' turns. */
  readonly background: number;
}

export function summarise(state: Pick<Snapshot, 'sessions'>): Summary {
  const by: Record<Urgency, Session[]> = { permission: [], question: [], busy: [], yourMove: [], none: [] };
  for (const session of state.sessions) by[urgencyOf(session)].push(session);
  for (const list of Object.values(by)) list.sort(byWait);
  const waiting = [...by.permission, ...by.question].sort(byWait);
  return {
    by,
    mostUrgent: urgencies.find((urgency) => by[urgency].length > 0) ?? 'none',
    waiting: waiting.length,
    longestWait: waiting[0] ?? by.yourMove[0] ?? by.busy[0],
    quiet: by.none.filter(isThere),
    background: state.sessions.filter(isThere).reduce((sum, { background }) => sum + background, 0),
  };
}

/** All sessions as a list to choose from: the most urgent first, what is over last. */
export function byUrgency(state: Pick<Snapshot, 'sessions'>): readonly Session[] {
  const summary = summarise(state);
  const over = summary.by.none.filter((session) => !isThere(session)).toReversed();
  return [...thereByUrgency(summary), ...over];
}

/** Those that are there, the most urgent first. */
export function thereByUrgency({ by, quiet }: Summary): readonly Session[] {
  return [...by.permission, ...by.question, ...by.busy, ...by.yourMove, ...quiet];
}

export function isThere({ state }: Session): boolean {
  return state === 'active' || state === 'idle';
}

/** UI-5: whether a session waits for the person. */
export function waitsForPerson(session: Session): boolean {
  const urgency = urgencyOf(session);
  return urgency === 'permission' || urgency === 'question';
}

/** The agent to show for a session: the one that waits, else the main one. */
export function agentToShow(state: Pick<Snapshot, 'agents'>, session: Session): string | undefined {
  const mine = state.agents.filter((agent) => agent.sessionId === session.id && agent.present);
  const waiting = mine.find((agent) => agent.wait !== null);
  return (waiting ?? mine.find((agent) => agent.kind === 'main') ?? mine[0])?.id;
}

function byWait(a: Session, b: Session): number {
  const since = (session: Session) => session.phaseSince ?? session.lastEventAt;
  return since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0;
}
