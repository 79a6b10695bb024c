import { codeMarkdown } from './markdownText.ts';

export interface PersonsTime {
  /** BCP 47. */
  readonly locale: string;
  /** The person's own, unless a test says another. */
  readonly timeZone?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The person's own time; with the day where it is not today's. */
export function momentOf(ts: string, time: PersonsTime): string {
  return moments(time)(ts);
}

/** The same for many: to learn how people of a place write the time takes a millisecond. */
export function moments({ locale, timeZone, now }: PersonsTime): (ts: string) => string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: 'medium' });
  const time = new Intl.DateTimeFormat(locale, {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const today = day.format(now);
  return (ts) => {
    const at = new Date(ts);
    if (Number.isNaN(at.getTime())) return codeMarkdown(ts);
    return day.format(at) === today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
  };
}

/** With day and zone, for what is read on another day or elsewhere. */
export function fullMoments({ locale, timeZone }: PersonsTime): (ts: string) => string {
  const format = new Intl.DateTimeFormat(locale, {
    ...(timeZone === undefined ? {} : { timeZone }),
    ...{ year: 'numeric', month: 'short', day: 'numeric', timeZoneName: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  });
  return (ts) => {
    const at = new Date(ts);
    return Number.isNaN(at.getTime()) ? codeMarkdown(ts) : format.format(at);
  };
}
