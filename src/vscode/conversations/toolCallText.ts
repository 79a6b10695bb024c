import { codeMarkdown, plainMarkdown, quotedCode } from '../../domain/markdownText.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { ToolObservation } from '../../protocol/reading.ts';
import { durationText } from '../moment.ts';
import type { ConversationTelling } from './conversationHead.ts';
import { onlyRepeats, type ToolChange, toolChange } from './toolChangeText.ts';

/** One tool call: a line, below it what it was given and what it answered. `agent` is Markdown, empty for the main one. */
export function callLines(call: ToolObservation, agent: string, telling: ConversationTelling): readonly string[] {
  const { l10n, limits } = telling;
  const tool = `**${plainMarkdown(call.skillName) || l10n.t('Tool')}**`;
  const what = [
    agent === '' ? tool : l10n.t('{agent}: {what}', { agent, what: tool }),
    codeMarkdown(call.target ?? ''),
  ];
  const parts = [
    `${signs[call.outcome]} ${what.filter(Boolean).join(' ')}`,
    outcomeWords(call, telling),
    call.durationMs === null ? '' : durationText(call.durationMs, telling),
  ];
  const given = parsed(call.arguments);
  const answer = parsed(call.response ?? '');
  const change = given && toolChange(given, answer, l10n.t('doing'));
  const isRepeated = call.outcome === 'succeeded' && answer !== undefined && onlyRepeats(answer);
  const blocks = [
    block(givenText(call, given, change), limits.given, telling),
    // It has the room of what is not told beside it.
    block(change?.text ?? '', limits.given + limits.answered, telling, change?.language),
    block(isRepeated ? '' : (call.response ?? ''), limits.answered, telling),
  ].filter((lines) => lines.length > 0);
  return [
    `- ${parts.filter(Boolean).join(' · ')}`,
    ...blocks.flatMap((lines, index) => (index === 0 ? lines : ['>', ...lines])).map((line) => `  ${line}`),
  ];
}

const signs: Readonly<Record<ToolObservation['outcome'], string>> = {
  running: '…',
  succeeded: '✓',
  failed: '✗',
  denied: '⊘',
  unknown: '?',
};

function outcomeWords({ outcome, metadata }: ToolObservation, { l10n }: ConversationTelling): string {
  const code = metadata['exitCode'];
  const exit = typeof code === 'number' && code !== 0 ? l10n.t('exit code {code}', { code }) : '';
  switch (outcome) {
    case 'succeeded':
      return exit;
    case 'failed':
      return exit === '' ? l10n.t('failed') : exit;
    case 'denied':
      return l10n.t('not allowed');
    case 'running':
      return l10n.t('running');
    case 'unknown':
      return l10n.t('how it ended is not known');
  }
}

/** As people read it: a value a line. What the line above says already is not said again. */
function givenText(
  { arguments: json, target }: ToolObservation,
  given: JsonObject | undefined,
  change: ToolChange | undefined,
): string {
  if (given === undefined) return json;
  const rows = Object.entries(given).filter(
    ([name, value]) =>
      change === undefined || !(change.says.includes(name) || value === target || isEndOf(value, target)),
  );
  const [only] = rows;
  if (rows.length <= 1 && (only === undefined || only[1] === target)) return '';
  return rows
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** The line above has the last part of a long path. */
function isEndOf(value: Json, target: string | null): boolean {
  return typeof value === 'string' && target !== null && target !== '' && value.endsWith(target);
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value = JSON.parse(json) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function block(
  text: string,
  max: number,
  { l10n, number }: ConversationTelling,
  language: ToolChange['language'] = '',
): readonly string[] {
  const trimmed = text.trimEnd();
  if (trimmed === '') return [];
  const cut = cutAt(trimmed, max);
  const lines = quotedCode(cut, language).split('\n');
  if (cut.length === trimmed.length) return lines;
  const count = number(trimmed.length - cut.length);
  return [...lines, `> _${l10n.t('… and {count} more characters', { count })}_`];
}

/** At the end of a line where one is near. */
function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.lastIndexOf('\n', max);
  return text.slice(0, end > max / 2 ? end : max).replace(/\p{Cs}$/u, '');
}
