import type { Agent, Session, Snapshot } from '../protocol/state.ts';
import { urgencyOf } from './selectors.ts';

export const noticeKinds = ['permission', 'question', 'turnEnded', 'failed'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** UI-5: what a person may want to be told of a session. */
export interface Notice {
  /** The same for the same wait in every window. */
  readonly key: string;
  readonly kind: NoticeKind;
  readonly sessionId: string;
  readonly since: string;
  readonly toolUseId?: string | undefined;
}

/** What is known of all sessions between two looks. */
export interface NoticeTrack {
  /** What each session could be told of now. */
  readonly open: ReadonlyMap<string, Notice>;
  /** Since when each session's turn goes on, waits and all. */
  readonly turns: ReadonlyMap<string, string>;
}

export interface Tracked {
  readonly track: NoticeTrack;
  readonly begun: readonly Notice[];
  readonly over: readonly Notice[];
}

/** Whoever was back before that was hardly left alone with it. */
const TURN_MIN_MS = 10_000;

/** Two words about one wait come from two sources within this time; a second wait of the same kind takes a call in between. */
const SAME_WAIT_MS = 5_000;

/** At the first look nothing begins: what waits then, the status bar says. */
export function trackNotices(before: NoticeTrack | undefined, state: Pick<Snapshot, 'sessions' | 'agents'>): Tracked {
  const open = new Map<string, Notice>();
  const turns = new Map<string, string>();
  for (const session of state.sessions) {
    const began = turnBegan(session, before?.turns.get(session.id));
    if (began !== undefined) turns.set(session.id, began);
    const notice = noticeOf(session, state.agents, before?.turns.get(session.id));
    const former = before?.open.get(session.id);
    // The key of a wait stays what it was when it was first seen.
    if (notice) open.set(session.id, former && isSame(former, notice) ? former : notice);
    else if (former && isStillOver(former, session)) open.set(session.id, former);
  }
  const track = { open, turns };
  if (before === undefined) return { track, begun: [], over: [] };
  return {
    track,
    begun: [...open.values()].filter((notice) => before.open.get(notice.sessionId) !== notice),
    over: [...before.open.values()].filter((notice) => open.get(notice.sessionId) !== notice),
  };
}

/** A turn goes on while somebody is asked, and while what it started goes on in the background. */
function turnBegan(session: Session, known: string | undefined): string | undefined {
  const { phase, phaseSince, state, background } = session;
  if (state !== 'active' || (phase === 'interactable' && background === 0)) return undefined;
  return phase === 'busy' ? (known ?? phaseSince ?? undefined) : known;
}

function noticeOf(session: Session, agents: readonly Agent[], turnSince: string | undefined): Notice | undefined {
  const { id, phaseSince: since, phaseBecause: because, surface } = session;
  // Nobody sits at a headless session.
  if (since === null || surface === 'headless') return undefined;
  const urgency = urgencyOf(session);
  if (urgency === 'permission' || urgency === 'question') {
    const waiting = agents.find(
      ({ sessionId, wait }) => sessionId === id && wait?.kind === urgency && wait.since === since,
    );
    return notice(urgency, id, since, waiting?.wait?.toolUseId);
  }
  const ended = urgency === 'yourMove' && session.phase === 'interactable' && because?.event === 'turn_ended';
  if (!ended || because.detail === 'interrupted') return undefined;
  if (because.failure !== undefined) return notice('failed', id, since);
  // What goes on in the background comes back with a turn of its own.
  const isDone = session.background === 0 && turnSince !== undefined;
  return isDone && Date.parse(since) - Date.parse(turnSince) >= TURN_MIN_MS
    ? notice('turnEnded', id, since)
    : undefined;
}

function notice(kind: NoticeKind, sessionId: string, since: string, toolUseId?: string): Notice {
  return { key: [sessionId, kind, since, toolUseId ?? ''].join('|'), kind, sessionId, since, toolUseId };
}

/** An end that was told goes on: later words about it, such as a minute of silence, make it no other one. */
function isStillOver(former: Notice, session: Session): boolean {
  return (former.kind === 'turnEnded' || former.kind === 'failed') && urgencyOf(session) === 'yourMove';
}

function isSame(former: Notice, now: Notice): boolean {
  if (former.kind !== now.kind) return false;
  if (former.toolUseId !== undefined && now.toolUseId !== undefined) return former.toolUseId === now.toolUseId;
  return Math.abs(Date.parse(former.since) - Date.parse(now.since)) < SAME_WAIT_MS;
}
