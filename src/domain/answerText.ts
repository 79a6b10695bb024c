import { isJsonObject, type Json } from '../protocol/json.ts';
import type { CallFields } from './providers/provider.ts';

/** Deeper than this no answer keeps its words. */
const DEPTH_MAX = 4;

/** What a tool answered, as a person would read it: the text where there is one, else the whole as JSON. */
export function answerText(answer: Json | undefined, words: CallFields['words']): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  return textOf(answer, words, 0) ?? JSON.stringify(answer);
}

function textOf(answer: Json | undefined, words: CallFields['words'], depth: number): string | undefined {
  if (typeof answer === 'string') return answer;
  if (depth >= DEPTH_MAX) return undefined;
  const textIn = (part: Json | undefined) => textOf(part, words, depth + 1);
  if (Array.isArray(answer)) {
    const texts = (answer as readonly Json[]).map(textIn);
    // Blocks of a message; where one of them is no text, all of them are told as they are.
    return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
  }
  if (!isJsonObject(answer)) return undefined;
  for (const part of words(answer)) {
    const text = textIn(part);
    if (text !== undefined) return text;
  }
  return undefined;
}
