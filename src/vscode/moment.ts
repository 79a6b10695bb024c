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
export function momentOf(ts: string, { locale, timeZone, now }: PersonsTime): string {
  const at = new Date(ts);
  if (Number.isNaN(at.getTime())) return codeMarkdown(ts);
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: 'medium' });
  const time = new Intl.DateTimeFormat(locale, {
    ...zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const today = day.format(at) === day.format(now);
  return today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}
