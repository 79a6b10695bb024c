import { isJsonObject, type Json } from '../../protocol/json.ts';
import { oneLine } from '../text.ts';

const TARGET_MAX = 300;

/** What a call is about, on one line: the first of these fields that holds words. */
export function targetIn(input: Json | undefined, fields: readonly string[]): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const field of fields) {
    const value = input[field];
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value, TARGET_MAX);
  }
  return undefined;
}

/** The first question of a tool that asks the person something. */
export function questionIn(input: Json | undefined): string | undefined {
  const questions = isJsonObject(input) ? input['questions'] : undefined;
  const first = Array.isArray(questions) ? (questions[0] as Json | undefined) : undefined;
  return targetIn(first, ['question']);
}
