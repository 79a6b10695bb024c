import * as z from 'zod/mini';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** For what `JSON.parse` returned: being JSON is then a fact, only its being an object is in question. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => isJsonObject(value as Json | undefined),
  'must be a JSON object',
);
