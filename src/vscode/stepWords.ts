import { codeMarkdown, plainMarkdown } from '../domain/markdownText.ts';
import type { TrailStep } from '../protocol/stored.ts';

/** The editor's own `l10n`, or a test's. */
export interface Translator {
  t(message: string, places?: Record<string, string | number>): string;
}

interface AgentStep {
  readonly step: TrailStep;
  /** The agent's name as Markdown; empty for the main agent, which the sentences don't name. */
  readonly agent: string;
}

/** What happened in a step, as the rest of a sentence. Markdown. */
function happened(l10n: Translator, { step, agent }: AgentStep): string {
  const what = whatHappened(l10n, step);
  return agent === '' ? what : l10n.t('{agent}: {what}', { agent, what });
}

function whatHappened(l10n: Translator, step: TrailStep): string {
  switch (step.event) {
    case 'session_started':
      return step.source === 'hook' ? l10n.t('the session started') : l10n.t('the session is there');
    case 'session_ended':
      return l10n.t('the session ended');
    case 'user_prompt':
      return l10n.t('a prompt was submitted');
    case 'turn_ended':
      return turnEnded(l10n, step);
    case 'agent_started':
      return l10n.t('the agent started');
    case 'agent_stopped':
      return step.by === 'process' ? l10n.t('the process of the agent is gone') : l10n.t('the agent ended');
    case 'agent_blocked':
      return askedPerson(l10n, step);
    case 'agent_unblocked':
      return l10n.t('the request was answered');
    case 'tool_started':
      return withCall(l10n.t('a tool was started'), step);
    case 'tool_succeeded':
      return withCall(l10n.t('a tool is done'), step);
    case 'tool_failed':
      return withCall(l10n.t('a tool failed'), step);
    case 'task_created':
    case 'task_started':
    case 'task_progress':
    case 'task_completed':
    case 'task_failed':
      return l10n.t('the task list changed');
    case 'notification':
      return notified(l10n, step);
    case 'model_called':
      return l10n.t('the agent works');
    case 'tool_batch_ended':
      return l10n.t('the tools are done');
    case 'compaction_started':
      return l10n.t('the context is being made smaller');
    case 'heartbeat':
      return l10n.t('there was a sign of life');
    case 'idle':
      return l10n.t('nothing was heard for a while');
    case 'stale':
      return l10n.t('nothing was heard for a whole day');
    default:
      return codeMarkdown(step.event);
  }
}

function turnEnded(l10n: Translator, { detail }: TrailStep): string {
  if (detail === undefined) return l10n.t('the turn ended');
  return detail === 'interrupted'
    ? l10n.t('the turn was interrupted')
    : l10n.t('the turn failed: {reason}', { reason: codeMarkdown(detail) });
}

function askedPerson(l10n: Translator, step: TrailStep): string {
  return step.to.phase === 'waiting_question'
    ? withCall(l10n.t('the person is asked something'), step)
    : withCall(l10n.t('permission is needed'), step);
}

function notified(l10n: Translator, { detail }: TrailStep): string {
  switch (detail) {
    case 'idle':
      return l10n.t('nothing has happened since the turn ended');
    case undefined:
      return l10n.t('a notification came');
    default:
      return l10n.t('a notification came: {name}', { name: codeMarkdown(detail) });
  }
}

function withCall(words: string, { tool, target }: TrailStep): string {
  if (tool === undefined) return words;
  const call = [plainMarkdown(tool), codeMarkdown(target ?? '')].filter((part) => part !== '').join(' ');
  return `${words}: ${call}`;
}

/** What happened in a step, and who reported it. Markdown. */
export function saidBy(l10n: Translator, { step, agent }: AgentStep): string {
  const what = happened(l10n, { step, agent });
  const hook = codeMarkdown(step.hook ?? '');
  switch (step.by ?? step.source) {
    case 'hook':
      return hook === ''
        ? l10n.t('a hook said: {what}', { what })
        : l10n.t('the hook {hook} said: {what}', { hook, what });
    case 'transcript':
      return l10n.t('the transcript said: {what}', { what });
    case 'status_file':
      return l10n.t('the agent’s own status said: {what}', { what });
    case 'process':
      return l10n.t('its process said: {what}', { what });
    case 'silence':
    case 'synthetic':
      return l10n.t('Agent Mascot inferred: {what}', { what });
  }
}
