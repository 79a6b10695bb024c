import type { TranscriptFact } from '../providers/transcript.ts';
import type { Measures } from '../sighting.ts';

/** Lines of one message stand together; between them stand at most those of agents that work beside it. */
const MESSAGES_KEPT = 32;

export interface Counted {
  readonly id: string;
  readonly output: number;
}

/** What a transcript adds up to so far, and what is needed to go on adding. */
export interface Measuring {
  readonly measures: Measures;
  /** Messages that have been counted, newest last (TRN-5), each with the output that was counted for it. */
  readonly counted: readonly Counted[];
}

export const nothingMeasured: Measuring = {
  measures: { tokensIn: 0, tokensOut: 0, tokensCached: 0, contextUsed: 0, contextWindow: null, prompts: 0 },
  counted: [],
};

/** CNV-4: once a turn of it is private, what the agent calls it or has called it is made of that turn too. */
export function withPrivateTurn(before: Measuring): Measuring {
  const { title, titleByPerson, ...measures } = before.measures;
  return {
    ...before,
    measures: { ...measures, ...(titleByPerson ? { title, titleByPerson } : {}), privateTurns: true },
  };
}

/** The same object when the fact measures nothing. */
export function measure(before: Measuring, fact: TranscriptFact): Measuring {
  const { measures } = before;
  if (fact.kind === 'title') return { ...before, measures: titled(measures, fact) };
  if (fact.kind === 'prompt') return fact.synthetic ? before : { ...before, measures: prompted(measures, fact.text) };
  if (fact.kind !== 'usage') return before;
  const latest = {
    contextUsed: count(fact.context),
    contextWindow: fact.window === undefined ? measures.contextWindow : count(fact.window),
    model: fact.model ?? measures.model,
  };
  const known = before.counted.find(({ id }) => id === fact.messageId);
  // Every line of a message repeats the numbers of the whole; one that is cut short may begin with less.
  const output = Math.max(count(fact.output), known?.output ?? 0);
  const first = known === undefined;
  return {
    measures: {
      ...measures,
      ...latest,
      tokensIn: sum(measures.tokensIn, first ? fact.input : 0),
      tokensOut: sum(measures.tokensOut, output - (known?.output ?? 0)),
      tokensCached: sum(measures.tokensCached, first ? fact.cached : 0),
    },
    counted: [...before.counted.filter((each) => each !== known), { id: fact.messageId, output }].slice(-MESSAGES_KEPT),
  };
}

/** No context holds more; whatever else a line claims is no number of tokens, and must not spoil the sum of those that are. */
const TOKENS_MAX = 1e9;

function count(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.floor(tokens)), TOKENS_MAX) : 0;
}

function sum(before: number, more: number): number {
  return Math.min(before + count(more), Number.MAX_SAFE_INTEGER);
}

const FIRST_PROMPT_MAX = 400;

function prompted(measures: Measures, text: string): Measures {
  return {
    ...measures,
    prompts: measures.prompts + 1,
    firstPrompt: measures.firstPrompt ?? text.slice(0, FIRST_PROMPT_MAX),
  };
}

/** A title that the person gave stays, whatever the agent makes up later. */
function titled(measures: Measures, { text, byPerson = false }: Extract<TranscriptFact, { kind: 'title' }>): Measures {
  if ((measures.titleByPerson || measures.privateTurns) && !byPerson) return measures;
  return { ...measures, title: text, titleByPerson: byPerson };
}
