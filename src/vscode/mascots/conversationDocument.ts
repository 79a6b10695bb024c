import * as vscode from 'vscode';
import type { StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { agentText } from '../agentText.ts';
import { conversationScheme } from '../ids.ts';
import { createMadeDocument, type MadeDocument } from '../madeDocument.ts';
import { phraseFor } from '../phrases.ts';
import { projectOf } from '../sessionWords.ts';
import { conversationText } from './conversationText.ts';

/** What was said in a session. */
export function createConversationDocument(
  source: StateSource,
  collector: Pick<Collector, 'conversation'>,
): MadeDocument {
  const sessionOf = (sessionId: string) => source.snapshot().sessions.find(({ id }) => id === sessionId);
  return createMadeDocument({
    scheme: conversationScheme,
    name(sessionId) {
      const session = sessionOf(sessionId);
      return phraseFor('conversation.name', { project: session ? projectOf(session) : agentText(sessionId) });
    },
    async text(sessionId) {
      const conversation = await collector.conversation(sessionId);
      if (conversation === undefined) return undefined;
      const agents = source.snapshot().agents.filter((agent) => agent.sessionId === sessionId);
      const title = sessionOf(sessionId)?.title ?? '';
      return conversationText(
        { title: title === '' ? sessionId : title, agents, conversation },
        { l10n: vscode.l10n, locale: vscode.env.language, now: Date.now() },
      );
    },
    unknown: () => phraseFor('conversation.unknown'),
  });
}
