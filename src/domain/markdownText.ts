import { shownLine } from './shownLine.ts';

/** Agents choose these texts: nothing of them may become a heading, a link or HTML, in the text or in its preview. */

const TEXT_MAX = 300;

/** As words. CommonMark takes a backslash before any punctuation of ASCII. */
export function plainMarkdown(text: string): string {
  return shownLine(text, TEXT_MAX).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** In a heading, which the editor's outline shows as it is written: with no more backslashes than it takes. */
export function headingMarkdown(text: string, max = 80): string {
  return shownLine(text, max).replace(/[\\`*[\]<>&#~|$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/|[a-z])/giu, '\\$&');
}

/** As code, whatever backticks are in it. Empty for nothing. */
export function codeMarkdown(text: string): string {
  const line = shownLine(text, TEXT_MAX);
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/**
 * What was said, at its full length, as it is but for spaces: each line stands in a quotation, so whatever it opens (a heading, a
 * fence, a comment) ends there and can't pass for ours. A space breaks what would be more than words: a tag, a picture from
 * elsewhere, an address that runs a command, and the other spellings of such an address. A backslash would be one too many where
 * one stands before it. Code is put in a fence and a quotation of our own, where nothing has to be broken.
 */
export function quotedMarkdown(text: string): string {
  const parts: string[] = [];
  let lines: string[] = [];
  let fence = '';
  const end = () => {
    if (lines.length > 0 || fence !== '') parts.push(quotation(fence === '' ? lines : fenced(lines)));
    lines = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (fence !== '' && closes(line, fence)) {
      end();
      fence = '';
    } else if (fence !== '') lines.push(line);
    else {
      const opened = OPENS_CODE.exec(line)?.[1] ?? '';
      if (opened === '') lines.push(asWords(line));
      else end();
      fence = opened;
    }
  }
  end();
  return parts.join('\n\n');
}

/** The word for its language is left out: other extensions draw pictures and formulas by it. */
const OPENS_CODE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

function closes(line: string, fence: string): boolean {
  const run = line.trim();
  return run.length >= fence.length && run === fence.charAt(0).repeat(run.length);
}

function fenced(lines: readonly string[]): readonly string[] {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = '`'.repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 2));
  return [fence, ...lines, fence];
}

/** What a tool was given or answered, in a fence and a quotation of ours. */
export function quotedCode(text: string, language: 'diff' | '' = ''): string {
  return quotation(fencedLines(text, language));
}

/** As it is, in a fence that nothing in it can close. */
export function fencedCode(text: string, language: 'json' | '' = ''): string {
  return fencedLines(text, language).join('\n');
}

function fencedLines(text: string, language: string): readonly string[] {
  const [fence = '', ...rest] = fenced(text.split(/\r\n|\r|\n/));
  return [`${fence}${language}`, ...rest];
}

function quotation(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

function asWords(line: string): string {
  return line
    .replace(/<(?=[a-z/!?])/giu, '< ')
    .replace(/!(?=\[)/gu, '! ')
    .replace(/&(?=#|[a-z][a-z\d]*;)/giu, '& ')
    .replace(/\\(?=:)/gu, '\\ ')
    .replace(/command(?=:)/giu, '$& ');
}
