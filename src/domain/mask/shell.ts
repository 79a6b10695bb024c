import { isCredentialFile, isCredentialGlob } from './files.ts';
import { classifyName } from './names.ts';
import { carriers, gitReaders, patternFirst, readers, scriptRunners, tellers, wrappers, writers } from './programs.ts';
import { parsePipelines } from './shellCommands.ts';
import type { Pipeline, ShellCommand } from './shellCommands.ts';
import type { ShellWord } from './shellWords.ts';
import type { Span } from './span.ts';
import { withVariables } from './shellVariables.ts';

/** What a command does with credentials. */
export interface ShellFinding {
  /** What it prints is not to be kept. */
  readonly printsSecrets: boolean;
  /** The parts of the command that are a credential file's contents. */
  readonly contents: readonly Span[];
}

const deepest = 3;

function isCredentialWord(word: string): boolean {
  // `--file=.env`, `if=.env`, `HEAD:.env`, `host:/app/.env`, `@.env`
  const parts = [
    word,
    word.slice(word.lastIndexOf('=') + 1),
    word.slice(word.lastIndexOf(':') + 1),
    word.replace(/^@/, ''),
  ];
  return parts
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

function programName(word: string): string {
  return word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/\.exe$/i, '')
    .toLowerCase();
}

/** The words from the program on: assignments and wrappers such as `sudo` before it don't count. */
function fromProgram(command: ShellCommand): readonly ShellWord[] {
  const { words } = command;
  let at = 0;
  while (at < words.length) {
    const text = words[at]?.text ?? '';
    const assignment = /^[A-Za-z_]\w*\+?=/.test(text);
    const wrapped = at > 0 && (/^-/.test(text) || /^\d+[smh]?$/.test(text));
    if (!assignment && !wrappers.has(programName(text)) && !wrapped) break;
    at += 1;
  }
  return words.slice(at);
}

/** The arguments that can be files; the first one of `grep` and its like is a pattern. */
function fileArguments(program: string, args: readonly string[]): readonly string[] {
  const given = args.filter((arg) => !arg.startsWith('-') || arg.includes('='));
  const patternGiven = args.some((arg) => /^(?:-[A-Za-z]*[ef]|--(?:regexp|file|expression)\b.*|-Pattern)$/.test(arg));
  return patternFirst.has(program) && !patternGiven ? given.slice(1) : given;
}

