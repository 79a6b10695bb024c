import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** No agent nests its payloads deeper than a dozen levels; what walks them recursively must survive one that does. */
const DEEPEST = 200;

export const tooDeep = '«cut: nested too deeply»';

/** The same object unless something in it is nested too deeply; then that part is replaced by a word. */
export function limitDepth(payload: JsonObject): JsonObject {
  return isTooDeep(payload, 0) ? (limited(payload, 0) as JsonObject) : payload;
}

/** Asked first: nearly none is, and telling takes a fraction of what making everything anew does. */
function isTooDeep(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= DEEPEST) return true;
  if (!isJsonObject(value)) return (value as readonly Json[]).some((child) => isTooDeep(child, depth + 1));
  for (const key in value) if (isTooDeep(value[key] ?? null, depth + 1)) return true;
  return false;
}

function limited(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return tooDeep;
  if (!isJsonObject(value)) return mapped(value as readonly Json[], depth);
  const entries = Object.entries(value);
  const next = entries.map(([key, child]) => [key, limited(child, depth + 1)] as const);
  return next.some(([, child], index) => child !== entries[index]?.[1]) ? Object.fromEntries(next) : value;
}

function mapped(list: readonly Json[], depth: number): readonly Json[] {
  const next = list.map((child) => limited(child, depth + 1));
  return next.some((child, index) => child !== list[index]) ? next : list;
}
