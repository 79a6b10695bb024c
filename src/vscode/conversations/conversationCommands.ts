import { commandIds } from '../ids.ts';
import { exportConversation, type ExportCommandParts } from './exportConversation.ts';
import { createConversationSearch, type SearchParts } from './searchPick.ts';

type ConversationCommandId =
  typeof commandIds.exportConversation | typeof commandIds.searchConversations | typeof commandIds.searchHere;

/** CNV-3: what can be done with all that was ever said. */
export function conversationCommands(
  parts: SearchParts & ExportCommandParts,
): Readonly<Record<ConversationCommandId, (argument?: unknown) => unknown>> {
  const search = createConversationSearch(parts);
  return {
    [commandIds.searchConversations]: () => search(),
    [commandIds.searchHere]: search,
    [commandIds.exportConversation]: (argument) => exportConversation(parts, argument),
  };
}
