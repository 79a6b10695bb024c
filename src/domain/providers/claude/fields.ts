import * as z from 'zod/mini';
import type { Json } from '../../../protocol/json.ts';
import { oneLine } from '../../text.ts';

/** A field that nobody acts on yet is checked all the same: a wrong type is news about the agent, worth a schema_error. */
export const text = z.string();
export const optionalText = z.optional(text);
export const permission = { permission_mode: optionalText };

const LABEL_MAX = 300;

/** A name or a short sentence from a part of a payload that no schema guards; anything else counts as absent. */
export function labelOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  return oneLine(value, LABEL_MAX) || undefined;
}
