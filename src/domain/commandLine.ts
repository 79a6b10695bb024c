type Operator = '' | '&&' | '||' | '|' | ';' | '&';

export interface Part {
  /** What stands between it and the part before. */
  readonly before: Operator;
  readonly words: readonly string[];
}

export interface CommandLine {
  readonly parts: readonly Part[];
  /** Its end says nothing of its last part. */
  readonly isLoose: boolean;
}

/** Quoted text, what is put in for something else, and redirections hold no operator. */
const pieces =
  /'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\$\([^()]*\)|\\.|[<>]&|&>|<<|&&|\|\||\|&|[;|&\n]|[^'"`$\\<>;|&\n]+|[^\n]/gs;

export function commandLineOf(command: string): CommandLine {
  const parts: Part[] = [];
  let text = '';
  const last: { operator: Operator } = { operator: '' };
  const end = (operator: Operator, isBreak: boolean): void => {
    const words = wordsOf(text);
    text = '';
    if (words.length > 0) parts.push({ before: last.operator, words });
    // A line that ends with an operator goes on in the next one.
    else if (isBreak) return;
    last.operator = operator;
  };
  for (const [piece] of command.matchAll(pieces)) {
    // What a program is given to read looks like commands, and is none.
    if (piece === '<<') return { parts: [...parts, { before: last.operator, words: wordsOf(text) }], isLoose: true };
    const operator = operatorOf(piece);
    if (operator === '') text += piece;
    else end(operator, piece === '\n');
  }
  end('', true);
  return { parts, isLoose: last.operator === '&' };
}

function operatorOf(piece: string): Operator {
  switch (piece) {
    case '&&':
    case '||':
    case '|':
    case ';':
    case '&':
      return piece;
    case '|&':
      return '|';
    case '\n':
      return ';';
    default:
      return '';
  }
}

function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/^[({]+|[)}]+$|["']/g, '')).filter((word) => word !== '');
}

/** Whether the line, where it ends well, says that this part did: what a pipe, `||` or a later command hides nobody knows. */
export function decides({ parts, isLoose }: CommandLine, index: number): boolean {
  const after = parts.slice(index + 1).map(({ before }) => before);
  if (isLoose || after[0] === '|' || !after.every((operator) => operator === '&&' || operator === '|')) return false;
  // Behind `||` it runs only where something else failed.
  return parts.slice(0, index + 1).findLast(({ before }) => before !== '|')?.before !== '||';
}

/** Those of which one has failed where the line has: what stands before the last `;` is forgotten, as are the heads of pipes. */
export function suspectsIn({ parts }: CommandLine): readonly Part[] {
  const first = parts.findLastIndex(({ before }) => before === ';' || before === '&' || before === '');
  return parts.slice(Math.max(first, 0)).filter((_part, index, all) => all[index + 1]?.before !== '|');
}
