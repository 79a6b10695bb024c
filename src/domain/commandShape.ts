import { cutText } from './text.ts';

/** Only this much of a command is read: the beginning of a longer one says enough. */
const READ_MAX = 4_000;

/** Matches blanks, operators, redirections, and words including their quoted and escaped parts. */
const pieces =
  /\s+|&&|\|\||\|&|[;|&]|<<|\$\(|`|(?:\$?'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|\\?$)|\\.|\\$|[^\s'"`\\;|&<$]|<(?!<)|\$(?!\())+/gsu;

/** Programs that only print their arguments, or ignore them. */
const writers = /^(?:echo|printf|print|say|wall|logger|:|true|false|write-(?:host|output|error|warning))$/i;

const QUOTED_MAX = 40;

/**
 * MEM-5: returns a command's programs with their plain arguments. Quoted arguments, heredocs, comments and the arguments of `echo`, where
 * an agent can write anything, become `…`. Applying it twice changes nothing.
 */
export function commandShape(command: string): string {
  const shape: string[] = [];
  let writes: 'nothing' | 'something' | 'left out' = 'nothing';
  for (const [piece] of cutText(command, READ_MAX).trim().matchAll(pieces)) {
    // A heredoc, a comment or a nested command follows; finding its end would take a real parser.
    if (/^(?:<<|`|\$\(|#)/.test(piece)) return `${shape.join('')}…`;
    if (/^(?:[;|&]|\s*\n)/.test(piece)) {
      writes = 'nothing';
      shape.push(piece.trim() === '' ? '; ' : piece);
    } else if (/^\s/.test(piece)) {
      shape.push(' ');
    } else if (writes === 'nothing') {
      shape.push(shapeOfWord(piece));
      if (writers.test(programOf(piece))) writes = 'something';
    } else if (writes === 'something') {
      writes = 'left out';
      shape.push('…');
    }
  }
  return shape.join('').replace(/ {2,}/g, ' ').trimEnd();
}

/** The program's name, without its path and without the brackets of a group. */
function programOf(word: string): string {
  return word
    .replace(/["'\\]/g, '')
    .replace(/^[({!]+/, '')
    .replace(/^.*\//s, '');
}

function shapeOfWord(word: string): string {
  const isPlain = !/["'\\]/.test(word);
  if (isPlain || (word.length <= QUOTED_MAX && !/\s/.test(word))) return word;
  return `${/^[\w-]*=/.exec(word)?.[0] ?? ''}"…"`;
}
