import type { Activity, Agent, Mood, Session } from '../src/protocol/state.ts';
import { cutText, plainWords } from './plainText.ts';
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
  if (isUntold(session) && agent.activity === null && agent.wait === null) return [{ text: say(strings, 'seen.mood') }];
  const { wait } = agent;
  if (wait?.kind === 'permission' && wait.tool !== undefined) {
    const target = wait.target === undefined ? '' : shortTarget(wait.target, session);
    return sentence(strings, 'wait.doing', { tool: toolName(wait.tool), target });
  }
  const activity = shownActivity(agent, session);
  if (activity === undefined) return moodWords(strings, shownMood(agent, session));
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

/** What it does, where nothing goes before it: who waits, is hurt or leaves is told to do that. */
export function shownActivity(agent: Agent, session: Session): Activity | undefined {
  const mood = shownMood(agent, session);
  return agent.wait !== null || mood === 'hurt' || mood === 'leaving' ? undefined : (agent.activity ?? undefined);
}

/** The badge of its session tells that it sleeps, and since when. */
export function isSleepTold(agent: Agent, session: Session): boolean {
  return session.state === 'idle' && session.phase === null && shownMood(agent, session) === 'sleeping';
}

/** A face that pretends to know nothing, where nothing is known. */
export function shownMood(agent: Agent, session: Session): Mood {
  const knows = agent.wait !== null || agent.activity !== null || agent.mood === 'leaving' || agent.mood === 'arriving';
  return isUntold(session) && !knows ? 'resting' : agent.mood;
}

function moodWords(strings: Strings, mood: Mood): readonly SentencePart[] {
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
  const message = plainWords(wait.message ?? '');
  if (wait.kind === 'question') {
    return { text: message || target || say(strings, 'wait.question'), target: '' };
  }
  if (wait.tool === undefined) return { text: message || say(strings, 'wait.permissionAny'), target };
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

const REASON_MAX = 80;

/** Why the last turn failed, while nothing new has begun: neither a minute of silence nor sleep makes it good. */
function failureOf(session: Session): string | undefined {
  const over = session.phase === 'interactable' || session.phase === null || isQuiet(session);
  return over ? session.phaseBecause?.failure : undefined;
}

/** Some agents tell the reason as a sentence of their own: that can be read. */
export function errorWords(strings: Strings, reason: string): string {
  const key = errorKeys.get(reason);
  if (key !== undefined) return say(strings, key);
  return /\s/.test(reason) ? cutText(reason, REASON_MAX) : '';
}

export type BadgeKind =
  'permission' | 'question' | 'busy' | 'yourMove' | 'interrupted' | 'failed' | 'asleep' | 'gone' | 'seen' | 'none';

export interface PhaseWords {
  readonly kind: BadgeKind;
  readonly text: string;
}

export function phaseWords(strings: Strings, session: Session): PhaseWords {
  if (isGone(session)) return { kind: 'gone', text: say(strings, 'phase.gone') };
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
      return { kind: 'busy', text: say(strings, isCompacting(session) ? 'phase.compacting' : 'phase.busy') };
    case 'interactable':
      return turnOverWords(strings, session);
    case null:
      return restWords(strings, session);
  }
}

function isCompacting({ phaseBecause }: Session): boolean {
  return phaseBecause?.detail === 'compacting';
}

function turnOverWords(strings: Strings, session: Session): PhaseWords {
  // Nobody sits there whose move it could be.
  if (session.surface === 'headless') return { kind: 'none', text: say(strings, 'phase.over') };
  return session.phaseBecause?.detail === 'interrupted'
    ? { kind: 'interrupted', text: say(strings, 'phase.interrupted') }
    : { kind: 'yourMove', text: say(strings, 'phase.interactable') };
}

function restWords(strings: Strings, session: Session): PhaseWords {
  if (isUntold(session)) return { kind: 'seen', text: say(strings, 'seen.label') };
  return { kind: session.state === 'idle' ? 'asleep' : 'none', text: say(strings, `life.${session.state}`) };
}

/** TRN-4: nothing but its transcript is known, and that does not tell what its agent does. */
export function isUntold(session: Session): boolean {
  return session.seenIn === 'transcript' && session.phase === null && session.state === 'active';
}

/** Its process ended without a word. */
export function isGone(session: Session): boolean {
  return session.state === 'stale' && session.endReason === 'process_gone';
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
  // The badge says these already.
  if (because.detail === 'interrupted' || isCompacting(session) || session.phase === null)
    return { tool: '', target: '' };
  if (because.detail === 'idle') return { tool: say(strings, 'cause.idle'), target: '' };
  // Its tool is only the way in which it asks.
  if (session.phase === 'waiting_question')
    return { tool: plainWords(because.detail ?? because.target ?? ''), target: '' };
  const target = because.target === undefined ? '' : shortTarget(because.target, session);
  if (because.tool !== undefined) return { tool: toolName(because.tool), target };
  return { tool: because.detail ?? '', target };
}

/** `mcp__github__create_issue` reads as `github: create_issue`; other names are the agent's own. */
export function toolName(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server !== undefined && name !== undefined ? `${server}: ${name}` : tool;
}

export function projectName(session: Session): string {
  return folderName(session.project || session.cwd) || session.workspace;
}

/** What stands beside a name: whether it is a team-mate, the kind of agent in its own word, and whether it goes on by itself. */
export function kindWords(strings: Strings, agent: Agent): string {
  if (agent.kind === 'main') return '';
  const own = agent.type === '' || agent.type === agent.name ? [] : [agent.type];
  const kind = agent.kind === 'teammate' ? [say(strings, 'agent.teammate'), ...own] : own;
  const background = agent.background ? [say(strings, 'agent.background')] : [];
  return [...(kind.length > 0 ? kind : [say(strings, 'agent.subagent')]), ...background].join(' · ');
}

/** What it was started for; empty where nobody said it. */
export function jobWords(strings: Strings, agent: Agent): string {
  const task = agent.task?.trim() ?? '';
  return task === '' ? '' : say(strings, 'agent.job', { task });
}
