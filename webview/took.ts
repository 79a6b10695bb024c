import type { Activity, Agent, Mood, Session } from '../src/protocol/state.ts';
import { durationSince } from './durations.ts';
import { shownActivity } from './sentences.ts';
import type { Speech } from './sessionSentences.ts';
import { say } from './words.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What is over sooner is not timed: a number that flashes by tells nobody anything. */
const TIMED_AFTER_MS = 3 * SECOND;

const timed: ReadonlySet<Mood> = new Set(['running', 'searching', 'browsing', 'delegating', 'reading', 'writing']);

/** Since when an agent does what is shown of it, where it is told for how long. */
function timedSince(
  agent: Agent,
  session: Session,
): { readonly since: string; readonly inSeconds: boolean } | undefined {
  if (agent.wait !== null) return { since: agent.wait.since, inSeconds: false };
  const activity: Activity | undefined = shownActivity(agent, session);
  return activity && timed.has(activity.mood) ? { since: activity.since, inSeconds: true } : undefined;
}

/** Whether the words of `tookWords` will stand there sooner or later: their place is kept from the beginning. */
export function isTimed(agent: Agent, session: Session): boolean {
  return timedSince(agent, session) !== undefined;
}

/** For how long an agent has been at it: "12 s", "2 min"; `coarse`: never in seconds. */
export function tookWords(speech: Speech, agent: Agent, session: Session, coarse = false): string {
  const began = timedSince(agent, session);
  if (began === undefined) return '';
  const elapsed = speech.now - Date.parse(began.since);
  if (elapsed >= MINUTE) return durationSince(speech.strings, speech.formats, began.since, speech.now);
  if (coarse || !began.inSeconds || !(elapsed >= TIMED_AFTER_MS)) return '';
  const seconds = speech.formats.number(Math.floor(elapsed / SECOND));
  return say(speech.strings, 'duration.seconds', { n: seconds });
}

/** The moment at which `tookWords` says something else. */
export function tookChangesAt(now: number, agent: Agent, session: Session, coarse = false): number | undefined {
  const began = timedSince(agent, session);
  if (began === undefined) return undefined;
  const start = Date.parse(began.since);
  if (Number.isNaN(start)) return undefined;
  const elapsed = now - start;
  if (elapsed >= MINUTE || coarse || !began.inSeconds) return start + nextCoarse(elapsed);
  if (elapsed < TIMED_AFTER_MS) return start + TIMED_AFTER_MS;
  return start + (Math.floor(elapsed / SECOND) + 1) * SECOND;
}

/** After how long a duration of minutes, hours or days reads differently. */
export function nextCoarse(elapsed: number): number {
  const hour = 60 * MINUTE;
  const step = elapsed < hour ? MINUTE : elapsed < 24 * hour ? hour : 24 * hour;
  return (Math.floor(Math.max(0, elapsed) / step) + 1) * step;
}
