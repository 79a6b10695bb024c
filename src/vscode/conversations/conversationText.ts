import { headingMarkdown, plainMarkdown, quotedMarkdown } from '../../domain/markdownText.ts';
import type { Interaction, ToolObservation } from '../../protocol/reading.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import type { Agent } from '../../protocol/state.ts';
import { type ConversationTelling, headLines } from './conversationHead.ts';
import type { Conversation } from './conversationReading.ts';
import { deliveryWords, receiptWords } from '../relay/deliveryWords.ts';
import { relayPhrases } from '../relay/relayWords.ts';
import { receiptsIn } from './receipts.ts';
import { callLines } from './toolCallText.ts';

/** Where something stands in the text: its first line and the one after its last. */
export interface PlaceInText {
  readonly from: number;
  readonly to: number;
}

export interface ConversationText {
  readonly text: string;
  /** Of interactions, by id. */
  readonly places: ReadonlyMap<string, PlaceInText>;
}

type Entry =
  | { readonly ts: string; readonly said: Interaction }
  | { readonly ts: string; readonly call: ToolObservation }
  | { readonly ts: string; readonly event: SessionEvent };

/** CNV-3: what a session was about, and turn by turn what was said and done in it, oldest first. Markdown. */
export function conversationText(conversation: Conversation, telling: ConversationTelling): ConversationText {
  const { l10n } = telling;
  const { agents } = conversation.session;
  const lines: string[] = [];
  const places = new Map<string, PlaceInText>();
  const receipts = receiptsIn(conversation);
  const put = (...added: readonly string[]) => {
    if (lines.length > 0) lines.push('');
    lines.push(...added.flatMap((part) => part.split('\n')));
  };

  function putSaid({ id, role, agentId, ts, content }: Interaction): void {
    const agent = agents.find((one) => one.id === agentId);
    const prompt = role === 'user';
    if (prompt) put(`## ${headingMarkdown(firstWords(content)) || l10n.t('A prompt without words')}`);
    const who = prompt ? l10n.t('You') : nameOf(agent, telling);
    put(`**${who}** · ${telling.moment(ts)}`);
    const from = lines.length + 1;
    put(quotedMarkdown(content.slice(0, telling.limits.said)));
    const left = content.length - telling.limits.said;
    if (left > 0) put(`_${l10n.t('… and {count} more characters', { count: telling.number(left) })}_`);
    places.set(id, { from, to: lines.length });
    for (const receipt of receipts.of.get(id) ?? []) put(`_${receiptWords(receipt, telling)}_`);
  }

  put(...headLines(conversation, telling));
  const missing = missingOf(conversation);
  if (missing === 'all') {
    put(l10n.t('What was said in this session was not kept: its prompts were private, or logging was off.'));
  } else if (missing === 'some') {
    put(l10n.t('Not all that was said in this session was kept: prompts were private, or logging was off.'));
  } else if (missing === 'unknown') {
    put(l10n.t('What was said in this session is not stored: it was not kept, or it was old and has been removed.'));
  }
  const entries = entriesOf(conversation);
  // What was told at the very beginning stands before the gap of a long session.
  const begun = entries.findIndex((entry) => !('event' in entry && isTold(entry.event)));
  const first = conversation.cut.before ? entries.slice(0, begun < 0 ? entries.length : begun) : [];
  for (const entry of first) if ('event' in entry) putTold(entry.event);
  if (conversation.cut.before) put(`_${l10n.t('What was said before that is left out.')}_`);

  let calls: string[] = [];
  const endCalls = () => {
    if (calls.length > 0) put(...calls);
    calls = [];
  };
  for (const entry of entries.slice(first.length)) {
    if ('call' in entry) {
      const agent = agents.find(({ id }) => id === entry.call.agentId);
      calls.push(...callLines(entry.call, agent?.kind === 'main' ? '' : nameOf(agent, telling), telling));
      continue;
    }
    endCalls();
    if ('said' in entry) putSaid(entry.said);
    else if (isTold(entry.event)) putTold(entry.event);
    else put(`_${eventWords(entry.event, telling)} · ${telling.moment(entry.ts)}_`);
  }
  endCalls();
  if (missing === 'nothing') {
    put(l10n.t('Nothing has been said in this session yet.'));
  }
  if (conversation.cut.after) put(`_${l10n.t('What was said after that is left out.')}_`);
  if (receipts.others.length > 0) {
    put(`## ${l10n.t(relayPhrases['receipt.others'])}`);
    put(...receipts.others.map((receipt) => `- ${deliveryWords(receipt, telling)}`));
  }
  return { text: `${lines.join('\n')}\n`, places };

  function putTold(event: SessionEvent): void {
    put(`## ${l10n.t('Told of earlier sessions')} · ${telling.moment(event.created_at)}`);
    put(quotedMarkdown(event.details['text'] ?? event.summary));
  }
}

