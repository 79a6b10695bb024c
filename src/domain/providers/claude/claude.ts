import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Provider } from '../provider.ts';
import { claudeCalls } from './calls.ts';
import { upgrade } from './dialects.ts';
import { labelOf } from './fields.ts';
import { claudeFiles } from './files.ts';
import { claudeHooks } from './hooks.ts';
import { claudeReplies } from './replies.ts';
import { claudeEditTools } from './tools.ts';
import { claudeTranscript } from './transcript.ts';

/** In these two an agent is always meant; an older sender names it instead of giving its id. */
const subagentHooks = new Set(['SubagentStart', 'SubagentStop']);

/**
 * NRM-6: an id, once given, never changes. Claude Code itself names the team in TeammateIdle alone, long after its agents got
 * their ids; who names it everywhere is another sender of the same payloads.
 */
function teamIn(hook: string, { team_name: team }: JsonObject): string | undefined {
  return hook !== 'TeammateIdle' && isName(team) ? team : undefined;
}

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

export const claude: Provider = {
  id: 'claude',
  hooks: claudeHooks,
  subagentId(hook, payload) {
    const { agent_id: id, agent_name: name, teammate_name: mate } = payload;
    if (teamIn(hook, payload) !== undefined) return [name, mate, id].find(isName);
    if (isName(id)) return id;
    return subagentHooks.has(hook) && isName(name) ? name : undefined;
  },
  replies: claudeReplies,
  instructions: { project: ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'], user: ['.claude/CLAUDE.md'] },
  guarded: new Set(claudeEditTools),
  teamId: teamIn,
  agentName: ({ agent_name: name }) => labelOf(name),
  upgrade,
  calls: claudeCalls,
  transcript: claudeTranscript,
  transcriptTells: true,
  files: claudeFiles,
  reportsSubagentCalls: true,
  surfaces: {
    cli: 'terminal',
    sdk: 'headless',
    'sdk-cli': 'headless',
    'sdk-ts': 'headless',
    'sdk-py': 'headless',
    'claude-code-github-action': 'headless',
    'claude-vscode': 'panel',
    'claude-jetbrains': 'panel',
    'claude-desktop': 'panel',
  },
};
