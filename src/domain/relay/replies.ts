import { hashHex } from '../hash.ts';
import type { Draft } from './drafts.ts';
import type { RelaySession } from './records.ts';

/** As many as one turn may have before somebody tells of them again. */
const REPLIES_MAX = 8;

/** Two replies of one turn that begin alike for so long are one. */
const MARK_LETTERS = 1_000;

/** Hooks and transcripts may tell one reply with other white space, and cut at another place for it. */
function replyMark(text: string): string {
  return hashHex(
    text
      .replace(/\.\.\.$/, '')
      .replace(/\s+/g, '')
      .slice(0, MARK_LETTERS),
  );
}

type Said = Pick<RelaySession, 'replies' | 'promptAt'>;
type Reply = Pick<Draft, 'text' | 'at'>;

/** Whether this reply was said already: told again, or late by another source. The same words after another prompt are news. */
export function isRepeated({ replies = [], promptAt = '' }: Said, { text, at }: Reply): boolean {
  const mark = replyMark(text);
  return replies.some((said) => said.mark === mark && said.at > promptAt === at > promptAt);
}

export function withReply(session: RelaySession, { text, at }: Reply): RelaySession {
  return { ...session, replies: [...(session.replies ?? []), { mark: replyMark(text), at }].slice(-REPLIES_MAX) };
}

/** A clock that was set back by more is believed. */
const SET_BACK_MS = 60_000;

/** What is known after the person said something; undefined: it was known. Both times as they are in events. */
export function withPrompt({ replies = [], promptAt = '' }: Said, at: string, now: string): Said | undefined {
  if (at > promptAt) return { replies, promptAt: at };
  if (!(Date.parse(promptAt) - Date.parse(now) > SET_BACK_MS)) return undefined;
  // The clock was set back: what was said before it bears later times, and belongs to none of the turns that come.
  return { replies: replies.map(({ mark }) => ({ mark, at: '' })), promptAt: at };
}
