import type { Provider } from '../provider.ts';
import { upgrade } from './dialects.ts';
import { claudeFiles } from './files.ts';
import { claudeHooks } from './hooks.ts';
import { claudeTranscript } from './transcript.ts';

/** In these two an agent is always meant; an older sender names it instead of giving its id. */
const subagentHooks = new Set(['SubagentStart', 'SubagentStop']);

export const claude: Provider = {
  id: 'claude',
  hooks: claudeHooks,
  subagentId(hook, payload) {
    const { agent_id: id, agent_name: name } = payload;
    if (typeof id === 'string' && id !== '') return id;
    return subagentHooks.has(hook) && typeof name === 'string' && name !== '' ? name : undefined;
  },
  upgrade,
  transcript: claudeTranscript,
  files: claudeFiles,
};
