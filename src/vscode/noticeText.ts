/**
 * The editor makes a link of `[words](command:…)` in what it tells, and one click runs the command. Folders, files and other
 * programs' messages are named by anybody: a space keeps the two halves from being one.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
