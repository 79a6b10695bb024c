import { codeMarkdown } from '../domain/markdownText.ts';
import type { Translator } from './stepWords.ts';

/** How times are written for a person. */
export interface PersonsTime {
  /** A BCP 47 tag. */
  readonly locale: string;
  /** Without it, the machine's own. */
  readonly timeZone?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Like `14:03:22`, with the day before it unless that is today. A timestamp that can't be read is shown as it is, as Markdown. */
export function momentOf(ts: string, time: PersonsTime): string {
  return moments(time)(ts);
}

/** `momentOf` for many timestamps: making the formats takes a millisecond. */
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

/** With day, seconds and time zone, for texts that are read on another day or in another place. */
export function fullMoments({ locale, timeZone }: PersonsTime): (ts: string) => string {
  const day = { year: 'numeric', month: 'short', day: 'numeric', timeZoneName: 'short' } as const;
  const format = new Intl.DateTimeFormat(locale, { timeZone, ...day, ...toSeconds });
  return (ts) => {
    const at = new Date(ts);
    return Number.isNaN(at.getTime()) ? codeMarkdown(ts) : format.format(at);
  };
}

/** Hours and minutes, with the day before them unless that is the day of `now`; empty for a timestamp that can't be read. */
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

/** Hours and minutes, where the day stands beside it; empty for a timestamp that can't be read. */
export function clockTime(ts: string, { locale, timeZone }: PersonsTime): string {
  const at = new Date(ts);
  return Number.isNaN(at.getTime()) ? '' : new Intl.DateTimeFormat(locale, { timeZone, ...toMinutes }).format(at);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface DurationFormat {
  readonly l10n: Translator;
  number(value: number): string | number;
}

/** A duration in one or two units: tenths of seconds, seconds, minutes, hours and minutes. */
export function durationText(ms: number, { l10n, number }: DurationFormat): string {
  const whole = Math.max(0, Number.isFinite(ms) ? ms : 0);
  if (whole < 10 * SECOND) return l10n.t('{n} s', { n: number(whole / SECOND) });
  if (whole < MINUTE) return l10n.t('{n} s', { n: Math.round(whole / SECOND) });
  if (whole < HOUR) return l10n.t('{n} min', { n: Math.round(whole / MINUTE) });
  const hours = l10n.t('{n} h', { n: Math.floor(whole / HOUR) });
  const minutes = Math.floor((whole % HOUR) / MINUTE);
  return minutes === 0 ? hours : `${hours} ${l10n.t('{n} min', { n: minutes })}`;
}
