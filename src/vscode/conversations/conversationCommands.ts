import { commandIds } from '../ids.ts';
import { wantedSession } from '../sessionPick.ts';
import { searchConversations, type SearchParts } from './conversationSearch.ts';
import { exportConversation, type ExportCommandParts } from './exportConversation.ts';
import type { ReportDocuments } from './reportDocument.ts';

type ConversationCommandId =
  | typeof commandIds.exportConversation
  | typeof commandIds.searchConversations
  | typeof commandIds.searchHere
  | typeof commandIds.showReport;

interface ReportParts {
  readonly report: Pick<ReportDocuments, 'show'>;
}

/** CNV-3: the commands that search, export and report what is stored of any session. */
export function conversationCommands(
  parts: SearchParts & ExportCommandParts & ReportParts,
): Readonly<Record<ConversationCommandId, (argument?: unknown) => unknown>> {
  return {
    [commandIds.searchConversations]: () => searchConversations(parts),
    [commandIds.searchHere]: (argument) => searchConversations(parts, argument),
    [commandIds.exportConversation]: (argument) => exportConversation(parts, argument),
    [commandIds.showReport]: async (argument) => {
      const sessionId = await wantedSession(parts, 'report.title', argument);
      if (sessionId !== undefined) await parts.report.show(sessionId);
    },
  };
}
