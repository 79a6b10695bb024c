import type { SessionsQuery } from '../protocol/reading.ts';
import type { Session } from '../protocol/state.ts';
import { searchable } from './interactions.ts';

/** UI-1: which sessions are wanted; the collector and the window that shows them go by the same words. */
export type SessionFilter = Pick<SessionsQuery, 'project' | 'provider' | 'title' | 'from' | 'to'>;

export function isFilter({ project, provider, title, from, to }: SessionFilter): boolean {
  return [project, provider, title, from, to].some((part) => part !== undefined);
}

export function sessionFilter({ project, provider, title, from, to }: SessionFilter): (session: Session) => boolean {
  const wanted = title === undefined ? '' : searchable(title);
  const earliest = from === undefined ? -Infinity : Date.parse(from);
  const end = to === undefined ? Infinity : Date.parse(to);
  return (session) => {
    const at = Date.parse(session.lastEventAt);
    return (
      (project === undefined || session.project === project) &&
      (provider === undefined || session.provider === provider) &&
      at >= earliest &&
      at < end &&
      searchable(session.title).includes(wanted)
    );
  };
}

/**
 * Whether a session that is kept as this JSON is worth reading: that takes a hundred times as long as seeing that it does not even
 * hold the words.
 */
export function sessionHint({ project, provider, title = '' }: SessionFilter): (json: string) => boolean {
  const quoted = [project, provider].flatMap((part) => (part === undefined ? [] : [JSON.stringify(part)]));
  const wanted = ESCAPED.test(searchable(title)) ? '' : searchable(title);
  return (json) => quoted.every((part) => json.includes(part)) && (wanted === '' || searchable(json).includes(wanted));
}

/** What JSON writes in another way, or may. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
