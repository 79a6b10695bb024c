import { isCredentialFile, isCredentialGlob } from './files.ts';
import { wrappers } from './programs.ts';
import type { ShellCommand } from './shellCommands.ts';
import type { ShellWord } from './shellWords.ts';

/** A command as what it runs: the program by its bare name, and the words after it. */
export interface Call {
  readonly command: ShellCommand;
  readonly program: string;
  readonly args: readonly ShellWord[];
}

export function isCredentialWord(word: string): boolean {
  // `--file=.env`, `if=.env`, `HEAD:.env`, `host:/app/.env`, `@.env`; for most words it is one and the same.
  const parts = new Set([
    word,
    word.slice(word.lastIndexOf('=') + 1),
    word.slice(word.lastIndexOf(':') + 1),
    word.replace(/^@/, ''),
  ]);
  return Array.from(parts)
    .flatMap(alternatives)
    .some((part) => (/[*?[]/.test(part) ? isCredentialGlob(part) : isCredentialFile(part)));
}

/** `.{env,npmrc}`: each of the words that a shell makes of it; the first braces alone, and of those a few. */
function alternatives(word: string): readonly string[] {
  const braces = /^([^{}]{0,256})\{([^{}]{1,256})\}([^{}]{0,256})$/.exec(word);
  if (braces === null) return [word];
  const [, before = '', list = '', after = ''] = braces;
  return list.split(',', 20).map((part) => before + part + after);
}

export function programName(word: string): string {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return name.endsWith('.exe') ? name.slice(0, -'.exe'.length) : name;
}

/** The program is no assignment and no wrapper such as `sudo` before it. */
export function callOf(command: ShellCommand): Call {
  const { words } = command;
  let at = 0;
  while (at < words.length) {
    const text = words[at]?.text ?? '';
    const assignment = /^[A-Za-z_]\w*\+?=/.test(text);
    const wrapped = at > 0 && (/^-/.test(text) || /^\d+[smh]?$/.test(text));
    if (!assignment && !wrappers.has(programName(text)) && !wrapped) break;
    at += 1;
  }
  return { command, program: programName(words[at]?.text ?? ''), args: words.slice(at + 1) };
}
