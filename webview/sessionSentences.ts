import type { Cause, Session, Task } from '../src/protocol/state.ts';
import type { WorkItem } from '../src/protocol/work.ts';
import { durationSince } from './durations.ts';
import type { Formats } from './formats.ts';
import { causeWords, isGone, phaseWords, projectName } from './sentences.ts';
import { say, type SourceWord, type Strings } from './words.ts';

export interface Speech {
  readonly strings: Strings;
  readonly formats: Formats;
  readonly now: number;
}

/** Who told it; the hooks' own word is the usual case, the others corrected what hooks missed. */
function sourceOf({ source, by }: Cause): SourceWord {
  if (by === 'status_file' || by === 'process') return by;
  return by === 'silence' || source === 'synthetic' ? 'inferred' : source;
}

export function sourceWords(strings: Strings, session: Session): string {
  return session.phaseBecause === null ? '' : say(strings, `source.${sourceOf(session.phaseBecause)}`);
}

/** How long it has been so: "2 min", and of who sleeps "for 20 min". */
export function sinceWords({ strings, formats, now }: Speech, session: Session): string {
  const since = session.phaseSince ?? (isGone(session) ? (session.endedAt ?? null) : null);
  if (since === null) return '';
  const duration = durationSince(strings, formats, since, now);
  return duration !== '' && session.state === 'idle' ? say(strings, 'duration.for', { duration }) : duration;
}

export interface TaskProgress {
  readonly count: string;
  /** The one that is being done, in the agent's words. */
  readonly doing: string;
}

export function taskProgress({ strings, formats }: Speech, tasks: readonly Task[]): TaskProgress | undefined {
  if (tasks.length === 0) return undefined;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return {
    count: say(strings, 'session.tasks', { done: formats.number(done), all: formats.number(tasks.length) }),
    doing: tasks.find(({ status }) => status === 'in_progress')?.title ?? '',
  };
}

export interface ContextUse {
  /** For a glance. */
  readonly short: string;
  /** In numbers. */
  readonly full: string;
  /** 0 to 1; undefined where the model's own measure is not known. */
  readonly share: number | undefined;
}

export function contextUse({ strings, formats }: Speech, session: Session): ContextUse | undefined {
  if (session.usage === null || session.usage.contextUsed === 0) return undefined;
  const { contextUsed, contextWindow } = session.usage;
  const alone = say(strings, 'context.tokens', { n: formats.compact(contextUsed) });
  if (contextWindow === null || contextWindow <= 0) return { short: alone, full: alone, share: undefined };
  // An agent may count what is over the limit until it compacts.
  const share = Math.min(1, contextUsed / contextWindow);
  const percent = formats.percent(share);
  return {
    short: say(strings, 'context.share', { share: percent }),
    full: say(strings, 'context.both', {
      used: formats.compact(contextUsed),
      all: formats.compact(contextWindow),
      share: percent,
    }),
    share,
  };
}

export function tokenWords({ strings, formats }: Speech, { counts }: Session): string {
  if (counts.tokensIn === 0 && counts.tokensOut === 0) return '';
  return say(strings, 'details.tokenCounts', {
    in: formats.compact(counts.tokensIn),
    out: formats.compact(counts.tokensOut),
  });
}

export function backgroundWords({ strings, formats }: Speech, { background }: Session): string {
  return background === 0 ? '' : say(strings, 'session.background', { n: formats.number(background) });
}

export function surfaceWords(strings: Strings, { surface }: Session): string {
  return surface === 'unknown' ? '' : say(strings, `surface.${surface}`);
}

/** TRN-4; empty where the badge says it already. */
export function seenWords(strings: Strings, session: Session): string {
  return session.seenIn === 'transcript' && phaseWords(strings, session).kind !== 'seen'
    ? say(strings, 'seen.label')
    : '';
}

/** STA-3: the phase with all that is known of it, in one line. */
export function phaseSentence(speech: Speech, session: Session): string {
  const { strings } = speech;
  const { tool, target } = causeWords(strings, session);
  return [
    phaseWords(strings, session).text,
    `${tool} ${target}`.trim(),
    sinceWords(speech, session),
    sourceWords(strings, session),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** What a screen reader says of a session: whose it is, what it needs, why, since when, what it is about, and who says so. */
export function sessionLabel(speech: Speech, session: Session, work?: Pick<WorkItem, 'title'>): string {
  const { strings } = speech;
  const phase = phaseWords(strings, session).text;
  const { tool, target } = causeWords(strings, session);
  const parts = [
    say(strings, 'session.label', { project: projectName(session), phase }),
    `${tool} ${target}`.trim(),
    sinceWords(speech, session),
    session.title,
    work === undefined ? '' : say(strings, 'session.work', { title: work.title }),
    sourceWords(strings, session),
    seenWords(strings, session),
    backgroundWords(speech, session),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
