import type { JsonObject } from '../../../protocol/json.ts';
import { editorAgent } from '../editorAgent.ts';

/** The agent of VS Code's own chat. Copilot CLI and Claude Code, started by VS Code, are not it: they have their own providers. */
export const vscodeChat = editorAgent({
  id: 'vscode',
  moods: {
    read_file: 'reading',
    list_dir: 'reading',
    get_errors: 'reading',
    create_file: 'writing',
    editFiles: 'writing',
    replace_string_in_file: 'writing',
    multi_replace_string_in_file: 'writing',
    insert_edit_into_file: 'writing',
    apply_patch: 'writing',
    edit_notebook_file: 'writing',
    run_in_terminal: 'running',
    get_terminal_output: 'running',
    create_and_run_task: 'running',
    runTests: 'running',
    grep_search: 'searching',
    file_search: 'searching',
    semantic_search: 'searching',
    fetch_webpage: 'browsing',
    runSubagent: 'delegating',
  },
  claims: (payload, installedFor) => hookName(payload) !== undefined || isOfChat(payload, installedFor),
  // The form of versions until June 2026.
  upgrade({ sessionId, ...payload }) {
    return sessionId === undefined ? payload : { session_id: sessionId, ...payload };
  },
  hookName,
});

function hookName({ hookEventName: name }: JsonObject): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/**
 * Unlike Claude Code's, its payloads have a timestamp. They name a transcript in the editor's storage, which is never where Claude Code
 * and Copilot CLI keep theirs.
 */
function isOfChat({ timestamp, transcript_path: transcript }: JsonObject, installedFor: string | undefined): boolean {
  if (typeof timestamp !== 'string' || typeof transcript !== 'string' || transcript === '') return false;
  const path = transcript.replaceAll('\\', '/');
  if (/\/(?:GitHub\.copilot-chat|workspaceStorage)\//i.test(path)) return true;
  return installedFor === 'claude' && !/\/(?:\.claude|projects|\.copilot)\//.test(path);
}
