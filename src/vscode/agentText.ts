import { shownLine } from '../domain/shownLine.ts';

/** What agents say, in a line of ours. */
export function agentText(text: string, max = 120): string {
  return shownLine(text, max);
}

/** The editor draws `$(name)` as an icon in some of its lines; neither an agent's text nor a path is a place for one. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
