import type { Session } from '../src/protocol/state.ts';
import { causeWords, phaseWords, projectName, type BadgeKind } from './sentences.ts';
import { say, type Strings, type WordKey } from './words.ts';

const spoken: Partial<Record<BadgeKind, WordKey>> = {
  permission: 'announce.permission',
  question: 'announce.question',
  yourMove: 'announce.turnEnded',
  failed: 'session.label',
};

/** What the live region says about a change: who waits now, and whose turn ended or failed. Newcomers and the rest are quiet. */
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
    const then = phaseWords(strings, earlier).kind;
    const sameWait = session.phaseSince === earlier.phaseSince || now === 'yourMove';
    if (now === then && sameWait) continue;
    // Only a turn can end: a session that wakes up did not, and one that failed ended with that.
    if (now === 'yourMove' && (then === 'none' || then === 'failed')) continue;
    if (now === 'failed' && then === 'none') continue;
    const key = spoken[now];
    if (key === undefined) continue;
    const { tool, target } = causeWords(strings, session);
    const cause = [tool, target].filter((part) => part !== '').join(' ');
    const phase = phaseWords(strings, session).text;
    const line = say(strings, key, { project: projectName(session), phase, cause }).replace(/[\s:,]+$/, '');
    lines.push(now === 'failed' && cause !== '' ? `${line}. ${cause}` : line);
  }
  return lines;
}
