import { codeMarkdown } from '../domain/markdownText.ts';
import type { Translator } from './stepWords.ts';

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
  const day = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium' });
  const time = new Intl.DateTimeFormat(locale, { timeZone, ...toSeconds });
  const today = day.format(now);
  return (ts) => {
    const at = new Date(ts);
    if (Number.isNaN(at.getTime())) return codeMarkdown(ts);
    return day.format(at) === today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
  };
}

const toMinutes = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const toSeconds = { ...toMinutes, second: '2-digit' } as const;

/** With day and zone, for what is read on another day or elsewhere. */
export function fullMoments({ locale, timeZone }: PersonsTime): (ts: string) => string {
  const day = { year: 'numeric', month: 'short', day: 'numeric', timeZoneName: 'short' } as const;
  const format = new Intl.DateTimeFormat(locale, { timeZone, ...day, ...toSeconds });
  return (ts) => {
    const at = new Date(ts);
    return Number.isNaN(at.getTime()) ? codeMarkdown(ts) : format.format(at);
  };
}

/** In a line that has little room: the time alone, with the day where it is not today's. */
export function shortMoments(
  { locale, timeZone }: Omit<PersonsTime, 'now'>,
  time = new Intl.DateTimeFormat(locale, { timeZone, ...toMinutes }),
): (ts: string, now: number) => string {
  const day = new Intl.DateTimeFormat(locale, { timeZone, month: 'short', day: 'numeric' });
  return (ts, now) => {
    const at = new Date(ts);
    if (Number.isNaN(at.getTime())) return '';
    const on = day.format(at);
    return on === day.format(now) ? time.format(at) : `${on} ${time.format(at)}`;
  };
}

/** On a day that is told beside it. */
export function clockTime(ts: string, { locale, timeZone }: PersonsTime): string {
  const at = new Date(ts);
  return Number.isNaN(at.getTime()) ? '' : new Intl.DateTimeFormat(locale, { timeZone, ...toMinutes }).format(at);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface DurationTelling {
  readonly l10n: Translator;
  number(value: number): string | number;
}

/** As long as it matters to a person: tenths of seconds, seconds, minutes, hours. */
export function durationText(ms: number, { l10n, number }: DurationTelling): string {
  const whole = Math.max(0, Number.isFinite(ms) ? ms : 0);
  if (whole < 10 * SECOND) return l10n.t('{n} s', { n: number(whole / SECOND) });
  if (whole < MINUTE) return l10n.t('{n} s', { n: Math.round(whole / SECOND) });
  if (whole < HOUR) return l10n.t('{n} min', { n: Math.round(whole / MINUTE) });
  const hours = l10n.t('{n} h', { n: Math.floor(whole / HOUR) });
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  return minutes === 0 ? hours : `${hours} ${l10n.t('{n} min', { n: minutes })}`;
}
