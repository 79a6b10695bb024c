import { isCredentialFile } from './files.ts';
import { codeLength, findHeredocs } from './heredocs.ts';
import { classifyName } from './names.ts';
import { carriers, gitReaders, patternFirst, readers, scriptRunners, tellers } from './programs.ts';
import { callOf, isCredentialWord, programName } from './shellCalls.ts';
import type { Call } from './shellCalls.ts';
import { parsePipelines } from './shellCommands.ts';
import type { Pipeline } from './shellCommands.ts';
import { withVariables } from './shellVariables.ts';
import type { ShellWord } from './shellWords.ts';

const deepest = 3;

/**
 * Here-documents aside, what anybody has a shell do is far shorter, and Linux hands a shell 128 KiB at most. What is longer is not
 * read, so that nothing in it holds a thread that others share; what it printed is not kept.
 */
const longestCode = 64 * 1024;

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

/** `watch "gh auth token"`: the program may be a whole command. */
function isTeller(program: string, args: readonly string[]): boolean {
  const teller = tellers.get(/^[\w-]+/.exec(program)?.[0] ?? '');
  return teller?.test([program, ...args].join(' ')) ?? false;
}

function callPrints(call: Call, depth: number): boolean {
  const { command, program } = call;
  if (command.reads.some(isCredentialWord)) return true;
  const args = call.args.map(({ text }) => text);
  if (isTeller(program, args)) return true;
  if (readsCredential(program, args) || echoesSecret(program, args)) return true;
  if (program === 'find' || program === 'fd')
    return args.some((arg) => /^(?:-exec|-execdir|-x)$/.test(arg)) && args.some(isCredentialWord);
  if (program === 'curl') return args.some((arg) => arg.startsWith('file://') && isCredentialFile(arg));
  return carriers.has(program) && carriedPrints(call, args, depth);
}

/** The command within: as words of their own, or as one word. */
function carriedPrints({ command }: Call, args: readonly string[], depth: number): boolean {
  const inner = args.findIndex((arg) => readers.has(programName(arg)) || /^(?:env|printenv)$/.test(arg));
  if (inner !== -1 && callPrints(callOf({ ...command, words: toWords(args.slice(inner)) }), depth)) return true;
  return args.some((arg) => /\s/.test(arg) && textPrints(arg, depth + 1));
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

function heredocPrints(text: string, { command, program }: Call, depth: number): boolean {
  if (!carriers.has(program)) return false;
  return command.heredocs.some(({ bodyStart, bodyEnd }) => textPrints(text.slice(bodyStart, bodyEnd), depth + 1));
}

function textPrints(text: string, depth: number): boolean {
  if (depth > deepest) return false;
  const heredocs = findHeredocs(text);
  if (codeLength(text, heredocs) > longestCode) return true;
  return withVariables(parsePipelines(text, heredocs)).some(
    (pipeline) =>
      pipesNamesToReader(pipeline) ||
      pipeline.map(callOf).some((call) => callPrints(call, depth) || heredocPrints(text, call, depth)),
  );
}

/** Is what a shell command prints not to be kept? */
export function printsSecrets(text: string): boolean {
  return textPrints(text, 0);
}
