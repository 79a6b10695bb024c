import { nameOfProvider } from '../../protocol/providers.ts';
import { isOver } from '../../domain/life.ts';
import { codeMarkdown, headingMarkdown } from '../../domain/markdownText.ts';
import { durationText, fullMoments, moments, type PersonsTime } from '../moment.ts';
import type { Translator } from '../stepWords.ts';
import type { Conversation } from './conversationReading.ts';

/** How many characters are told of one thing, and whether each moment says its day and its zone. */
export interface TextLimits {
  readonly said: number;
  readonly given: number;
  readonly answered: number;
  readonly fullTimes?: true;
}

export interface ConversationTelling {
  readonly l10n: Translator;
  readonly limits: TextLimits;
  moment(ts: string): string;
  number(value: number): string;
}

export function conversationTelling(l10n: Translator, time: PersonsTime, limits: TextLimits): ConversationTelling {
  const numbers = new Intl.NumberFormat(time.locale, { maximumFractionDigits: 1 });
  const moment = limits.fullTimes ? fullMoments(time) : moments(time);
  return { l10n, limits, moment, number: (value) => numbers.format(value) };
}

/** What an editor lays out at once, and a person reads. */
export const shownLimits: TextLimits = { said: 40_000, given: 400, answered: 800 };
export const wholeLimits: TextLimits = { said: Infinity, given: Infinity, answered: Infinity, fullTimes: true };

/** What a session was about, who worked where and when, and what it came to. */
export function headLines(conversation: Conversation, telling: ConversationTelling): readonly string[] {
  const { session } = conversation;
  const { l10n } = telling;
  const folder = session.project || session.cwd;
  const agent = nameOfProvider(session.provider) ?? codeMarkdown(session.provider);
  const rows: readonly (readonly [string, string])[] = [
    [l10n.t('Project'), codeMarkdown(folder)],
    [l10n.t('Worktree'), codeMarkdown(session.worktree ?? '')],
    [l10n.t('Agent'), [agent, codeMarkdown(session.model)].filter(Boolean).join(' · ')],
    [l10n.t('When'), whenText(conversation, telling)],
    [l10n.t('Statistics'), countsText(conversation, telling)],
    [l10n.t('Tokens'), tokensText(conversation, telling)],
    [l10n.t('Session'), codeMarkdown(session.id)],
  ];
  return [
    `# ${headingMarkdown(session.title, TITLE_MAX) || l10n.t('Conversation')}`,
    '',
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `- ${name}: ${text}`),
  ];
}

const TITLE_MAX = 160;

function whenText({ session, statistics }: Conversation, telling: ConversationTelling): string {
  const { l10n } = telling;
  const from = telling.moment(session.startedAt);
  const end = session.endedAt ?? (isOver(session.state) ? session.lastEventAt : undefined);
  const length = durationText(
    statistics?.durationMs ?? Date.parse(end ?? session.lastEventAt) - Date.parse(session.startedAt),
    telling,
  );
  if (end === undefined) return l10n.t('{from} until now, {length}', { from, length });
  const reason = session.endReason ?? '';
  const times = l10n.t('{from} – {to}, {length}', { from, to: telling.moment(end), length });
  return [times, reason === '' ? '' : endWords(reason, telling)].filter(Boolean).join(' · ');
}

/** The agent programs' own names for it, as far as they are known. */
function endWords(reason: string, { l10n }: ConversationTelling): string {
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

function countsText({ session, statistics }: Conversation, { l10n, number }: ConversationTelling): string {
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

function tokensText({ session, statistics }: Conversation, { l10n, number }: ConversationTelling): string {
  const { tokensIn, tokensOut } = statistics ?? session.counts;
  if (tokensIn + tokensOut === 0) return '';
  return l10n.t('{in} in, {out} out', { in: number(tokensIn), out: number(tokensOut) });
}
