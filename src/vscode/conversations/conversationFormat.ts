import { fullMoments, moments, type PersonsTime } from '../moment.ts';
import type { Translator } from '../stepWords.ts';

/** How many characters of each thing are written, and whether each time says its day and zone. */
export interface TextLimits {
  /** Of one prompt or reply. */
  readonly said: number;
  /** Of what a tool was given. */
  readonly given: number;
  /** Of what a tool answered. */
  readonly answered: number;
  readonly fullTimes?: true;
}

/** The language, the limits, and the look of times and numbers in a conversation's text. */
export interface ConversationFormat {
  readonly l10n: Translator;
  readonly limits: TextLimits;
  readonly moment: (ts: string) => string;
  readonly number: (value: number) => string;
}

export function conversationFormat(l10n: Translator, time: PersonsTime, limits: TextLimits): ConversationFormat {
  const numbers = new Intl.NumberFormat(time.locale, { maximumFractionDigits: 1 });
  const moment = limits.fullTimes ? fullMoments(time) : moments(time);
  return { l10n, limits, moment, number: (value) => numbers.format(value) };
}

/** For a document in the editor, which lays out all of it at once. */
export const shownLimits: TextLimits = { said: 40_000, given: 400, answered: 800 };
/** For an exported file: nothing is cut. */
export const wholeLimits: TextLimits = { said: Infinity, given: Infinity, answered: Infinity, fullTimes: true };
