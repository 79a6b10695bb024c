import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { TranscriptFact, TranscriptFormat } from '../providers/transcript.ts';

/** TRN-3: what one line says; a torn or foreign one says nothing. */
export function factsInLine(format: TranscriptFormat, line: string): readonly TranscriptFact[] {
  if (!format.mayMatter(line)) return [];
  let entry: Json;
  try {
    entry = JSON.parse(line) as Json;
  } catch {
    return [];
  }
  return isJsonObject(entry) ? format.facts(entry) : [];
}
