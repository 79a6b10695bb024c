/** A word of a command line, or an operator between words. */
export interface ShellWord {
  readonly start: number;
  readonly end: number;
  /** Without its quotes. */
  readonly text: string;
  readonly operator: boolean;
}

const operatorStart = /[;&|<>()\n]/;

function operatorLength(text: string, at: number): number {
  const three = text.slice(at, at + 3);
  if (three === '<<<' || three === '<<-' || three === '&>>') return 3;
  const two = three.slice(0, 2);
  return ['&&', '||', '>>', '<<', '>|', '&>', '|&', ';;'].includes(two) ? 2 : 1;
}

interface Piece {
  readonly text: string;
  readonly end: number;
}

function quotedPiece(text: string, at: number): Piece {
  const quote = text.charAt(at);
  const parts: string[] = [];
  let end = at + 1;
  while (end < text.length && text[end] !== quote) {
    if (quote === '"' && text[end] === '\\') end += 1;
    parts.push(text.charAt(end));
    end += 1;
  }
  return { text: parts.join(''), end: Math.min(text.length, end + 1) };
}

function readWord(text: string, start: number): ShellWord {
  const parts: string[] = [];
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const piece = quotedPiece(text, at);
      parts.push(piece.text);
      at = piece.end;
    } else if (character === '\\' && at + 1 < text.length && text[at + 1] !== '\n') {
      // A backslash before a letter is a Windows path's, not an escape.
      if (/[A-Za-z0-9._]/.test(text.charAt(at + 1))) parts.push('/');
      else parts.push(text.charAt((at += 1)));
      at += 1;
    } else if (/[\s`]/.test(character) || operatorStart.test(character) || character === '\\') {
      break;
    } else {
      parts.push(character);
      at += 1;
    }
  }
  return { start, end: at, text: parts.join(''), operator: false };
}

/** Splits a command line the way a shell would, as far as it matters for telling which files a command touches. */
export function shellWords(text: string): readonly ShellWord[] {
  const words: ShellWord[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (operatorStart.test(character)) {
      const end = at + operatorLength(text, at);
      words.push({ start: at, end, text: text.slice(at, end), operator: true });
      at = end;
    } else if (character === '`' || (character === '$' && text[at + 1] === '(')) {
      words.push({ start: at, end: at + 1, text: '(', operator: true });
      at += character === '`' ? 1 : 2;
    } else if (/\s/.test(character) || (character === '\\' && text[at + 1] === '\n')) {
      at += 1;
    } else {
      const word = readWord(text, at);
      words.push(word);
      at = Math.max(word.end, at + 1);
    }
  }
  return words;
}
