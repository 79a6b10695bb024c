import { cutIn } from './cuts.ts';
import { findHeredocs } from './heredocs.ts';
import { writers } from './programs.ts';
import { callOf, isCredentialWord } from './shellCalls.ts';
import type { Call } from './shellCalls.ts';
import { parsePipelines } from './shellCommands.ts';
import type { Pipeline } from './shellCommands.ts';
import type { Span } from './span.ts';

const kind = 'file-content';
const inPlace = /^(?:-[A-Za-z]*i|-i\..*|--in-place.*|-p?i.*)$/;
const speakers = /^(?:echo|printf|print|write-output|cat|set-content|add-content|out-file|sc|ac)$/;
const editors = /^(?:sed|gsed|perl|awk|gawk|ruby)$/;

function writesCredential({ command, program, args }: Call): boolean {
  return (
    command.writes.some(isCredentialWord) || (writers.has(program) && args.some(({ text }) => isCredentialWord(text)))
  );
}

/** `sed -i s/…/…/ .env`: the script holds the new value. */
function editsCredential({ program, args }: Call): boolean {
  return (
    editors.test(program) &&
    args.some(({ text }) => inPlace.test(text)) &&
    args.some(({ text }) => isCredentialWord(text))
  );
}

function argumentSpans({ args }: Call): readonly Span[] {
  return args
    .filter(({ text }) => !/^-[A-Za-z-]*$/.test(text) && !isCredentialWord(text))
    .map(({ start, end }) => ({ start, end, kind }));
}

/** Without the last line's end: the marker after it is only found on a line of its own. */
function bodySpan(text: string, start: number, bodyEnd: number): Span {
  const hasMarker = bodyEnd < text.length;
  return { start, end: hasMarker ? bodyEnd - 1 : bodyEnd, kind };
}

function isFilled({ start, end }: Span): boolean {
  return end > start;
}

/** What goes into a file from commands up to the one at `writer`. */
function contentsIn(text: string, calls: readonly Call[], writer: number): readonly Span[] {
  return calls.flatMap((call, index) => {
    if (editsCredential(call)) return argumentSpans(call);
    if (index > writer) return [];
    const { words, heredocs } = call.command;
    const bodies = heredocs.map(({ bodyStart, bodyEnd }) => bodySpan(text, bodyStart, bodyEnd)).filter(isFilled);
    // A literal can also be the command itself: `"KEY=…" | Out-File .env`.
    const isLiteral = index < writer && words.length === 1 && heredocs.length === 0;
    const literal = isLiteral ? words.map(({ start, end }) => ({ start, end, kind })) : [];
    return [...bodies, ...literal, ...(speakers.test(call.program) ? argumentSpans(call) : [])];
  });
}

function contentsOf(text: string, pipeline: Pipeline): readonly Span[] {
  const calls = pipeline.map(callOf);
  return contentsIn(text, calls, calls.map(writesCredential).lastIndexOf(true));
}

/** Where the output of the last one went may have been cut away. */
function contentsOfCut(text: string, pipelines: readonly Pipeline[]): readonly Span[] {
  const last = pipelines.at(-1) ?? [];
  const before = pipelines.slice(0, -1).flatMap((pipeline) => contentsOf(text, pipeline));
  return [...before, ...contentsIn(text, last.map(callOf), last.length)];
}

/** The parts of a shell command that are a credential file's contents, and what could be where it was cut. */
export function shellContents(text: string): readonly Span[] {
  const cut = cutIn(text);
  const head = cut === undefined ? text : text.slice(0, cut.start);
  const pipelines = parsePipelines(head, findHeredocs(head));
  if (cut === undefined) return pipelines.flatMap((pipeline) => contentsOf(head, pipeline));
  // What follows may go on with anything that began in what is gone.
  const rest = cut.end < text.length ? [{ start: cut.end, end: text.length, kind }] : [];
  return [...contentsOfCut(head, pipelines), ...rest];
}
