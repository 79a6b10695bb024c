import type { Formats } from './formats.ts';
import { say, type Strings } from './words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long since, as coarse as a glance needs it: nothing in the panel changes more often than once a minute by time alone. */
export function durationSince(strings: Strings, formats: Formats, since: string, now: number): string {
  // The agent may run on another machine whose clock is ahead: never a negative time.
  const elapsed = Math.max(0, now - Date.parse(since));
  if (Number.isNaN(elapsed)) return '';
  if (elapsed < MINUTE) return say(strings, 'duration.now');
  if (elapsed < HOUR) return counted('duration.minutes', elapsed / MINUTE);
  if (elapsed < DAY) return counted('duration.hours', elapsed / HOUR);
  return counted('duration.days', elapsed / DAY);

  function counted(key: 'duration.minutes' | 'duration.hours' | 'duration.days', amount: number): string {
    return say(strings, key, { n: formats.number(Math.floor(amount)) });
  }
}
