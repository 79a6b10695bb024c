import { commandIds } from '../ids.ts';
import { wantedSession } from '../sessionPick.ts';
import { exportConversation, type ExportCommandParts } from './exportConversation.ts';
import type { ReportDocument } from './reportDocument.ts';
import { createConversationSearch, type SearchParts } from './searchPick.ts';

type ConversationCommandId =
  | typeof commandIds.exportConversation
  | typeof commandIds.searchConversations
  | typeof commandIds.searchHere
  | typeof commandIds.showReport;

interface ReportParts {
  readonly report: Pick<ReportDocument, 'show'>;
}

/** CNV-3: what can be done with all that was ever said. */
export function conversationCommands(
  parts: SearchParts & ExportCommandParts & ReportParts,
): Readonly<Record<ConversationCommandId, (argument?: unknown) => unknown>> {
  const search = createConversationSearch(parts);
  return {
    [commandIds.searchConversations]: () => search(),
    [commandIds.searchHere]: search,
    [commandIds.exportConversation]: (argument) => exportConversation(parts, argument),
    [commandIds.showReport]: async (argument) => {
      const sessionId = await wantedSession(parts, 'report.title', argument);
      if (sessionId !== undefined) await parts.report.show(sessionId);
    },
  };
}
