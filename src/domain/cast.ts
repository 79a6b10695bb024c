import { type CastEntry, type CastFile, type LookChange, MASCOT_NAME_MAX } from '../protocol/cast.ts';
import type { Agent, Session } from '../protocol/state.ts';
import { isMain } from './agentIds.ts';

/** Beyond so many the oldest are forgotten: more pins than anybody gives, and names of agents that nobody will meet again. */
const KEPT = 1_000;
const BEARERS_KEPT = 50;

export const emptyCast: CastFile = { version: 1, mascots: [] };

/** Every event of every agent asks who bears what. */
export type Looks = ReadonlyMap<string, CastEntry>;

export function looksOf({ mascots }: CastFile): Looks {
  return new Map(mascots.flatMap((entry) => entry.bearers.map(({ agentId }) => [agentId, entry] as const)));
}

/** An agent as the person wants to see it. */
export function dressed(agent: Agent, entry: CastEntry | undefined): Agent {
  if (entry === undefined) return agent;
  const { pinned, pinnedAt, hidden } = entry;
  // Whoever has come in a pinned one's place bears its name too.
  const name = entry.name ?? pinned?.name ?? agent.name;
  return {
    ...agent,
    name,
    ...(name === agent.name ? {} : { ownName: agent.name }),
    ...(pinned === undefined ? {} : { avatarSeed: pinned.seed }),
    ...(pinnedAt === undefined ? {} : { employmentType: 'employee' as const, pinnedAt }),
    ...(hidden === true ? { hidden } : {}),
  };
}

/** `agent` is as it would be without the cast. */
export function withLook(cast: CastFile, change: LookChange, agent: Agent, session: Session, now: string): CastFile {
  const before = looksOf(cast).get(agent.id);
  const bearers = before?.bearers ?? [{ agentId: agent.id, sessionId: agent.sessionId }];
  const name = change.name === undefined ? before?.name : cleanName(change.name) || undefined;
  const hidden = change.hidden ?? before?.hidden;
  const isPinned = change.pinned ?? before?.pinnedAt !== undefined;
  const pinned = isPinned ? (before?.pinned ?? pinnedLook(agent, session)) : before?.pinned;
  const entry: CastEntry = {
    bearers,
    ...(name === undefined ? {} : { name }),
    ...(hidden === true ? { hidden } : {}),
    ...(isPinned ? { pinnedAt: before?.pinnedAt ?? now } : {}),
    ...(pinned === undefined ? {} : { pinned }),
    at: now,
  };
  const others = cast.mascots.filter((other) => other !== before);
  return { version: 1, mascots: forgetOld(saysNothing(entry) ? others : [...others, entry]) };
}

function pinnedLook(agent: Agent, session: Session): NonNullable<CastEntry['pinned']> {
  const { kind, type, name, avatarSeed: seed } = agent;
  return { seed, name, provider: session.provider, project: session.project, kind, type };
}

/** One that was unpinned and came in another's place goes on looking as it did. */
function saysNothing({ name, hidden, pinnedAt, bearers }: CastEntry): boolean {
  return name === undefined && hidden !== true && pinnedAt === undefined && bearers.length === 1;
}

function forgetOld(mascots: readonly CastEntry[]): CastEntry[] {
  const oldest = (entries: readonly CastEntry[]) =>
    entries.toSorted((a, b) => (a.at < b.at ? -1 : 1)).slice(0, Math.max(0, entries.length - KEPT));
  const isPinned = ({ pinnedAt }: CastEntry) => pinnedAt !== undefined;
  const gone = new Set([...oldest(mascots.filter(isPinned)), ...oldest(mascots.filter((entry) => !isPinned(entry)))]);
  return mascots.filter((entry) => !gone.has(entry));
}

/** What would break a line, or turn the words around it. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]+/g;

function cleanName(name: string): string {
  return [...name.replace(unseen, ' ').replace(/\s+/g, ' ').trim()].slice(0, MASCOT_NAME_MAX).join('').trim();
}

/** When a bearer was last there; `here`: it is, and undefined: it has left so long ago that nobody knows. */
export type LastSeen = (bearer: CastEntry['bearers'][number]) => 'here' | string | undefined;

/**
 * The same cast where nothing changes. An agent that nobody has given a look takes that of a pinned one of its kind and project
 * if that one had left before it came: nobody changes face while people look. After `/clear` the look goes on with the agent.
 */
export function withReturned(cast: CastFile, agent: Agent, session: Session, lastSeen: LastSeen): CastFile {
  if (looksOf(cast).has(agent.id)) return cast;
  const heir = inherited(cast, agent, session) ?? vacant(cast, agent, session, lastSeen);
  if (heir === undefined) return cast;
  const bearers = [...heir.bearers, { agentId: agent.id, sessionId: agent.sessionId }].slice(-BEARERS_KEPT);
  return { version: 1, mascots: cast.mascots.map((entry) => (entry === heir ? { ...entry, bearers } : entry)) };
}

/**
 * The same cast where nothing changes. Of those that are there one bears a pinned look, for two with one face can't be told apart:
 * the one that was pinned itself, when it comes back, else who came last. The other is itself from then on.
 */
export function withOneBearer(cast: CastFile, entry: CastEntry, lastSeen: LastSeen): CastFile {
  if (entry.pinned === undefined || entry.bearers.length === 1) return cast;
  const here = entry.bearers.filter((bearer) => lastSeen(bearer) === 'here');
  if (here.length < 2) return cast;
  const stays = here.find((bearer) => bearer === entry.bearers[0]) ?? here.at(-1);
  const bearers = entry.bearers.filter((bearer) => bearer === stays || !here.includes(bearer));
  return { version: 1, mascots: cast.mascots.map((other) => (other === entry ? { ...entry, bearers } : other)) };
}

/** NRM-6: `/clear` begins a new session with the same main agent. */
function inherited(cast: CastFile, agent: Agent, { continues }: Session): CastEntry | undefined {
  if (continues === undefined || agent.kind !== 'main') return undefined;
  const isMainThere = ({ agentId, sessionId }: CastEntry['bearers'][number]) =>
    sessionId === continues && isMain({ agent_id: agentId, session_id: sessionId });
  return cast.mascots.find(({ bearers }) => bearers.some(isMainThere));
}

function vacant(cast: CastFile, agent: Agent, session: Session, lastSeen: LastSeen): CastEntry | undefined {
  const isOpen = ({ pinnedAt, hidden }: CastEntry) => pinnedAt !== undefined && hidden !== true;
  const fitting = cast.mascots.filter((entry) => isOpen(entry) && fits(entry, agent, session));
  const free = fitting.filter(({ bearers }) => bearers.every((bearer) => hadLeft(lastSeen(bearer), agent)));
  return free.toSorted((a, b) => ((a.pinnedAt ?? '') < (b.pinnedAt ?? '') ? -1 : 1))[0];
}

function hadLeft(seen: ReturnType<LastSeen>, { startedAt }: Agent): boolean {
  return seen !== 'here' && (seen === undefined || seen <= startedAt);
}

function fits({ pinned }: CastEntry, agent: Agent, { provider, project }: Session): boolean {
  if (pinned === undefined || pinned.kind !== agent.kind || pinned.provider !== provider) return false;
  return pinned.project === project && (agent.kind === 'main' || pinned.type === agent.type);
}
