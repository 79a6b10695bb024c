import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { blocksOf, isOfNoModel, isStray, nameIn, objectIn, wordsOf } from './entries.ts';
import { isLocalCommand } from './synthetic.ts';

/**
 * TRN-2: what the model said last, from the last lines of a transcript. A message is spread over a line for each of its
 * blocks, with the results of its calls between them. Null where it said nothing since the last prompt, and where an error
 * stands in its place.
 */
export function lastReply(lines: readonly string[]): string | null {
  const texts: string[] = [];
  let id: string | undefined;
  for (const line of lines.toReversed()) {
    const entry = entryIn(line);
    if (!entry) continue;
    if (entry['type'] === 'user') {
      if (isPrompt(entry)) break;
      continue;
    }
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

/** With it the turn began. */
function isPrompt(entry: JsonObject): boolean {
  if (entry['isMeta'] === true || entry['isCompactSummary'] === true) return false;
  const blocks = blocksOf(objectIn(entry, 'message')['content']);
  const words = wordsOf(blocks);
  return words !== undefined && !isLocalCommand(words) && blocks.every(({ type }) => type !== 'tool_result');
}

/** An entry of this file's agent, or to it; anything else, half a line among it, is no entry. */
function entryIn(line: string): JsonObject | undefined {
  if (!line.includes('"assistant"') && !line.includes('"user"')) return undefined;
  try {
    const read = JSON.parse(line) as Json;
    if (!isJsonObject(read)) return undefined;
    const entry = inBlocks(read);
    if (isStray(entry)) return undefined;
    return entry['type'] === 'assistant' || entry['type'] === 'user' ? entry : undefined;
  } catch {
    return undefined;
  }
}

const flatTypes = new Set<Json | undefined>(['text', 'message', undefined]);

/** Other senders of the same hooks write one flat line for each text, with its role; calls and results have their own lines. */
function inBlocks(entry: JsonObject): JsonObject {
  const { type, role, content, message } = entry;
  const who = flatTypes.has(type) ? role : type;
  if (message !== undefined || content === undefined || (who !== 'assistant' && who !== 'user')) return entry;
  return { ...entry, type: who, message: { content } };
}
