import { noReplies, type Provider } from '../provider.ts';
import { inCamelCase, isInClaudesHook, nameByShape, sameInBothForms, text, whoseIs } from './dialect.ts';
import { copilotHooks } from './hooks.ts';
import { copilotTranscript } from './transcript.ts';

/** In these two an agent is always meant; one that has no id is called by its name. */
const subagentHooks: ReadonlySet<string> = new Set(['SubagentStart', 'SubagentStop']);

export const copilot: Provider = {
  id: 'copilot',
  stampsPayloads: true,
  hooks: copilotHooks,
  subagentId(hook, payload) {
    const { agent } = whoseIs(payload);
    return agent ?? (subagentHooks.has(hook) ? text(inCamelCase(payload)['agentName']) : undefined);
  },
  replies: noReplies,
  sessionId: (payload) => whoseIs(payload).session,
  claims: (payload, installedFor) => installedFor === 'claude' && isInClaudesHook(payload),
  sameHook: sameInBothForms,
  hookName: nameByShape,
  upgrade: inCamelCase,
  calls: {
    input: 'toolArgs',
    answer: 'toolResult',
    words: (result) => [result['textResultForLlm'], result['content'], result['text']],
  },
  transcript: copilotTranscript,
};
