/**
 * Names, titles, tools and targets are chosen by agents, and by whoever gives them their tasks: in a line of ours they take no second
 * line, no more room than others, and nothing that nobody sees or that turns the line's direction around.
 */
export function shownLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .trim();
  return line.length <= max
    ? line
    : `${line
        .slice(0, max - 1)
        .replace(LONE, '')
        .trimEnd()}…`;
}

/** Half of a character, which a cut leaves behind. */
const LONE = /\p{Cs}/gu;
