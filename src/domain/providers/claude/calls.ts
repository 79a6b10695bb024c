import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { type CallFields, plainCalls } from '../provider.ts';

export const claudeCalls: CallFields = {
  ...plainCalls,
  words({ stdout, stderr, file, originalFile: _before, ...rest }) {
    const printed = [stdout, stderr].filter((text) => typeof text === 'string');
    if (printed.length > 0) return [printed.filter(Boolean).join('\n')];
    if (isJsonObject(file)) return [file['content']];
    // An edit answers with its own input again, and with all of the file as it was before.
    return rest['filePath'] === undefined ? [rest['content'], rest['text'], rest['result']] : [JSON.stringify(rest)];
  },
  batchAnswer({ tool_calls: calls }, callId) {
    const told = Array.isArray(calls) ? (calls as readonly Json[]).filter(isJsonObject) : [];
    return told.find(({ tool_use_id: id }: JsonObject) => id === callId)?.['tool_response'];
  },
};
