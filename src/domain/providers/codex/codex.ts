import type { Json, JsonObject } from '../../../protocol/json.ts';
import { plainCalls, type Provider } from '../provider.ts';
import { codexHooks } from './hooks.ts';
import { codexReplies } from './replies.ts';
import { codexTranscript } from './transcript.ts';

export const codex: Provider = {
  id: 'codex',
  hooks: codexHooks,
  subagentId(hook, payload) {
    const { agent_id: id } = payload;
    if (typeof id === 'string' && id !== '') return id;
    return namesNoAgent.has(hook) ? otherThreadIn(payload) : undefined;
  },
  replies: codexReplies,
  instructions: { project: ['AGENTS.override.md', 'AGENTS.md'], user: ['.codex/AGENTS.md'] },
  guarded: new Set(['apply_patch']),
  // A turn may end and begin again within a second, in the very same words (a hook that blocks its end does that).
  repeating: new Set(['PreModelRequest', 'PostModelRequest', 'Stop']),
  calls: plainCalls,
  transcript: codexTranscript,
  transcriptTells: true,
  // A shell command that failed arrives as an ordinary PostToolUse; the rollout has its exit code (NRM-5).
  failsSilently: true,
  saysCompacted: true,
  reportsSubagentCalls: true,
  inheritsProjectFolder: true,
  surfaces: {
    tui: 'terminal',
    'codex-tui': 'terminal',
    codex_cli_rs: 'terminal',
    mcp: 'headless',
    exec: 'headless',
    codex_exec: 'headless',
    vscode: 'panel',
    codex_vscode: 'panel',
  },
  // By default a background program runs all sessions, whatever their terminals.
  sharesProcess: true,
};

/** These have no field for a sub-agent, though one may be meant. A failure of its model must not end its parent's turn. */
const namesNoAgent = new Set([
  'Interrupt',
  'PermissionRequest',
  'PreModelRequest',
  'PostModelRequest',
  'PreCompact',
  'PostCompact',
]);

/** A sub-agent is a thread of its own: its session's id is its parent's, its rollout is named after the thread. */
function otherThreadIn(payload: JsonObject): string | undefined {
  const [thread, session] = [threadAtEnd(payload['transcript_path'], '.jsonl'), threadAtEnd(payload['session_id'], '')];
  return session === undefined || thread === session ? undefined : thread;
}

const THREAD_LENGTH = 36;

function threadAtEnd(value: Json | undefined, suffix: string): string | undefined {
  if (typeof value !== 'string' || !value.endsWith(suffix)) return undefined;
  const end = value.length - suffix.length;
  const thread = value.slice(Math.max(0, end - THREAD_LENGTH), end);
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(thread) ? thread : undefined;
}
