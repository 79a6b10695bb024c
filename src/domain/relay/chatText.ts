import { lastPart } from '../folders.ts';
import { maskText } from '../mask/mask.ts';
import { shownLine } from '../shownLine.ts';
import { cutText } from '../text.ts';

/** RLY-1. Discord takes 2,000; what is cut is read where the session is. */
export const CHAT_TEXT_MAX = 1_900;

/** Discord's. */
const THREAD_NAME_MAX = 100;

/** As much as is looked through for secrets: what lies behind is cut off anyway, and a reply may be long. */
const MASKED_MAX = 4 * CHAT_TEXT_MAX;

/** RLY-1, RLY-3: masked again, for what leaves the machine does not come back. Empty: there is nothing to be said. */
export function chatText(text: string): string {
  const masked = maskText(cutText(text.trim(), MASKED_MAX));
  return masked.length <= CHAT_TEXT_MAX ? masked : `${cutText(masked, CHAT_TEXT_MAX)}...`;
}

/** Slack reads these three as the beginnings of mentions, links and escapes. */
export function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * By project, worktree and the first letters of its id, for several sessions work in one. Not by the session's title: that is what the
 * person asked first, and of prompts nothing is sent.
 */
export function threadName(session: { id: string; project: string; worktree?: string | undefined }) {
  const parts = [lastPart(session.project), session.worktree, session.id.slice(0, 8)];
  const name = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  const line = shownLine(maskText(name), THREAD_NAME_MAX);
  return line === '' ? 'session' : line;
}

/** What a tool was to be used on, in a line of a chat: in no more than its own quotes. */
export function quotedTarget(target: string): string {
  return `\`${shownLine(target.replaceAll('`', 'ˋ'), 300)}\``;
}
