import type { Pipeline, ShellCommand } from './shellCommands.ts';
import type { ShellWord } from './shellWords.ts';

const assignment = /^\$?([A-Za-z_]\w*)\+?=(.+)$/s;
const reference = /\$\{?([A-Za-z_]\w*)\}?/g;
/** A word longer than that is no file's name; doubling itself over and over it would grow without end. */
const longestWord = 256;

type Variables = Map<string, string>;

function filled(text: string, variables: Variables): string {
  if (variables.size === 0 || !text.includes('$')) return text;
  const full = text.replace(reference, (whole, name: string) => variables.get(name) ?? whole);
  return full.length > Math.max(longestWord, text.length) ? text : full;
}

function keep(name: string, value: string, variables: Variables): void {
  if (value.length <= longestWord) variables.set(name, value);
}

/** `for f in .env*`: which of several words the variable holds can't be told, so one that is a file's name with a dot goes first. */
function loopValue(words: readonly string[]): string | undefined {
  return words.find((word) => /(?:^|\/)\./.test(word)) ?? words[0];
}

function learn(command: ShellCommand, variables: Variables): void {
  const texts = command.words.map(({ text }) => text);
  const [first = '', second = ''] = texts;
  for (const text of texts) {
    const given = assignment.exec(text);
    if (given?.[1] !== undefined && given[2] !== undefined) keep(given[1], given[2], variables);
  }
  // PowerShell has blanks around the sign: `$f = '.env'`.
  const dollar = /^\$([A-Za-z_]\w*)$/.exec(first)?.[1];
  if (dollar !== undefined && second === '=' && texts[2] !== undefined) keep(dollar, texts[2], variables);
  const start = texts.indexOf('for');
  if (start !== -1 && start < 3 && texts[start + 2] === 'in') {
    const value = loopValue(texts.slice(start + 3));
    if (value !== undefined) keep(texts[start + 1] ?? '', value, variables);
  }
}

function filledWord(word: ShellWord, variables: Variables): ShellWord {
  const text = filled(word.text, variables);
  return text === word.text ? word : { ...word, text };
}

function filledCommand(command: ShellCommand, variables: Variables): ShellCommand {
  return {
    ...command,
    words: command.words.map((word) => filledWord(word, variables)),
    reads: command.reads.map((text) => filled(text, variables)),
    writes: command.writes.map((text) => filled(text, variables)),
  };
}

/** The commands with the variables that earlier ones set filled in: `f=.env; cat $f`. */
export function withVariables(pipelines: readonly Pipeline[]): readonly Pipeline[] {
  const variables: Variables = new Map();
  return pipelines.map((pipeline) =>
    pipeline.map((command) => {
      // An assignment before a program holds for that program alone, and not yet for its words.
      const full = variables.size === 0 ? command : filledCommand(command, variables);
      learn(full, variables);
      return full;
    }),
  );
}
