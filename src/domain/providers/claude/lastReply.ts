import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { blocksOf, isOfNoModel, isStray, nameIn, objectIn, wordsOf } from './entries.ts';

/**
 * TRN-2: what the model said last, from the last lines of a transcript. A message is spread over a line for each of its
 * blocks, with the results of its calls between them. Null where it said nothing, and where an error stands in its place.
 */
export function lastReply(lines: readonly string[]): string | null {
  const texts: string[] = [];
  let id: string | undefined;
  for (const line of lines.toReversed()) {
    const entry = modelEntry(line);
    if (!entry) continue;
    if (entry['isApiErrorMessage'] === true && texts.length === 0) return null;
    const message = objectIn(entry, 'message');
    if (isOfNoModel(message)) continue;
    const messageId = nameIn(message, 'id');
    if (texts.length > 0 && (messageId === undefined || messageId !== id)) break;
    const words = wordsOf(blocksOf(message['content']));
    if (words === undefined) continue;
    texts.unshift(words);
    id = messageId;
  }
  return texts.length === 0 ? null : texts.join('\n');
}

/** An entry of the model of this file's agent; anything else, half a line among it, is no entry. */
function modelEntry(line: string): JsonObject | undefined {
  if (!line.includes('"assistant"')) return undefined;
  try {
    const entry = JSON.parse(line) as Json;
    return isJsonObject(entry) && entry['type'] === 'assistant' && !isStray(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}
