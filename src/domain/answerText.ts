import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** The fields in which answers have their words, the most telling first. */
const wordFields = ['content', 'text', 'textResultForLlm', 'llmContent', 'returnDisplay', 'result'] as const;

/** Deeper than this no answer keeps its words. */
const DEPTH_MAX = 4;

/** What a tool answered, as a person would read it: the text where there is one, else the whole as JSON. */
export function answerText(answer: Json | undefined): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  return wordsIn(answer, 0) ?? JSON.stringify(withoutFile(answer));
}

/** An edit answers with all of the file as it was before. */
function withoutFile(answer: Json): Json {
  if (!isJsonObject(answer)) return answer;
  const { originalFile: _before, ...rest } = answer;
  return rest;
}

function wordsIn(answer: Json | undefined, depth: number): string | undefined {
  if (typeof answer === 'string') return answer;
  if (depth >= DEPTH_MAX) return undefined;
  if (Array.isArray(answer)) return wordsOfAll(answer as readonly Json[], depth);
  return isJsonObject(answer) ? wordsOf(answer, depth) : undefined;
}

/** Blocks of a message; where one of them is no text, all of them are told as they are. */
function wordsOfAll(blocks: readonly Json[], depth: number): string | undefined {
  const texts = blocks.map((block) => wordsIn(block, depth + 1));
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
}

function wordsOf(answer: JsonObject, depth: number): string | undefined {
  const { stdout, stderr, file } = answer;
  if (typeof stdout === 'string' || typeof stderr === 'string')
    return [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
  if (isJsonObject(file) && typeof file['content'] === 'string') return file['content'];
  // The content beside a path is the call's own input again.
  if (answer['filePath'] !== undefined) return undefined;
  for (const field of wordFields) {
    const words = wordsIn(answer[field], depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}
