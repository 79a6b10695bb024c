import type { Session } from '../src/protocol/state.ts';
import { causeWords, phaseWords, projectName, type BadgeKind } from './sentences.ts';
import { say, type Strings, type WordKey } from './words.ts';

const spoken: Partial<Record<BadgeKind, WordKey>> = {
  permission: 'announce.permission',
  question: 'announce.question',
  yourMove: 'announce.turnEnded',
  interrupted: 'announce.interrupted',
  failed: 'session.label',
  gone: 'session.label',
};

/** Kinds that a turn ends with: of these the first is told, and what another source says of the same end is not. */
const ends: ReadonlySet<BadgeKind> = new Set(['yourMove', 'interrupted', 'failed']);

/** The same wait is told by a hook and by what watches for hooks that do not come, a moment apart. */
const SAME_WAIT_MS = 3_000;

/** What the live region says about a change: who waits now, whose turn ended or failed, who is gone. Newcomers and the rest are quiet. */
export function announcements(
  strings: Strings,
  before: ReadonlyMap<string, Session>,
  after: ReadonlyMap<string, Session>,
): readonly string[] {
  const lines: string[] = [];
  for (const session of after.values()) {
    const earlier = before.get(session.id);
    if (earlier === session || earlier === undefined) continue;
    const now = phaseWords(strings, session).kind;
    const key = spoken[now];
    if (key === undefined || isKnown(strings, earlier, session)) continue;
    lines.push(lineFor(strings, session, key, now === 'failed'));
  }
  return lines;
}

/** Whether the change is none to the person: told already, or only a session that wakes up or falls asleep. */
function isKnown(strings: Strings, earlier: Session, session: Session): boolean {
  const now = phaseWords(strings, session).kind;
  const then = phaseWords(strings, earlier).kind;
  if (now === 'gone') return then === 'gone';
  if (session.state !== 'active') return true;
  if (!ends.has(now)) return now === then && isSameWait(earlier, session);
  // Only a turn can end: a session that wakes up did not.
  if (earlier.state !== 'active' || earlier.phase === null) return true;
  if (now === 'failed') return then === 'failed' && earlier.phaseSince === session.phaseSince;
  return ends.has(then);
}

function isSameWait({ phaseSince: then }: Session, { phaseSince: now }: Session): boolean {
  if (then === now) return true;
  return Math.abs(Date.parse(now ?? '') - Date.parse(then ?? '')) < SAME_WAIT_MS;
}

function lineFor(strings: Strings, session: Session, key: WordKey, failed: boolean): string {
  const { tool, target } = causeWords(strings, session);
  const cause = [tool, target].filter((part) => part !== '').join(' ');
  const phase = phaseWords(strings, session).text;
  const line = say(strings, key, { project: projectName(session), phase, cause }).replace(/[\s:,]+$/, '');
  return failed && cause !== '' ? `${line}. ${cause}` : line;
}
