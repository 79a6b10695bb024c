import type { Told as ToldOf } from '../../app/windowPorts.ts';
import type { Interaction } from '../../protocol/reading.ts';
import type { Agent } from '../../protocol/state.ts';
import { codeMarkdown, plainMarkdown, quotedMarkdown } from '../markdownText.ts';
import { momentOf, type PersonsTime } from '../moment.ts';
import type { Translator } from '../stepWords.ts';

export interface ConversationTelling extends PersonsTime {
  readonly l10n: Translator;
}

export interface Told {
  readonly title: string;
  readonly agents: readonly Agent[];
  readonly conversation: ToldOf<Interaction>;
}

/** UI-3: what was said, oldest first. Markdown. */
export function conversationText({ title, agents, conversation }: Told, telling: ConversationTelling): string {
  const { l10n } = telling;
  const entries = conversation.items.map(({ role, agentId, ts, content }) => {
    const name = agents.find(({ id }) => id === agentId)?.name;
    const who = role === 'user' ? l10n.t('You') : name === undefined ? l10n.t('Agent') : plainMarkdown(name);
    return `## ${who} · ${momentOf(ts, telling)}\n\n${quotedMarkdown(content)}`;
  });
  const cut = conversation.cut ? [`_${l10n.t('What was said before that is left out.')}_`] : [];
  const nothing = entries.length === 0 ? [l10n.t('Nothing has been said in this session yet.')] : [];
  const parts = [`# ${l10n.t('Conversation')}`, codeMarkdown(title), ...cut, ...entries, ...nothing];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
