import { shownLine } from '../domain/shownLine.ts';

/** An agent's words as one short line, without characters that can't be seen. */
export function agentText(text: string, max = 120): string {
  return shownLine(text, max);
}

/** For labels in which the editor draws `$(name)` as an icon: neither an agent's words nor a path may draw one. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
