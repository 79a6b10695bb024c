import type { AgentEvent } from '../protocol/event.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { SessionState, UnloggedSpan } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { isFoundPrompt } from './found.ts';
import { hashHex } from './hash.ts';

/** CNV-4: whether the person asks with a prompt's first word that it is not kept. No marker: nobody asks. */
export function isMarked(text: Json | undefined, marker: string): boolean {
  const wanted = marker.trim().toLowerCase();
  if (wanted === '' || typeof text !== 'string') return false;
  return text.trimStart().slice(0, wanted.length).toLowerCase() === wanted;
}

/** Alternations between what is kept and what is not, which only late news ask for; beyond, the oldest become one. */
const SPANS_MAX = 100;

/** The times of which nothing is kept, after this event. */
export function spansAfter(
  spans: readonly UnloggedSpan[] | undefined,
  event: AgentEvent,
): readonly UnloggedSpan[] | undefined {
  const open = spans?.at(-1);
  const isOpen = open !== undefined && open.to === undefined;
  if (event.payload['unlogged'] === true) {
    const isPrivate = event.payload['private'] === true;
    const begun: UnloggedSpan = { from: event.ts, ...(isPrivate ? { isPrivate } : {}) };
    if (isOpen && isPersonsPrompt(event) && event.ts >= open.from && isPrivate !== (open.isPrivate === true))
      return merged([...(spans ?? []).slice(0, -1), { ...open, to: event.ts }, begun]);
    // Of a sub-agent that went on into a later turn only its own part is not kept.
    if (isOpen || !isMain(event) || isWithin(spans, event.ts)) return spans;
    return merged([...(spans ?? []), begun]);
  }
  if (!isOpen || !isPersonsPrompt(event) || event.ts < open.from) return spans;
  return [...(spans ?? []).slice(0, -1), { ...open, to: event.ts }];
}

function merged(spans: readonly UnloggedSpan[]): readonly UnloggedSpan[] {
  const [first, second, ...rest] = spans;
  if (spans.length <= SPANS_MAX || !first || !second) return spans;
  const isPrivate = first.isPrivate ?? second.isPrivate;
  return [{ from: first.from, to: second.to, ...(isPrivate ? { isPrivate } : {}) }, ...rest];
}

export function isWithin(spans: readonly UnloggedSpan[] | undefined, ts: string): boolean {
  return spans?.some(({ from, to }) => from <= ts && (to === undefined || ts < to)) ?? false;
}

/** Nobody typed what the agent program reports to its agent; a sub-agent is asked by an agent. */
function isPersonsPrompt(event: AgentEvent): boolean {
  const isPrompt = event.event_type === 'user_prompt' || isFoundPrompt(event);
  return isPrompt && isMain(event) && event.payload['synthetic'] !== true;
}

/** What is known of a session when something of it comes. */
export type Known = Pick<SessionState, 'agents' | 'unlogged'>;

/** Whether what this event says is of a turn that the person wants not kept. */
export function isUnlogged(event: AgentEvent, { agents, unlogged }: Known, marker: string): boolean {
  if ([event.payload['prompt'], event.raw['prompt']].some((text) => isMarked(text, marker))) return true;
  if (isPersonsPrompt(event)) return false;
  if (isWithin(unlogged, event.ts)) return true;
  const finished = event.payload['finished'];
  const ids = [event.agent_id, ...(typeof finished === 'string' ? [`${event.session_id}/${finished}`] : [])];
  return ids.some((id) => beganUnlogged(id, { agents, unlogged }));
}

/** Its task was given in such a turn, whenever it comes to its end. */
export function beganUnlogged(agentId: string, { agents, unlogged }: Known): boolean {
  const agent = agents.find(({ agent: each }) => each.id === agentId)?.agent;
  return agent !== undefined && agent.kind !== 'main' && isWithin(unlogged, agent.startedAt);
}

/** Repeats what was said before, in turns that were not kept as well. */
export function isSummary(event: AgentEvent): boolean {
  const { notification_type: kind, synthetic } = event.payload;
  return kind === 'compacted' || kind === 'compacting' || (event.event_type === 'user_prompt' && synthetic === true);
}

/** Words that agent programs choose from, and ids: what a mascot is drawn by. Everything else may quote somebody. */
const words = names(
  'hook model permission_mode source turn tool_name mood tool_use_id spawn_type spawned teammate team wait agent_type reason error ' +
    'notification_type trigger after by finished surface session agent parent agent_started_at host pid_namespace tty fingerprint',
);
const places = names('cwd transcript_path path');
/** What a tool was given, where it is a file. */
const filed = names('path target');
const idLists = names('background ended counted');

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Without white space nobody says much; the longest ids have 200 letters. */
const word = /^[^\s]{1,300}$/;

/** What says which kind of failure it was, as against what it says. */
const failureKind = /^[a-z][a-z_]{1,40}$/;

/** Whether the person's marker asked for that, rather than a setting. */
export function isPrivate(event: AgentEvent, { agents, unlogged }: Known, marker: string): boolean {
  return isUnlogged(event, { agents, unlogged: unlogged?.filter((span) => span.isPrivate) }, marker);
}

/**
 * The same event without anything that was said or done: who, which kind, when, how long, how many; and which file, so that a
 * mascot is drawn by it, unless the turn is private.
 */
export function withoutContent(event: AgentEvent, ofPrivate: boolean): AgentEvent {
  const { thinking_text: _thinking, task_id: task, payload, ...rest } = event;
  const kept = Object.entries(payload).filter(
    ([name, value]) => stays(name, value, payload) && !(ofPrivate && filed.has(name)),
  );
  return {
    ...rest,
    ...(task === undefined ? {} : { task_id: /^[\w./-]{1,100}$/.test(task) ? task : hashHex(task) }),
    payload: { ...Object.fromEntries(kept), unlogged: true, ...(ofPrivate ? { private: true } : {}) },
    raw: {},
    raw_removed: true,
  };
}

function stays(name: string, value: Json, payload: JsonObject): boolean {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return true;
  if (Array.isArray(value)) return idLists.has(name);
  if (typeof value !== 'string') return false;
  if (places.has(name)) return true;
  if (name === 'target') return isFilePath(value, payload);
  // What a mascot is called from one session to the next.
  if (name === 'name') return payload['notification_type'] === 'continues';
  return words.has(name) && (name === 'error' ? failureKind : word).test(value);
}

const rooted = /^(?:\/|~|\.{1,2}[\\/]|[A-Za-z]:[\\/])[^\n]*$/;
const relative = /^[^\s:'"`$|;&<>(){}]+\.\w{1,12}$/;

/** Only tools that read and write files are given nothing but a file. */
function isFilePath(target: string, { mood, tool_name: tool }: JsonObject): boolean {
  if (mood !== 'reading' && mood !== 'writing') return tool === 'Skill' && /^[\w:.-]{1,64}$/.test(target);
  return rooted.test(target) || relative.test(target);
}

/** Of a transcript's sums what was said in it: its first prompt, and the title that the agent made of it. */
export function withoutTitle(event: AgentEvent, keepsPersons: boolean): AgentEvent {
  const { first_prompt: _prompt, title_told: title, title_by_person: byPerson, ...payload } = event.payload;
  const kept =
    keepsPersons && byPerson === true && title !== undefined ? { title_told: title, title_by_person: true } : {};
  return { ...event, payload: { ...payload, ...kept } };
}
