import { withoutBodies } from './heredocs.ts';
import type { Heredoc } from './heredocs.ts';
import { shellWords } from './shellWords.ts';
import type { ShellWord } from './shellWords.ts';

/** One simple command: its words and what it is redirected from and to. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly heredocs: readonly Heredoc[];
}

/** Commands that hand their output on, first to last. */
export type Pipeline = readonly ShellCommand[];

interface Draft {
  words: ShellWord[];
  reads: string[];
  writes: string[];
  heredocs: Heredoc[];
}

function emptyDraft(): Draft {
  return { words: [], reads: [], writes: [], heredocs: [] };
}

function isEmpty(draft: Draft): boolean {
  return draft.words.length + draft.reads.length + draft.writes.length + draft.heredocs.length === 0;
}

/** By the place of their operators: a command may ask for tens of thousands. */
type Heredocs = ReadonlyMap<number, Heredoc>;

const output = /^(?:&?>>?|>\|)$/;

/** Takes an operator and the word it governs; true when that word is used up. */
function takeRedirect(draft: Draft, operator: ShellWord, target: string, heredocs: Heredocs): boolean {
  if (operator.text === '<<' || operator.text === '<<-') {
    const heredoc = heredocs.get(operator.start);
    if (heredoc !== undefined) draft.heredocs.push(heredoc);
    return true;
  }
  if (operator.text === '<') draft.reads.push(target);
  else if (output.test(operator.text)) draft.writes.push(target);
  else return false;
  return true;
}

function isRedirect(operator: string): boolean {
  return operator.startsWith('<') || output.test(operator);
}

/** `found`: the here-documents of the text. */
export function parsePipelines(text: string, found: readonly Heredoc[]): readonly Pipeline[] {
  const heredocs: Heredocs = new Map(found.map((heredoc) => [heredoc.operatorAt, heredoc]));
  const words = shellWords(withoutBodies(text, found));
  const pipelines: ShellCommand[][] = [[]];
  let draft = emptyDraft();
  const close = (piped: boolean): void => {
    if (!isEmpty(draft)) pipelines.at(-1)?.push(draft);
    draft = emptyDraft();
    if (!piped) pipelines.push([]);
  };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    if (!word.operator) draft.words.push(word);
    else if (isRedirect(word.text)) {
      const next = words[index + 1];
      if (next !== undefined && !next.operator && takeRedirect(draft, word, next.text, heredocs)) index += 1;
    } else close(word.text === '|' || word.text === '|&');
  }
  close(false);
  return pipelines.filter((pipeline) => pipeline.length > 0);
}
