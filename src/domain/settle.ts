import type { Agent, Mood, Session } from '../protocol/state.ts';
import type { AgentState, SessionState } from '../protocol/stored.ts';
import { providerFor } from './providers/registry.ts';

interface Passing {
  readonly ms: number;
  readonly then: Mood;
}

/** AGT-3: moods that pass by themselves. A celebration lasts as long as it takes to be noticed, an arrival as long as its animation. */
const passing: Partial<Record<Mood, Passing>> = {
  arriving: { ms: 3_000, then: 'resting' },
  celebrating: { ms: 4_000, then: 'resting' },
};

const MINUTE = 60_000;

/** A sub-agent that nobody heard of for so long has ended without a word; a call of its own may take longer. */
const SILENT_MS = 30 * MINUTE;
const SILENT_IN_CALL_MS = 180 * MINUTE;

/** A container's or another host's agent in a call. */
const UNKNOWN_LIFE_MS = 120 * MINUTE;

/** SES-3: no sign of life for so long, and nothing that could still be waited for. */
const STALE_MS = 24 * 60 * MINUTE;

export interface Signs {
  /** The setting `idleMinutes`. */
  readonly idleMs: number;
  /** When its transcript grew last (ms since the epoch), where somebody looks. */
  readonly signAt?: number | undefined;
  /** When its process was last seen alive; never, where nobody here can see it. */
  readonly aliveAt?: number | undefined;
  /** The same of its sub-agents' own transcripts. */
  readonly agentSigns?: Readonly<Record<string, number>> | undefined;
}

export interface Settled {
  readonly session: Session;
  readonly agents: readonly Agent[];
}

/** A session as it looks at `now`: what time alone changes is never stored. */
export function settleSession(state: SessionState, now: number, signs: Signs): Settled {
  const session = settledSession(state, now, signs);
  const asleep = session.state === 'idle' || session.state === 'stale';
  const agents = state.agents.map((each) => {
    const agent = settledAgent(each, now, signs);
    return asleep && agent.present ? sleeping(agent, session) : agent;
  });
  const left = agents.filter((agent, index) => !agent.present && state.agents[index]?.agent.present);
  if (left.length === 0) return { session, agents };
  return { session: { ...session, background: Math.max(0, session.background - left.length) }, agents };
}

/** The next moment (ms since the epoch) at which time alone changes it. */
export function settlesAt(state: SessionState, now: number, signs: Signs): number | undefined {
  const moments = [
    ...state.agents.flatMap((each) => [moodEnds(each.agent), silentAt(each, signs)]),
    idleAt(state, signs, now),
    staleAt(state, signs, now),
  ];
  const coming = moments.filter((at): at is number => at !== undefined && at > now);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

function settledSession(state: SessionState, now: number, signs: Signs): Session {
  const { session } = state;
  const stale = staleAt(state, signs, now);
  if (stale !== undefined && now >= stale) return quiet(session, 'stale', stale);
  const idle = idleAt(state, signs, now);
  if (idle !== undefined && now >= idle) return quiet(session, 'idle', idle);
  return session;
}

function quiet(session: Session, state: 'idle' | 'stale', since: number): Session {
  return {
    ...session,
    state,
    phase: null,
    phaseBecause: {
      event: state,
      source: 'synthetic',
      by: 'silence',
      // STA-2: a failure stays visible until something new begins.
      failure: session.phaseBecause?.failure,
    },
    phaseSince: new Date(since).toISOString(),
  };
}

/** Never while somebody is waited for or a call is open: twenty minutes at a permission prompt are no idleness. */
function idleAt(state: SessionState, signs: Signs, now: number): number | undefined {
  const { session, agents } = state;
  if (session.state !== 'active' && session.state !== 'idle') return undefined;
  const quietAt = lastSign(session, signs.signAt) + signs.idleMs;
  const open = agents.filter((each) => isOpen(each) && (silentAt(each, signs) ?? Infinity) > now);
  if (open.length === 0) return quietAt;
  // Where nobody can tell whether the process lives, a call that never ends must not keep it awake for ever.
  const canTell = isAlive(signs, now) || open.some(({ agent }) => agent.wait !== null);
  if (canTell && !endsInSilence(session)) return undefined;
  return Math.max(quietAt, ...open.map(({ seenAt }) => Date.parse(seenAt) + UNKNOWN_LIFE_MS));
}

function isOpen({ agent, openTools }: AgentState): boolean {
  return agent.present && (agent.wait !== null || openTools.length > 0);
}

/** Longer than between two looks, so that one that is late does no harm. */
const ALIVE_MS = MINUTE;

/** Its end is told by its process: silence proves nothing. */
function isAlive({ aliveAt }: Signs, now: number): boolean {
  return aliveAt !== undefined && now - aliveAt < ALIVE_MS;
}

/** PRV-1: an editor's chat sends no end, and the editor's process outlives it by weeks, so it ends after silence. */
function endsInSilence({ provider }: Session): boolean {
  return providerFor(provider).endsInSilence === true;
}

function staleAt(state: SessionState, signs: Signs, now: number): number | undefined {
  const { session, agents } = state;
  if (session.state !== 'active' && session.state !== 'idle') return undefined;
  if (endsInSilence(session)) return idleAt(state, signs, now);
  // Somebody asked on Friday is still asked on Monday.
  if (isAlive(signs, now) && agents.some(({ agent }) => agent.present && agent.wait !== null)) return undefined;
  return lastSign(session, signs.signAt) + STALE_MS;
}

function lastSign(session: Session, signAt: number | undefined): number {
  return Math.max(Date.parse(session.lastEventAt), signAt ?? 0);
}

function settledAgent(state: AgentState, now: number, signs: Signs): Agent {
  const silent = silentAt(state, signs);
  if (silent !== undefined && now >= silent) {
    const since = new Date(silent).toISOString();
    return { ...state.agent, present: false, mood: 'leaving', moodSince: since, activity: null };
  }
  return settle(state.agent, now);
}

function silentAt({ agent, openTools, seenAt }: AgentState, { agentSigns }: Signs): number | undefined {
  if (agent.kind !== 'subagent' || !agent.present || agent.wait !== null) return undefined;
  const seen = Math.max(Date.parse(seenAt), agentSigns?.[agent.id] ?? 0);
  return seen + (openTools.length > 0 ? SILENT_IN_CALL_MS : SILENT_MS);
}

/** The agent as it looks at `now`; the same object when nothing has passed. */
export function settle(agent: Agent, now: number): Agent {
  const end = moodEnds(agent);
  const rule = passing[agent.mood];
  // A mood without a valid start does not end.
  if (end === undefined || rule === undefined || !(now >= end)) return agent;
  return { ...agent, mood: rule.then, moodSince: new Date(end).toISOString() };
}

function moodEnds(agent: Agent): number | undefined {
  const rule = passing[agent.mood];
  const end = rule === undefined || !agent.present ? NaN : Date.parse(agent.moodSince) + rule.ms;
  // An event that was stored by hand may have an invalid timestamp.
  return Number.isNaN(end) ? undefined : end;
}

function sleeping(agent: Agent, session: Session): Agent {
  return { ...agent, mood: 'sleeping', moodSince: session.phaseSince ?? agent.moodSince, activity: null };
}