function readsCredential(program: string, args: readonly string[]): boolean {
  if (program === 'git')
    return gitReaders.has(args.find((arg) => !arg.startsWith('-')) ?? '') && args.some(isCredentialWord);
  if (scriptRunners.has(program)) return args.some((arg) => arg.split(/[\s'"`(),;]+/).some(isCredentialFile));
  return readers.has(program) && fileArguments(program, args).some(isCredentialWord);
}

const expansion = /\$\{?([A-Za-z_]\w*)|\$env:(\w+)/g;

/** `echo "$API_KEY"`: a secret leaves its variable. */
function echoesSecret(program: string, args: readonly string[]): boolean {
  if (!/^(?:echo|printf|print|write-output|write-host)$/.test(program)) return false;
  return args.some((arg) =>
    Array.from(arg.matchAll(expansion)).some((match) => {
      const nameClass = classifyName(match[1] ?? match[2] ?? '');
      return nameClass !== undefined && nameClass !== 'cookie';
    }),
  );
}

function commandPrints(command: ShellCommand, depth: number): boolean {
  if (command.reads.some(isCredentialWord)) return true;
  const texts = fromProgram(command).map(({ text }) => text);
  const program = programName(texts[0] ?? '');
  // `env`, `set`, `export` have nothing left to strip but themselves.
  const line = [program, ...texts.slice(1)].join(' ');
  if (program !== '' && tellers.some((teller) => teller.test(line))) return true;
  const args = texts.slice(1);
  if (readsCredential(program, args) || echoesSecret(program, args)) return true;
  if (program === 'find' || program === 'fd')
    return args.some((arg) => /^(?:-exec|-execdir|-x)$/.test(arg)) && args.some(isCredentialWord);
  if (args.some((arg) => arg.startsWith('file://') && isCredentialFile(arg)) && program === 'curl') return true;
  if (!carriers.has(program)) return false;
  const inner = args.findIndex((arg) => readers.has(programName(arg)) || /^(?:env|printenv)$/.test(arg));
  if (inner !== -1 && commandPrints({ ...command, words: toWords(args.slice(inner)) }, depth)) return true;
  return args.some((arg) => /\s/.test(arg) && printsSecrets(arg, depth + 1));
}

function toWords(texts: readonly string[]): readonly ShellWord[] {
  return texts.map((text) => ({ start: 0, end: 0, text, operator: false }));
}

/** `find … -name .env | xargs cat`: the names come down the pipe. */
function pipesNamesToReader(pipeline: Pipeline): boolean {
  const at = pipeline.findIndex(({ words }) => words[0]?.text === 'xargs');
  if (at < 1) return false;
  const runs = pipeline[at]?.words.some(({ text }) => readers.has(programName(text))) ?? false;
  return runs && pipeline.slice(0, at).some(({ words }) => words.some(({ text }) => isCredentialWord(text)));
}

function heredocPrints(text: string, command: ShellCommand, depth: number): boolean {
  const program = programName(fromProgram(command)[0]?.text ?? '');
  if (!carriers.has(program)) return false;
  return command.heredocs.some(({ bodyStart, bodyEnd }) => printsSecrets(text.slice(bodyStart, bodyEnd), depth + 1));
}

function printsSecrets(text: string, depth: number): boolean {
  if (depth > deepest) return false;
  return withVariables(parsePipelines(text)).some(
    (pipeline) =>
      pipesNamesToReader(pipeline) ||
      pipeline.some((command) => commandPrints(command, depth) || heredocPrints(text, command, depth)),
  );
}

const inPlace = /^(?:-[A-Za-z]*i|-i\..*|--in-place.*|-p?i.*)$/;

function writesCredential(command: ShellCommand): boolean {
  if (command.writes.some(isCredentialWord)) return true;
  const [first, ...rest] = fromProgram(command);
  return writers.has(programName(first?.text ?? '')) && rest.some(({ text }) => isCredentialWord(text));
}

function argumentSpans(command: ShellCommand): readonly Span[] {
  return fromProgram(command)
    .slice(1)
    .filter(({ text }) => !/^-[A-Za-z-]*$/.test(text) && !isCredentialWord(text))
    .map(({ start, end }) => ({ start, end, kind: 'file-content' }));
}

function isSpeaker(command: ShellCommand): boolean {
  return /^(?:echo|printf|print|write-output|cat|set-content|add-content|out-file|sc|ac)$/.test(
    programName(fromProgram(command)[0]?.text ?? ''),
  );
}

/** `sed -i s/…/…/ .env`: the script holds the new value. */
function editsCredential(command: ShellCommand): boolean {
  const [first, ...rest] = fromProgram(command);
  const edits = /^(?:sed|gsed|perl|awk|gawk|ruby)$/.test(programName(first?.text ?? ''));
  return edits && rest.some(({ text }) => inPlace.test(text)) && rest.some(({ text }) => isCredentialWord(text));
}

function contentsOf(pipeline: Pipeline): readonly Span[] {
  const lastWriter = pipeline.findLastIndex(writesCredential);
  return pipeline.flatMap((command, index) => {
    if (editsCredential(command)) return argumentSpans(command);
    if (index > lastWriter) return [];
    const bodies = command.heredocs
      .filter(({ bodyStart, bodyEnd }) => bodyEnd > bodyStart)
      .map(({ bodyStart, bodyEnd }) => ({ start: bodyStart, end: bodyEnd, kind: 'file-content' }));
    // A literal can also be the command itself: `"KEY=…" | Out-File .env`.
    const literal =
      index < lastWriter && command.words.length === 1
        ? command.words.map(({ start, end }) => ({ start, end, kind: 'file-content' }))
        : [];
    return [...bodies, ...literal, ...(isSpeaker(command) ? argumentSpans(command) : [])];
  });
}

/** Reads a shell command for credential files: those it prints, and those it writes. */
export function readShell(text: string): ShellFinding {
  return { printsSecrets: printsSecrets(text, 0), contents: parsePipelines(text).flatMap(contentsOf) };
}
