import { type CheckKind, checkKinds, kindsOf, nameOf, union } from './checkPrograms.ts';
import { type CommandLine, commandLineOf, decides, suspectsIn } from './commandLine.ts';

/** Longer ones are programs of their own. */
const LINE_MAX = 4_000;

/** Whether the command tests or builds, and ends as that did. */
export function isCheck(command: string): boolean {
  return kindsIn(readLine(command)).length > 0;
}

/** What the command finds out about the work; undefined: nothing, or more than one thing. */
export function checkKind(command: string): CheckKind | undefined {
  return only(kindsIn(readLine(command)));
}

/**
 * EVT-1: what the failed command tells to have failed. Where its parts are of several kinds, or are no checks, its exit code
 * does not say which of them it was: then what it printed decides, and where that tells nothing or too much nobody knows.
 */
export function failedCheck(command: string, exitCode: number, output: string): CheckKind | undefined {
  if (exitCode === 0 || notRun.has(exitCode)) return undefined;
  const line = readLine(command);
  const kinds = kindsIn(line);
  const isCertain = suspectsIn(line).every(({ words }) => isSetup(words) || kindsOf(words).length > 0);
  if (kinds.length === 1 && isCertain) return kinds[0];
  const signs = signsIn(output);
  return only(kinds.filter((kind) => signs.includes(kind)));
}

/** A time limit, no such program, or a signal from outside: what it would have found out is open. */
const notRun: ReadonlySet<number> = new Set([124, 126, 127, 130, 137, 143]);

function readLine(command: string, depth = 0): CommandLine {
  if (command.length > LINE_MAX) return { parts: [], isLoose: false };
  const line = commandLineOf(command);
  const [shell = '', option = '', inner] = line.parts[0]?.words ?? [];
  const isShell = line.parts.length === 1 && !line.isLoose && /^(?:ba|z|da)?sh$/.test(nameOf(shell));
  return isShell && depth === 0 && inner !== undefined && /^-[a-z]*c$/.test(option) ? readLine(inner, 1) : line;
}

function kindsIn(line: CommandLine): readonly CheckKind[] {
  return union(line.parts.map(({ words }, index) => (decides(line, index) ? kindsOf(words) : [])));
}

function only(kinds: readonly CheckKind[]): CheckKind | undefined {
  return kinds.length === 1 ? kinds[0] : undefined;
}

/** They prepare, and hardly ever fail. */
const setup = /^(?:cd|pushd|popd|export|set|source|\.|echo|printf|pwd|mkdir|true|:|clear|umask|ulimit|\w+=.*)$/;

function isSetup(words: readonly string[]): boolean {
  return words.every((word) => /^\w+=/.test(word)) || setup.test(words[0] ?? '');
}

/** What stands at the beginning or the end of an output says what went wrong. */
const OUTPUT_SIDE = 4_000;

/** What only a failure of that kind is reported with, by the common programs. */
const signs: Readonly<Record<CheckKind, readonly RegExp[]>> = {
  test: [
    /\b[1-9]\d* (?:(?:tests?|specs?|suites?|scenarios?) )?(?:failed|failing)\b/i,
    /\b[1-9]\d* examples?, [1-9]\d* failures?/,
    /^[ \t]*(?:--- FAIL: |FAIL[\t ]+\S|FAILED (?:\(|\S+::)|FAILURES!)/m,
    /^not ok \d+(?!.*# (?:TODO|SKIP))/im,
    /^(?:#|ℹ) fail [1-9]/m,
    /\bFail(?:ed|ures):\s+[1-9]/,
    /\btest result: FAILED|\bThere (?:were failing tests|are test failures)|\*\* TEST FAILED \*\*|\bAssertionError\b/,
  ],
  build: [
    /\berror TS\d{4,5}: /,
    /\berror\[E\d{4}\]|\bcould not compile\b|\bcompilation (?:failed|error)\b/i,
    /\berror CS\d{4}: |\.(?:c|cc|cpp|cxx|h|hpp|m|mm|swift|kt|java|go|rs):\d+(?::\d+)?: (?:fatal )?error: /,
    /\bFailed to compile\b|\bBuild failed with [1-9]|\berror during build:|^FAILED: \S/m,
    /\*\* BUILD FAILED \*\*|\bfailed to (?:solve|build)\b/,
  ],
  quality: [
    /\berror TS\d{4,5}: /,
    /\b[1-9]\d* problems? \(/,
    /^Found [1-9]\d* errors?(?: in [1-9]\d* files?\b|\.\s*$)/m,
    /^\S{1,300}:\d+:\d+: [A-Z]{1,4}\d{3,4} /m,
    /\b[1-9]\d* offenses? detected|\bCode style issues found|\bwould be reformatted\b/,
    /\b[1-9]\d* errors?, \d+ warnings?\b/,
  ],
};

/** Some programs print in colours, whoever reads. */
const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;]*m`, 'g');

function signsIn(output: string): readonly CheckKind[] {
  const sides =
    output.length <= 2 * OUTPUT_SIDE ? output : `${output.slice(0, OUTPUT_SIDE)}\n${output.slice(-OUTPUT_SIDE)}`;
  const plain = sides.replace(colours, '');
  return checkKinds.filter((kind) => signs[kind].some((sign) => sign.test(plain)));
}
