import { isOver } from '../../domain/life.ts';
import { codeMarkdown, headingMarkdown, plainMarkdown, quotedMarkdown } from '../../domain/markdownText.ts';
import { nameOfProvider } from '../../protocol/providers.ts';
import type { Interaction, ToolObservation } from '../../protocol/reading.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import type { Agent } from '../../protocol/state.ts';
import { durationText } from '../moment.ts';
import { deliveryWords, receiptWords } from '../relay/deliveryWords.ts';
import { relayPhrases } from '../relay/relayWords.ts';
import type { ConversationFormat } from './conversationFormat.ts';
import type { Conversation } from './conversationReading.ts';
import { callLines } from './toolCallText.ts';

/** Where something stands in the text: its first line, and the line after its last. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface ConversationText {
  /** Markdown. */
  readonly text: string;
  /** The lines of each prompt and reply, by the id of its interaction. */
  readonly places: ReadonlyMap<string, LineRange>;
}

/** CNV-3: what a session was about, and turn by turn what was said and done in it, oldest first. */
export function conversationText(conversation: Conversation, format: ConversationFormat): ConversationText {
  return new ConversationWriter(conversation, format).write();
}

type Entry =
  | { readonly ts: string; readonly said: Interaction }
  | { readonly ts: string; readonly call: ToolObservation }
  | { readonly ts: string; readonly event: SessionEvent };

class ConversationWriter {
  readonly #conversation: Conversation;
  readonly #format: ConversationFormat;
  readonly #agents: readonly Agent[];
  readonly #receipts: Receipts;
  readonly #lines: string[] = [];
  readonly #places = new Map<string, LineRange>();

  constructor(conversation: Conversation, format: ConversationFormat) {
    this.#conversation = conversation;
    this.#format = format;
    this.#agents = conversation.session.agents;
    this.#receipts = placeReceipts(conversation);
  }

