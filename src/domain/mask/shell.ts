import { codeLength, findHeredocs } from './heredocs.ts';
import { classifyName } from './names.ts';
import { carriers, tellers } from './programs.ts';
import { callOf, isCredentialWord, programName } from './shellCalls.ts';
import type { Call } from './shellCalls.ts';
import { parsePipelines } from './shellCommands.ts';
import type { Pipeline, ShellCommand } from './shellCommands.ts';
import { withVariables } from './shellVariables.ts';

const deepest = 3;

/**
 * Here-documents aside, what anybody has a shell do is far shorter, and Linux hands a shell 128 KiB at most. What is longer is not
 * read, so that nothing in it holds a thread that others share; what it printed is not kept.
 */
const longestCode = 64 * 1024;

const wordGap = /[\s'"`(),;=<>|&{}]+/;

/** Does a text, of whatever language, have a credential file's name among its words? */
export function namesCredentialFileIn(text: string): boolean {
  return text.split(wordGap).some((word) => word.length > 3 && isCredentialWord(word) && !/^\w+$/.test(word));
}

/** A search usually looks for a word; a program that reads can read a file of that name. */
const searcher = /(?:^|\/)(?:[efz]?grep|rg|ag|ack|git|find|fd)$/;

function namesCredentials({ words, reads, writes }: ShellCommand): boolean {
  const searches = words.slice(0, 3).some(({ text }) => searcher.test(text));
  return (
    reads.some(isCredentialWord) ||
    writes.some(isCredentialWord) ||
    words.some(
      ({ text }) =>
        (isCredentialWord(text) && !(searches && /^[A-Za-z]+$/.test(text))) ||
        (/[\s'"(]/.test(text) && namesCredentialFileIn(text)),
    )
  );
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
  const known = tellers.get(/^[\w-]+/.exec(program)?.[0] ?? '');
  const call = known === undefined ? '' : [program, ...args].join(' ');
  return known?.some((teller) => teller.test(call)) ?? false;
}

/** A script that prints its whole environment, or a secret of it. */
const environment =
  /process\.env\b(?![.[\w])|os\.environ\b(?!\[|\.get|\.setdefault)|\bENV\.(?:to_|each|inspect|sort|map)|\bENVIRON\b|%ENV\b|Deno\.env\.toObject|getenv\(\)/;
const environmentEntry =
  /(?:process\.env\.|process\.env\[["']|os\.environ(?:\.get)?[[(]["']|os\.getenv\(["']|getenv\(["']|ENV(?:\.fetch\()?\[?["'])(\w{3,80})/g;

const scriptRunner = /^(?:python|node|deno|bun|ruby|perl|php|tsx|ts-node|g?awk|pwsh|uv|poetry|npx)[\d.]*$/;

function showsEnvironment(code: string): boolean {
  return (
    /print|echo|log|puts|write|dump|say|^\s*process\.env/.test(code) &&
    (environment.test(code) ||
      Array.from(code.matchAll(environmentEntry)).some((match) => classifyName(match[1] ?? '') !== undefined))
  );
}

function callPrints({ program, args: given }: Call, depth: number): boolean {
  const args = given.map(({ text }) => text);
  if (isTeller(program, args) || echoesSecret(program, args)) return true;
  if (scriptRunner.test(program) && args.some(showsEnvironment)) return true;
  return carriers.has(program) && carriedPrints(args, depth);
}

/** How many words after a program may be its own arguments, before the command that it runs begins. */
const mostArguments = 40;

/** The command within: as words of their own, or as one word. */
function carriedPrints(args: readonly string[], depth: number): boolean {
  const within = args.slice(0, mostArguments);
  if (within.some((arg, index) => isTeller(programName(arg), within.slice(index + 1)))) return true;
  return args.some((arg) => /\s/.test(arg) && textPrints(arg, depth + 1));
}

/** Here-documents are read only if something in their pipeline runs them; otherwise they are the text of a file. */
function heredocsPrint(text: string, pipeline: Pipeline, calls: readonly Call[], depth: number): boolean {
  const isShell = calls.some(({ program }) => carriers.has(program));
  const isScript = calls.some(({ program }) => scriptRunner.test(program));
  if (!isShell && !isScript) return false;
  return pipeline.some(({ heredocs }) =>
    heredocs.some(({ bodyStart, bodyEnd }) => {
      const body = text.slice(bodyStart, bodyEnd);
      if (body.length > longestCode || (isShell && textPrints(body, depth + 1))) return true;
      return isScript && (showsEnvironment(body) || namesCredentialFileIn(body));
    }),
  );
}

function textPrints(text: string, depth: number): boolean {
  if (depth > deepest) return false;
  const heredocs = findHeredocs(text);
  if (codeLength(text, heredocs) > longestCode) return true;
  return withVariables(parsePipelines(text, heredocs)).some((pipeline) => {
    if (pipeline.some(namesCredentials)) return true;
    const calls = pipeline.map(callOf);
    return calls.some((call) => callPrints(call, depth)) || heredocsPrint(text, pipeline, calls, depth);
  });
}

/** Must the output of this shell command be dropped? Yes if a credential file's name occurs anywhere in the command. */
export function printsSecrets(text: string): boolean {
  return textPrints(text, 0);
}
