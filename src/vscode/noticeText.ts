/**
 * For the editor's messages, in which `[words](command:…)` is a link and one click runs the command. Anybody can name a folder or a
 * file like that, and other programs write messages, so a space is put between the two halves.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