  write(): ConversationText {
    const { cut } = this.#conversation;
    const { l10n } = this.#format;
    const missing = missingOf(this.#conversation);
    this.#put(...headLines(this.#conversation, this.#format));
    this.#putMissing(missing);
    const entries = entriesOf(this.#conversation);
    const beginning = cut.before ? entries.slice(0, countOfLeadingContext(entries)) : [];
    for (const entry of beginning) if ('event' in entry) this.#putContext(entry.event);
    if (cut.before) this.#put(`_${l10n.t('What was said before that is left out.')}_`);
    this.#putEntries(entries.slice(beginning.length));
    if (missing === 'nothing') this.#put(l10n.t('Nothing has been said in this session yet.'));
    if (cut.after) this.#put(`_${l10n.t('What was said after that is left out.')}_`);
    this.#putOtherReceipts();
    return { text: `${this.#lines.join('\n')}\n`, places: this.#places };
  }

  /** Adds a paragraph. */
  #put(...added: readonly string[]): void {
    if (this.#lines.length > 0) this.#lines.push('');
    this.#lines.push(...added.flatMap((part) => part.split('\n')));
  }

  #putMissing(missing: ReturnType<typeof missingOf>): void {
    const { l10n } = this.#format;
    if (missing === 'all') {
      this.#put(l10n.t('What was said in this session was not kept: its prompts were private, or logging was off.'));
    } else if (missing === 'some') {
      this.#put(l10n.t('Not all that was said in this session was kept: prompts were private, or logging was off.'));
    } else if (missing === 'unknown') {
      this.#put(
        l10n.t('What was said in this session is not stored: it was not kept, or it was old and has been removed.'),
      );
    }
  }

  /** Tool calls that follow each other are one list. */
  #putEntries(entries: readonly Entry[]): void {
    let calls: string[] = [];
    const endCalls = () => {
      if (calls.length > 0) this.#put(...calls);
      calls = [];
    };
    for (const entry of entries) {
      if ('call' in entry) {
        const agent = this.#agentOf(entry.call.agentId);
        const name = agent?.kind === 'main' ? '' : nameOf(agent, this.#format);
        calls.push(...callLines(entry.call, name, this.#format));
        continue;
      }
      endCalls();
      if ('said' in entry) this.#putSaid(entry.said);
      else if (isContextLoaded(entry.event)) this.#putContext(entry.event);
      else this.#put(`_${eventWords(entry.event, this.#format)} · ${this.#format.moment(entry.ts)}_`);
    }
    endCalls();
  }

  #putSaid({ id, role, agentId, ts, content }: Interaction): void {
    const { l10n, limits, moment, number } = this.#format;
    const isPrompt = role === 'user';
    if (isPrompt) this.#put(`## ${headingMarkdown(firstWords(content)) || l10n.t('A prompt without words')}`);
    const who = isPrompt ? l10n.t('You') : nameOf(this.#agentOf(agentId), this.#format);
    this.#put(`**${who}** · ${moment(ts)}`);
    const from = this.#lines.length + 1;
    this.#put(quotedMarkdown(content.slice(0, limits.said)));
    const left = content.length - limits.said;
    if (left > 0) this.#put(`_${l10n.t('… and {count} more characters', { count: number(left) })}_`);
    this.#places.set(id, { from, to: this.#lines.length });
    for (const receipt of this.#receipts.byReply.get(id) ?? []) this.#put(`_${receiptWords(receipt, this.#format)}_`);
  }

  #putContext(event: SessionEvent): void {
    const { l10n, moment } = this.#format;
    this.#put(`## ${l10n.t('Told of earlier sessions')} · ${moment(event.created_at)}`);
    this.#put(quotedMarkdown(event.details['text'] ?? event.summary));
  }

  #putOtherReceipts(): void {
    const { others } = this.#receipts;
    if (others.length === 0) return;
    this.#put(`## ${this.#format.l10n.t(relayPhrases['receipt.others'])}`);
    this.#put(...others.map((receipt) => `- ${deliveryWords(receipt, this.#format)}`));
  }

  #agentOf(id: string): Agent | undefined {
    return this.#agents.find((agent) => agent.id === id);
  }
}

function entriesOf({ interactions, observations, events }: Conversation): readonly Entry[] {
  const entries: Entry[] = [
    ...interactions.map((said) => ({ ts: said.ts, said })),
    ...observations.map((call) => ({ ts: call.ts, call })),
    // Prompts, replies and tool calls show all other events already.
    ...events
      .filter((event) => isContextLoaded(event) || isCompaction(event) || isNotKept(event))
      .map((event) => ({ ts: event.created_at, event })),
  ];
  return entries.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

/** What an agent was told of earlier sessions at its very beginning stands before the gap of a long session. */
function countOfLeadingContext(entries: readonly Entry[]): number {
  const first = entries.findIndex((entry) => !('event' in entry && isContextLoaded(entry.event)));
  return first < 0 ? entries.length : first;
}

/**
 * CNV-4, STO-4: which words of a session are missing. `unknown`: all of them, and no event says why; `nothing`: none were said;
 * `undefined`: none are missing.
 */
function missingOf({ session, statistics, interactions, observations, events, cut }: Conversation) {
  const isEmpty = interactions.length === 0 && !cut.before && !cut.after;
  if (events.some(isNotKept)) return isEmpty ? 'all' : 'some';
  if (!isEmpty) return undefined;
  // Retention removes the words before it removes the counts.
  if ((statistics ?? session.counts).prompts > 0) return 'unknown';
  return observations.length === 0 ? 'nothing' : undefined;
}

/** An agent was told of earlier sessions. */
function isContextLoaded({ event_type }: SessionEvent): boolean {
  return event_type === 'context_loaded';
}

/** CNV-4: a prompt that is stored without its words, because the person wanted it so. */
function isNotKept({ event_type, details }: SessionEvent): boolean {
  return event_type === 'user_request' && details['unlogged'] !== undefined;
}

function isCompaction({ event_type }: SessionEvent): boolean {
  return event_type === 'compact' || event_type === 'checkpoint_created';
}

function eventWords({ event_type, details }: SessionEvent, { l10n }: ConversationFormat): string {
  if (event_type === 'user_request') {
    return details['unlogged'] === 'private'
      ? l10n.t('A private prompt: it is not kept, nor what was answered to it')
      : l10n.t('A prompt while logging was off: it is not kept, nor what was answered to it');
  }
  const words =
    event_type === 'compact'
      ? l10n.t('The conversation was made smaller')
      : l10n.t('Compaction began; a checkpoint was kept');
  const trigger = plainMarkdown(details['trigger'] ?? '');
  return trigger === '' ? words : `${words} (${trigger})`;
}

function nameOf(agent: Agent | undefined, { l10n }: ConversationFormat): string {
  if (agent === undefined) return l10n.t('Agent');
  const type = agent.kind === 'main' ? '' : plainMarkdown(agent.type);
  return type === '' ? plainMarkdown(agent.name) : `${plainMarkdown(agent.name)} (${type})`;
}

/** How far into a prompt its first words are looked for. */
const HEADING_LOOK = 2_000;

/** The first line with letters or digits: a prompt may begin with empty lines or a fence. */
function firstWords(content: string): string {
  const line = content
    .slice(0, HEADING_LOOK)
    .split(/[\r\n]+/)
    .find((part) => /[\p{L}\p{N}]/u.test(part));
  return line?.replace(/^[\s>#*+`~-]+/u, '') ?? content.slice(0, HEADING_LOOK);
}

const TITLE_MAX = 160;

/** The head of a conversation: its title, who worked where and when, and how much was said and done. */
function headLines(conversation: Conversation, format: ConversationFormat): readonly string[] {
  const { session } = conversation;
  const { l10n } = format;
  const folder = session.project || session.cwd;
  const agent = nameOfProvider(session.provider) ?? codeMarkdown(session.provider);
  const rows: readonly (readonly [string, string])[] = [
    [l10n.t('Project'), codeMarkdown(folder)],
    [l10n.t('Worktree'), codeMarkdown(session.worktree ?? '')],
    [l10n.t('Agent'), [agent, codeMarkdown(session.model)].filter(Boolean).join(' · ')],
    [l10n.t('When'), whenText(conversation, format)],
    [l10n.t('Statistics'), countsText(conversation, format)],
    [l10n.t('Tokens'), tokensText(conversation, format)],
    [l10n.t('Session'), codeMarkdown(session.id)],
  ];
  return [
    `# ${headingMarkdown(session.title, TITLE_MAX) || l10n.t('Conversation')}`,
    '',
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `- ${name}: ${text}`),
  ];
}

function whenText({ session, statistics }: Conversation, format: ConversationFormat): string {
  const { l10n } = format;
  const from = format.moment(session.startedAt);
  const end = session.endedAt ?? (isOver(session.state) ? session.lastEventAt : undefined);
  const length = durationText(
    statistics?.durationMs ?? Date.parse(end ?? session.lastEventAt) - Date.parse(session.startedAt),
    format,
  );
  if (end === undefined) return l10n.t('{from} until now, {length}', { from, length });
  const reason = session.endReason ?? '';
  const times = l10n.t('{from} – {to}, {length}', { from, to: format.moment(end), length });
  return [times, reason === '' ? '' : endWords(reason, format)].filter(Boolean).join(' · ');
}

/** Says why a session ended. The reasons are the agent programs' own names; an unknown one is shown as it is. */
function endWords(reason: string, { l10n }: ConversationFormat): string {
  switch (reason) {
    case 'prompt_input_exit':
    case 'user_exit':
    case 'exit':
      return l10n.t('you left it');
    case 'clear':
      return l10n.t('the conversation was cleared');
    case 'resume':
      return l10n.t('another session was resumed in its place');
    case 'logout':
      return l10n.t('you signed out');
    case 'process_gone':
      return l10n.t('its process is gone');
    case 'complete':
      return l10n.t('it was done');
    case 'error':
      return l10n.t('an error ended it');
    case 'abort':
      return l10n.t('it was aborted');
    case 'timeout':
      return l10n.t('it took too long');
    case 'other':
      return '';
    default:
      return l10n.t('ended by {reason}', { reason: codeMarkdown(reason) });
  }
}

function countsText({ session, statistics }: Conversation, { l10n, number }: ConversationFormat): string {
  const { prompts, replies, toolCalls, failures, subagents } = statistics ?? session.counts;
  return [
    l10n.t('prompts: {count}', { count: number(prompts) }),
    l10n.t('replies: {count}', { count: number(replies) }),
    failures === 0
      ? l10n.t('tool calls: {count}', { count: number(toolCalls) })
      : l10n.t('tool calls: {count} ({failed} failed)', { count: number(toolCalls), failed: number(failures) }),
    ...(subagents === 0 ? [] : [l10n.t('sub-agents: {count}', { count: number(subagents) })]),
  ].join(' · ');
}

function tokensText({ session, statistics }: Conversation, { l10n, number }: ConversationFormat): string {
  const { tokensIn, tokensOut } = statistics ?? session.counts;
  if (tokensIn + tokensOut === 0) return '';
  return l10n.t('{in} in, {out} out', { in: number(tokensIn), out: number(tokensOut) });
}

/** A hook and a transcript may both report one reply, a little apart; the conversation shows only one of the two events. */
const SAME_REPLY_MS = 5_000;

interface Receipts {
  /** The deliveries of each reply, by the id of its interaction. */
  readonly byReply: ReadonlyMap<string, readonly Delivery[]>;
  /** Deliveries of something that is no reply in this conversation. */
  readonly others: readonly Delivery[];
}

/** RLY-1: assigns what was sent to a chat to the replies of the conversation. Deliveries of parts that are left out are dropped. */
function placeReceipts({ interactions, deliveries, cut }: Conversation): Receipts {
  const byReply = new Map<string, readonly Delivery[]>();
  const others: Delivery[] = [];
  const replies = interactions.filter(({ role }) => role === 'assistant');
  const [first, last] = [interactions[0]?.ts ?? '', interactions.at(-1)?.ts ?? ''];
  for (const delivery of deliveries) {
    const { kind, event, at } = delivery;
    const isNear = ({ ts }: { readonly ts: string }) => Math.abs(Date.parse(ts) - Date.parse(at)) < SAME_REPLY_MS;
    const reply = replies.find(({ id }) => id === event) ?? (kind === 'reply' ? replies.find(isNear) : undefined);
    const isLeftOut = (cut.before && at < first) || (cut.after && at > last);
    if (reply) byReply.set(reply.id, [...(byReply.get(reply.id) ?? []), delivery]);
    else if (!isLeftOut) others.push(delivery);
  }
  return { byReply, others };
}
