import type { Collector, ListName, SessionLists } from '../../app/windowPorts.ts';
import { exportLine, type Exported } from '../../domain/exportLines.ts';
import type { ConversationTelling } from './conversationHead.ts';
import { conversationText } from './conversationText.ts';

export const exportFormats = ['md', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportParts {
  readonly collector: Pick<Collector, 'list' | 'session' | 'statistics'>;
  readonly sessionId: string;
  readonly telling: ConversationTelling;
  /** True: the person wants no more of it. */
  readonly isCancelled: () => boolean;
  readonly progress: (read: number) => void;
}

/** Why there is no text. */
export type ExportFailure = 'erased' | 'silent' | 'cancelled';

const PAGE = 500;

/** CNV-3: all of a session, however long it is. */
export async function exportText(
  format: ExportFormat,
  parts: ExportParts,
): Promise<{ readonly text: string } | ExportFailure> {
  const { collector, sessionId, telling } = parts;
  const [session, statistics] = await Promise.all([collector.session(sessionId), collector.statistics(sessionId)]);
  let read = 0;
  const whole = <Name extends ListName>(name: Name) =>
    wholeList(parts, name, (count) => parts.progress((read += count)));
  const interactions = await whole('interactions');
  if (typeof interactions === 'string') return interactions;
  if (session === undefined) return 'silent';
  const observations = await whole('observations');
  if (observations === 'silent' || observations === 'cancelled') return observations;
  const events = await whole('session-events');
  if (events === 'silent' || events === 'cancelled') return events;
  // An owner of an older version does not know these two.
  const [calls, story] = [observations === 'erased' ? [] : observations, events === 'erased' ? [] : events];
  if (format === 'md') {
    const rest = { observations: calls, events: story, cut: { before: false, after: false } };
    // What became of it in a chat is soon another, and the chat's own affair.
    return { text: conversationText({ session, statistics, interactions, ...rest, deliveries: [] }, telling).text };
  }
  return {
    text: [
      exportLine('session', session),
      ...(statistics === undefined ? [] : [exportLine('statistics', statistics)]),
      ...lines('interaction', interactions),
      ...lines('observation', calls),
      ...lines('session_event', story),
    ].join(''),
  };
}

function lines<Type extends keyof Exported>(type: Type, values: readonly Exported[Type][]): readonly string[] {
  return values.map((value) => exportLine(type, value));
}

async function wholeList<Name extends ListName>(
  { collector, sessionId, isCancelled }: ExportParts,
  name: Name,
  progress: (count: number) => void,
): Promise<readonly SessionLists[Name][] | ExportFailure> {
  const items: SessionLists[Name][] = [];
  let cursor: string | undefined;
  do {
    const page = await collector.list(sessionId, name, { limit: PAGE, cursor });
    if (isCancelled()) return 'cancelled';
    if (page === undefined) return 'silent';
    if (page === 'unknown') return 'erased';
    items.push(...page.items);
    progress(page.items.length);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}
