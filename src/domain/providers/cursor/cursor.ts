import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { editorAgent } from '../editorAgent.ts';

const OUTPUT_MAX = 1_000_000;

/** Cursor, the editor and the command: it runs the hooks of Claude Code's settings with its own payloads. */
export const cursor = editorAgent({
  id: 'cursor',
  moods: {
    Read: 'reading',
    ReadLints: 'reading',
    Write: 'writing',
    StrReplace: 'writing',
    Delete: 'writing',
    EditNotebook: 'writing',
    Shell: 'running',
    Grep: 'searching',
    Glob: 'searching',
    SemanticSearch: 'searching',
    WebFetch: 'browsing',
    WebSearch: 'browsing',
    Task: 'delegating',
    AskQuestion: 'asking',
  },
  claims: ({ cursor_version: version }) => typeof version === 'string' && version !== '',
  upgrade({ tool_output: output, ...payload }) {
    return output === undefined ? payload : { ...payload, tool_response: parsed(output) };
  },
});

/** A tool's answer arrives as JSON in a string. */
function parsed(output: Json): Json {
  if (typeof output !== 'string' || output.length > OUTPUT_MAX || !output.startsWith('{')) return output;
  try {
    const value = JSON.parse(output) as JsonObject;
    return isJsonObject(value) ? value : output;
  } catch {
    return output;
  }
}
