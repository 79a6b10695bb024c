import { grouped } from '../../domain/grouped.ts';
import { lastWorkOf } from '../../domain/work.ts';
import type { Session } from '../../protocol/state.ts';
import type { PersonsTime } from '../moment.ts';

const DAY_MS = 86_400_000;

export interface PastDay {
  /** Like `2026-03-02`, in the person's own time. */
  readonly day: string;
  readonly sessions: readonly Session[];
}

export interface PastProject {
  readonly project: string;
  readonly sessions: readonly Session[];
}

/** The newest first. */
export function byLastWork(one: Session, other: Session): number {
  return lastWorkOf(one) < lastWorkOf(other) ? 1 : -1;
}

/** In the order in which they are given: the newest first, so that a project stands where its newest session does. */
export function byProject(sessions: readonly Session[]): readonly PastProject[] {
  return grouped(sessions, ({ project, cwd }) => project || cwd).map(([project, mine]) => ({
    project,
    sessions: mine,
  }));
}

export function byDay(sessions: readonly Session[], when: PersonsTime): readonly PastDay[] {
  const day = dayNamer(when);
  return grouped(sessions, (session) => day(lastWorkOf(session))).map(([name, mine]) => ({
    day: name,
    sessions: mine,
  }));
}

function dayNamer({ timeZone }: PersonsTime): (at: string | number) => string {
  // That locale writes a date as ISO does.
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', options);
  return (at) => {
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? '' : format.format(date);
  };
}

export type DayName = 'today' | 'yesterday' | { readonly date: string };

/** What the person calls that day. */
export function dayName(day: string, when: PersonsTime): DayName {
  const today = dayNamer(when)(when.now);
  const [at, now] = [Date.parse(day), Date.parse(today)];
  if (day === today) return 'today';
  if (at === now - DAY_MS) return 'yesterday';
  if (Number.isNaN(at)) return { date: '?' };
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' as const };
  const options = { weekday: 'long', day: 'numeric', month: 'long', ...year, timeZone: 'UTC' } as const;
  return { date: new Intl.DateTimeFormat(when.locale, options).format(at) };
}

/** When the day began that was so many days ago, in this machine's time; today is one day. */
export function daysBack(now: number, days: number): string {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (days - 1));
  return start.toISOString();
}
