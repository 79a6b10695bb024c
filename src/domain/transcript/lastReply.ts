import type { TranscriptFormat } from '../providers/transcript.ts';
import { factsInLine } from './read.ts';

/** TRN-2: the text of the last message that has one, from lines in order; null when there is none. */
export function lastReplyIn(format: TranscriptFormat, lines: readonly string[]): string | null {
  if (format.lastReply) return format.lastReply(lines);
  const words: string[] = [];
  let message: string | undefined;
  for (const line of lines.toReversed()) {
    for (const fact of factsInLine(format, line).toReversed()) {
      if (fact.kind !== 'reply') continue;
      message ??= fact.messageId;
      if (fact.messageId !== message) return words.reverse().join('\n');
      words.push(fact.text);
    }
  }
  return message === undefined ? null : words.reverse().join('\n');
}
