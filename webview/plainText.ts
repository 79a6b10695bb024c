/** A picture by its words, a link by its text. */
const LINK = /(?<![\w\])])!?\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/g;

/**
 * What an agent wrote as Markdown, as somebody would say it: the words without their marks. Code keeps its text, of a link its target goes.
 * It reads what may be cut anywhere, so a mark whose partner is missing goes too.
 */
export function plainWords(markdown: string): string {
  const lines = markdown.split('\n').filter((line) => !isRule(line));
  const spoken = lines
    .map((line) =>
      line
        .replace(/^\s*(?:>\s?)+/, '')
        .replace(/^\s{0,3}#{1,6}\s+/, '')
        .replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, ''),
    )
    .map(withoutMarks)
    .join(' ');
  return withoutHalf(spoken.replace(/\s+/g, ' ').trim()).trimEnd();
}

/** Fences, lines that divide, and the line below a table's head. */
function isRule(line: string): boolean {
  return /^\s*(?:```|~~~)[^`]*$|^\s*(?:[-*_]\s*){3,}$|^\s*[|:\-\s]{3,}$/.test(line) && line.trim() !== '';
}

/** Inside backticks a star is a star. */
function withoutMarks(line: string): string {
  return line
    .replace(LINK, '$1')
    .split(/(`+[^`]+`+)/)
    .map((part) => (part.startsWith('`') && part.length > 2 ? part.replaceAll('`', '') : withoutEmphasis(part)))
    .join('');
}

/** Pairs first, for in some languages a letter follows the mark; a single one only where it can't be a path's or a product's. */
function withoutEmphasis(text: string): string {
  return text
    .replaceAll('`', '')
    .replace(/(\*{1,3}|~~)(?=[^\s/*])([^*~]+?)(?<=[^\s/*])\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}/*])\*{1,3}(?=[^\s*/.])|(?<=[^\s*/])\*{1,3}(?![\p{L}\p{N}/*]|\.\w)/gu, '')
    .replace(/(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/\s*\|\s*/g, ' ');
}

/** At most so many code units, an ellipsis among them; never half of a character. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${withoutHalf(text.slice(0, max - 1)).trimEnd()}…`;
}

/** Half of a surrogate pair, and what would have joined the next sign, at the end of something cut. */
function withoutHalf(text: string): string {
  return text.replace(/[\ud800-\udbff](?:…?)$/, (end) => end.slice(1)).replace(/\u200d(…?)$/, '$1');
}
