import type { Agent, Session } from '../src/protocol/state.ts';
import type { Story } from '../src/protocol/story.ts';
import { letterEndsAt } from './letters.ts';
import { GONE_SHOWN_MS, type SessionGroup } from './roster.ts';
import { isGone } from './sentences.ts';
import { nextCoarse, tookChangesAt } from './took.ts';

export interface Shown {
  readonly groups: readonly SessionGroup[];
  /** In a crowd nothing is told in seconds. */
  readonly crowd: boolean;
  /** Of the card that is open. */
  readonly story: Story | null | undefined;
  /** Whose card tells how long it does what it does, in seconds even in a crowd. */
  readonly chosen: { readonly agent: Agent; readonly session: Session } | undefined;
}

/** The next moment at which something on the screen reads differently by time alone; undefined: nothing ever does. */
export function nextChangeAt(now: number, { groups, crowd, story, chosen }: Shown): number | undefined {
  let next = Number.POSITIVE_INFINITY;
  const due = (moment: number | undefined) => {
    if (moment !== undefined && moment > now && moment < next) next = moment;
  };
  for (const { session, rows } of groups) {
    due(coarseChangeAt(now, session.phaseSince ?? (isGone(session) ? session.endedAt : undefined)));
    if (isGone(session)) due(Date.parse(session.endedAt ?? '') + GONE_SHOWN_MS);
    for (const { agent } of rows) {
      due(tookChangesAt(now, agent, session, crowd));
      due(letterEndsAt(agent));
    }
  }
  if (chosen !== undefined) due(tookChangesAt(now, chosen.agent, chosen.session));
  for (const step of story?.steps ?? []) due(coarseChangeAt(now, step.ts));
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}

function coarseChangeAt(now: number, since: string | undefined): number | undefined {
  const start = Date.parse(since ?? '');
  return Number.isNaN(start) ? undefined : start + nextCoarse(now - start);
}
