import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';

/** What a transcript may make us keep of one text, and of one name. */
const TEXT_MAX = 20_000;
const NAME_MAX = 300;

/** What an entry of the transcript says, read without trust: any part of it may be missing or be something else. */
export function objectIn(entry: JsonObject, field: string): JsonObject {
  const value = entry[field];
  return isJsonObject(value) ? value : {};
}

export function nameIn(entry: JsonObject, field: string): string | undefined {
  const value = entry[field];
  return typeof value === 'string' && value !== '' ? value.slice(0, NAME_MAX) : undefined;
}

export function textIn(entry: JsonObject, field: string): string | undefined {
  const value = entry[field];
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, TEXT_MAX) : undefined;
}

export function countIn(entry: JsonObject, field: string): number {
  const value = entry[field];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** A message's content is one text or a list of blocks. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
}

/** The texts among some blocks, as one. */
export function wordsOf(blocks: readonly JsonObject[]): string | undefined {
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? (textIn(block, 'text') ?? []) : []));
  return texts.length === 0 ? undefined : texts.join('\n').slice(0, TEXT_MAX);
}

/** In UTC with milliseconds, so that strings compare like moments. */
export function momentIn(entry: JsonObject): string | undefined {
  const value = entry['timestamp'];
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  const moment = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  // Years beyond four digits are written longer and would compare wrongly.
  return moment.length === 24 ? moment : undefined;
}

/**
 * A sub-agent's line that stands in its starter's file, as versions before 2.0 wrote them. Later ones give each sub-agent a
 * file of its own, and every line there its `agentId`.
 */
export function isStray(entry: JsonObject): boolean {
  return isSidechain(entry) && nameIn(entry, 'agentId') === undefined;
}

export function isSidechain(entry: JsonObject): boolean {
  return entry['isSidechain'] === true;
}

/** What the program writes in the model's name: errors, and the nothing after a resumed interrupt. */
export function isOfNoModel(message: JsonObject): boolean {
  return message['model'] === '<synthetic>';
}
