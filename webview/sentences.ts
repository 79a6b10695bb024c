import type { Agent, Mood, Session } from '../src/protocol/state.ts';
import { folderName, shortTarget } from './targets.ts';
import { say, sentence, type SentencePart, type Strings, type WordKey } from './words.ts';

const activityKeys: Partial<Record<Mood, WordKey>> = {
  reading: 'activity.reading',
  writing: 'activity.writing',
  running: 'activity.running',
  searching: 'activity.searching',
  browsing: 'activity.browsing',
  delegating: 'activity.delegating',
};

/** What an agent does right now, in one sentence: the tool and its target where there is one, else its mood. */
export function activityWords(strings: Strings, agent: Agent, session: Session): readonly SentencePart[] {
  const { activity, mood, wait } = agent;
  if (activity === null || wait !== null || mood === 'hurt' || mood === 'leaving') return moodWords(strings, mood);
  if (activity.target === undefined) {
    return activityKeys[activity.mood] === undefined && activity.tool !== ''
      ? sentence(strings, 'activity.tool', { tool: activity.tool })
      : moodWords(strings, activity.mood);
  }
  const target = shortTarget(activity.target, session);
  const key = activityKeys[activity.mood];
  // A server's tool runs something, but what it is about is no command.
  if (key === undefined || activity.tool.startsWith('mcp__')) {
    return sentence(strings, 'activity.tool', { tool: toolName(activity.tool) });
  }
  return sentence(strings, key, { target });
}

export function moodWords(strings: Strings, mood: Mood): readonly SentencePart[] {
  return [{ text: say(strings, `mood.${mood}`) }];
}

/** What a waiting agent asks: its own words where it has some, else the tool it wants to use. */
export function waitWords(
  strings: Strings,
  agent: Agent,
  session: Session,
): { text: string; target: string } | undefined {
  const { wait } = agent;
  if (wait === null) return undefined;
  const target = wait.target === undefined ? '' : shortTarget(wait.target, session);
  if (wait.kind === 'question') return { text: wait.message ?? (target || say(strings, 'wait.question')), target: '' };
  if (wait.tool === undefined) return { text: wait.message ?? say(strings, 'wait.permissionAny'), target };
  return { text: say(strings, 'wait.permission', { tool: toolName(wait.tool) }), target };
}

/** Keys of the errors that agents are known to report. An id without words is not shown: nobody reads it. */
const errorKeys: ReadonlyMap<string, WordKey> = new Map([
  ['rate_limit', 'error.rate_limit'],
  ['server_error', 'error.server_error'],
  ['authentication_failed', 'error.authentication_failed'],
  ['billing_error', 'error.billing_error'],
  ['invalid_request', 'error.invalid_request'],
  ['unknown', 'error.unknown'],
]);

/** Why the last turn failed, while nothing new has begun: a minute of silence does not make it good. */
function failureOf(session: Session): string | undefined {
  return session.phase === 'interactable' || isQuiet(session) ? session.phaseBecause?.failure : undefined;
}

function errorWords(strings: Strings, id: string): string {
  const key = errorKeys.get(id);
  return key === undefined ? '' : say(strings, key);
}

export type BadgeKind = 'permission' | 'question' | 'busy' | 'yourMove' | 'failed' | 'asleep' | 'none';

export interface PhaseWords {
  readonly kind: BadgeKind;
  readonly text: string;
}

export function phaseWords(strings: Strings, session: Session): PhaseWords {
  if (failureOf(session) !== undefined) return { kind: 'failed', text: say(strings, 'phase.failed') };
  switch (session.phase) {
    case 'waiting_permission':
      return { kind: 'permission', text: say(strings, 'phase.waiting_permission') };
    case 'waiting_question':
      // A minute of silence after a turn is reported like a question, but is one to nobody.
      return isQuiet(session)
        ? { kind: 'yourMove', text: say(strings, 'phase.interactable') }
        : { kind: 'question', text: say(strings, 'phase.waiting_question') };
    case 'busy':
      return { kind: 'busy', text: say(strings, 'phase.busy') };
    case 'interactable':
      return { kind: 'yourMove', text: say(strings, 'phase.interactable') };
    case null:
      return { kind: session.state === 'idle' ? 'asleep' : 'none', text: say(strings, `life.${session.state}`) };
  }
}

export function isQuiet(session: Session): boolean {
  return session.phase === 'waiting_question' && session.phaseBecause?.detail === 'idle';
}

/** Why a phase is what it is: `Bash`, `npm test`. Empty where the phase says it all. */
export function causeWords(strings: Strings, session: Session): { tool: string; target: string } {
  const because = session.phaseBecause;
  if (because === null) return { tool: '', target: '' };
  const failure = failureOf(session);
  if (failure !== undefined) return { tool: errorWords(strings, failure), target: '' };
  if (because.detail === 'idle') return { tool: say(strings, 'cause.idle'), target: '' };
  const target = because.target === undefined ? '' : shortTarget(because.target, session);
  if (because.tool !== undefined) return { tool: toolName(because.tool), target };
  return { tool: because.detail ?? '', target };
}

export function causeSource(strings: Strings, session: Session): string {
  return session.phaseBecause === null ? '' : say(strings, `cause.${session.phaseBecause.source}`);
}

/** `mcp__github__create_issue` reads as `github: create_issue`; other names are the agent's own. */
export function toolName(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server !== undefined && name !== undefined ? `${server}: ${name}` : tool;
}

export function projectName(session: Session): string {
  return folderName(session.project || session.cwd) || session.workspace;
}

/** What a screen reader says of one mascot: who, in which mood, doing what. */
export function mascotLabel(strings: Strings, agent: Agent, session: Session): string {
  const asks = waitWords(strings, agent, session);
  const mood = say(strings, `mood.${agent.mood}`);
  const doing = activityWords(strings, agent, session)
    .map((part) => part.text)
    .join('');
  const parts = [
    agent.name,
    kindWords(strings, agent),
    mood,
    doing === mood ? '' : doing,
    asks?.text ?? '',
    asks?.target ?? '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** What stands beside a name: the kind of sub-agent in the agent's own word, or ours. */
export function kindWords(strings: Strings, agent: Agent): string {
  if (agent.kind === 'main') return '';
  return agent.type || say(strings, agent.kind === 'teammate' ? 'agent.teammate' : 'agent.subagent');
}
