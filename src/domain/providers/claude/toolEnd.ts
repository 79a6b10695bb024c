import type { JsonObject } from '../../../protocol/json.ts';
import type { TranscriptFact } from '../transcript.ts';
import { blocksOf, nameIn, objectIn, wordsOf } from './entries.ts';

/** How results begin that are none: the call never ran. Versions before `toolDenialKind` say it in these words alone. */
const denials = [
  '<tool_use_error>',
  "The user doesn't want to ",
  'Permission to use ',
  'Permission for this ',
  'Claude requested permissions to ',
  'This command requires approval',
  'This Bash command contains multiple operations. The following parts require approval',
] as const;

const hookDenial = /^PreToolUse:[^\s]{1,200} hook error/;

/** How a call ended, from the result that the model was given. */
export function toolEnd(entry: JsonObject, block: JsonObject, ts: string): readonly TranscriptFact[] {
  const toolUseId = nameIn(block, 'tool_use_id');
  if (toolUseId === undefined) return [];
  if (block['is_error'] !== true) return [{ kind: 'toolEnded', ts, toolUseId, outcome: 'succeeded' }];
  const message = wordsOf(blocksOf(block['content']));
  if (isDenied(entry, message ?? '')) return [{ kind: 'toolEnded', ts, toolUseId, outcome: 'denied', message }];
  const exit = /^Exit code (\d{1,5})\b/.exec(message ?? '');
  const exitCode = exit ? Number(exit[1]) : undefined;
  return [{ kind: 'toolEnded', ts, toolUseId, outcome: 'failed', exitCode, message }];
}

function isDenied(entry: JsonObject, message: string): boolean {
  const said = nameIn(entry, 'toolDenialKind') !== undefined;
  const judged = objectIn(entry, 'permissionDecision')['decision'] === 'reject';
  return said || judged || hookDenial.test(message) || denials.some((words) => message.startsWith(words));
}
