import { noReplies, plainCalls, type Provider } from '../provider.ts';
import { geminiHooks } from './hooks.ts';
import { geminiTranscript } from './transcript.ts';

export const gemini: Provider = {
  id: 'gemini',
  stampsPayloads: true,
  hooks: geminiHooks,
  // Its hooks tell of no agent but the main one.
  subagentId: () => undefined,
  replies: noReplies,
  calls: {
    ...plainCalls,
    words: ({ llmContent, returnDisplay, content, text }) => [llmContent, returnDisplay, content, text],
  },
  transcript: geminiTranscript,
};
