/** Agents choose these texts: nothing of them may become a heading, a link or HTML, in the text or in its preview. */

const TEXT_MAX = 300;

/** On one line, cut, without characters that nobody sees or that turn the line's direction around. */
export function oneLine(text: string, max = TEXT_MAX): string {
  const line = text
    .slice(0, max * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}

/** As words. CommonMark takes a backslash before any punctuation of ASCII. */
export function plainMarkdown(text: string): string {
  return oneLine(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** As code, whatever backticks are in it. Empty for nothing. */
export function codeMarkdown(text: string): string {
  const line = oneLine(text);
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
