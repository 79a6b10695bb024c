/**
 * Names, titles, tools and targets are chosen by agents, and by whoever gives them their tasks: in a line of ours they take no second
 * line, no more room than others, and nothing that nobody sees or that turns the line's direction around.
 */
export function agentText(text: string, max = 120): string {
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

/** The editor draws `$(name)` as an icon in some of its lines; neither an agent's text nor a path is a place for one. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
