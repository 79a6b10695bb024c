import type { Json, JsonObject } from '../../protocol/json.ts';
import { maskTree } from './payload.ts';
import { inOneGo, maskString } from './text.ts';

/** The text without its secrets. Masking a masked text changes nothing. */
export function maskText(text: string): string {
  return maskString(text);
}

/** The payload without its secrets: in values, in keys, and in what tools read from or write to credential files. */
export function maskPayload(payload: JsonObject): JsonObject {
  return inOneGo(maskPayloadInTurns(payload));
}

/** The same in small steps: a large payload takes longer than a thread that others share may be held. */
export function* maskPayloadInTurns(payload: JsonObject): Generator<undefined, JsonObject> {
  const masked: Json = yield* maskTree(payload);
  return masked as JsonObject;
}
