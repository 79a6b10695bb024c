import type { Agent, Session } from '../protocol/state.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { Settled } from './settle.ts';
import { oneLine } from './text.ts';
import { isInSpan } from './unlogged.ts';

/** What a transcript adds up to; totals of the whole file. */
export interface Measures {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  readonly contextUsed: number;
  readonly contextWindow: number | null;
  readonly model?: string | undefined;
  /** The agent's own title for its session. */
  readonly title?: string | undefined;
  readonly titleByPerson?: boolean | undefined;
  /** Of people; where no hook counts them. */
  readonly prompts: number;
  readonly firstPrompt?: string | undefined;
  /** When the first line was written, of those that were copied too. */
  readonly began?: string | undefined;
  /** CNV-4: a prompt in it bears the marker; no title of the agent's is measured from there on. */
  readonly privateTurns?: true | undefined;
}

/** Seen beside the events, of no use after a restart: never stored. */
export interface Sighting {
  readonly sessionId: string;
  /** ms since the epoch: its transcript grew. */
  readonly signAt?: number | undefined;
  /** Its process was seen alive. */
  readonly aliveAt?: number | undefined;
  /** Of whose transcript, where it is a sub-agent's own. */
  readonly agentId?: string | undefined;
  readonly measures?: Measures | undefined;
  readonly says?: { readonly agentId: string; readonly text: string; readonly at: string } | undefined;
}

interface Words {
  readonly text: string;
  readonly at: string;
  /** What the agent said by its events at that time: once that changes, these words are old. */
  readonly over: string | null;
}

export interface Sightings {
  readonly signAt?: number | undefined;
  readonly aliveAt?: number | undefined;
  readonly agentSigns: Readonly<Record<string, number>>;
  readonly measures?: Measures | undefined;
  readonly says: Readonly<Record<string, Words>>;
}

const SAYS_MAX = 240;
const TITLE_MAX = 80;

export function withSighting(
  before: Sightings | undefined,
  seen: Sighting,
  state: SessionState,
  now: number,
): Sightings {
  const here = new Set(state.agents.map(({ agent }) => agent.id));
  const says = Object.fromEntries(Object.entries(before?.says ?? {}).filter(([id]) => here.has(id)));
  if (seen.says) {
    const { agentId, text, at } = seen.says;
    const over = state.agents.find(({ agent }) => agent.id === agentId)?.agent.says ?? null;
    says[agentId] = { text: oneLine(text, SAYS_MAX), at, over };
  }
  // A file's time may be anything; what is yet to come is no sign of what was.
  const signAt = Math.min(seen.signAt ?? 0, now);
  const agentSigns = Object.fromEntries(Object.entries(before?.agentSigns ?? {}).filter(([id]) => here.has(id)));
  if (seen.agentId !== undefined) agentSigns[seen.agentId] = Math.max(agentSigns[seen.agentId] ?? 0, signAt);
  return {
    signAt: Math.max(before?.signAt ?? 0, signAt) || undefined,
    aliveAt: seen.aliveAt ?? before?.aliveAt,
    agentSigns,
    measures: seen.measures ?? before?.measures,
    says,
  };
}

/** The session with what was seen of it. */
export function overlaid(settled: Settled, state: SessionState, seen: Sightings | undefined): Settled {
  if (!seen) return settled;
  return {
    session: measured(settled.session, seen.measures && untold(seen.measures, state)),
    agents: settled.agents.map((agent) => speaking(agent, state, seen.says[agent.id])),
  };
}

/** CNV-4: a hook may tell of a private turn only after its words were seen. */
function untold(measures: Measures, { unlogged }: SessionState): Measures {
  if (unlogged === undefined) return measures;
  return { ...measures, firstPrompt: undefined, title: measures.titleByPerson ? measures.title : undefined };
}

function measured(session: Session, measures: Measures | undefined): Session {
  if (!measures) return session;
  const { tokensIn, tokensOut, tokensCached, contextUsed, contextWindow, model, title, prompts, firstPrompt } =
    measures;
  const hookless = session.seenIn === 'transcript';
  return {
    ...session,
    model: model ?? session.model,
    title: title ?? (session.title || oneLine(firstPrompt ?? '', TITLE_MAX)),
    counts: { ...session.counts, tokensIn, tokensOut, ...(hookless ? { prompts } : {}) },
    usage: contextUsed > 0 ? { tokensCached, contextUsed, contextWindow } : session.usage,
  };
}

/** A thought belongs to the turn it was thought in, and stands until the agent says something else. */
function speaking(agent: Agent, state: SessionState, words: Words | undefined): Agent {
  if (!words || !agent.present || words.over !== agent.says || isInSpan(state.unlogged, words.at)) return agent;
  const { phase, since } = state.main;
  const lastTurns = agent.kind === 'main' && phase === 'busy' && since !== null && since > words.at;
  return lastTurns ? agent : { ...agent, says: words.text };
}