function entriesOf({ interactions, observations, events }: Conversation): readonly Entry[] {
  const entries: Entry[] = [
    ...interactions.map((said) => ({ ts: said.ts, said })),
    ...observations.map((call) => ({ ts: call.ts, call })),
    // The others are shown by prompts, replies and tool calls already.
    ...events
      .filter((event) => isTold(event) || isCompaction(event) || isNotKept(event))
      .map((event) => ({ ts: event.created_at, event })),
  ];
  return entries.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** CNV-4, STO-4: what of its words is not there. `unknown`: all of it, and nothing tells why; `nothing`: none were said. */
function missingOf({ session, statistics, interactions, observations, events, cut }: Conversation) {
  const isEmpty = interactions.length === 0 && !cut.before && !cut.after;
  if (events.some(isNotKept)) return isEmpty ? 'all' : 'some';
  if (!isEmpty) return undefined;
  // The numbers outlive the words.
  if ((statistics ?? session.counts).prompts > 0) return 'unknown';
  return observations.length === 0 ? 'nothing' : undefined;
}

function isTold({ event_type }: SessionEvent): boolean {
  return event_type === 'context_loaded';
}

/** CNV-4: a prompt without its words, because the person wanted it so. */
function isNotKept({ event_type, details }: SessionEvent): boolean {
  return event_type === 'user_request' && details['unlogged'] !== undefined;
}

function isCompaction({ event_type }: SessionEvent): boolean {
  return event_type === 'compact' || event_type === 'checkpoint_created';
}

function eventWords({ event_type, details }: SessionEvent, { l10n }: ConversationTelling): string {
  if (event_type === 'user_request') {
    return details['unlogged'] === 'private'
      ? l10n.t('A private prompt: it is not kept, nor what was answered to it')
      : l10n.t('A prompt while logging was off: it is not kept, nor what was answered to it');
  }
  const words =
    event_type === 'compact'
      ? l10n.t('The conversation was made smaller')
      : l10n.t('Compaction began; a checkpoint was kept');
  const more = plainMarkdown(details['trigger'] ?? '');
  return more === '' ? words : `${words} (${more})`;
}

function nameOf(agent: Agent | undefined, { l10n }: ConversationTelling): string {
  if (agent === undefined) return l10n.t('Agent');
  const type = agent.kind === 'main' ? '' : plainMarkdown(agent.type);
  return type === '' ? plainMarkdown(agent.name) : `${plainMarkdown(agent.name)} (${type})`;
}

/** A prompt may begin with what nobody reads: empty lines, a fence. */
function firstWords(content: string): string {
  const line = content
    .slice(0, HEADING_LOOK)
    .split(/[\r\n]+/)
    .find((part) => /[\p{L}\p{N}]/u.test(part));
  return line?.replace(/^[\s>#*+`~-]+/u, '') ?? content.slice(0, HEADING_LOOK);
}

const HEADING_LOOK = 2_000;
