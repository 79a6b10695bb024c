import { type AgentEvent, eventOf, type EventOf, isOfType } from '../protocol/event.ts';
import { typedPayload, wordsOf } from '../protocol/eventPayloads.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import type { SessionState, UnloggedSpan } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { type CallWords, callWords, isSynthetic } from './eventWords.ts';
import { hashHex } from './hash.ts';
import { shortText } from './text.ts';

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
  if (event.payload.unlogged === true) {
    // Of what was begun before only its own words are not kept.
    if (event.payload.late === true) return spans;
    const isPrivate = event.payload.private === true;
    const turn = event.event_type === 'user_prompt' ? shortText(event.payload.turn) : undefined;
    const begun: UnloggedSpan = {
      from: event.ts,
      ...(isPrivate ? { isPrivate } : {}),
      ...(turn === undefined ? {} : { turn }),
    };
    const isOther = isPrivate !== (open?.isPrivate === true) || turn !== open?.turn;
    if (isOpen && isPersonsPrompt(event) && event.ts >= open.from && isOther)
      return merged([...(spans ?? []).slice(0, -1), { ...open, to: event.ts }, begun]);
    if (isOpen || !isMain(event) || isInSpan(spans, event.ts)) return spans;
    return merged([...(spans ?? []), begun]);
  }
  if (!isOpen || !isPersonsPrompt(event) || event.ts < open.from) return spans;
  return [...(spans ?? []).slice(0, -1), { ...open, to: event.ts }];
}

function merged(spans: readonly UnloggedSpan[]): readonly UnloggedSpan[] {
  const [first, second, ...rest] = spans;
  if (spans.length <= SPANS_MAX || !first || !second) return spans;
  const isPrivate = first.isPrivate ?? second.isPrivate;
  return [{ ...second, from: first.from, ...(isPrivate ? { isPrivate } : {}) }, ...rest];
}

export function isInSpan(spans: readonly UnloggedSpan[] | undefined, ts: string): boolean {
  return spans?.some(({ from, to }) => from <= ts && (to === undefined || ts < to)) ?? false;
}

/** Opens such a time by the person's marker, and not now: of what was done since, something may be stored as it was. */
export function isLateMarked(event: AgentEvent, lastTs: string | undefined): boolean {
  const isOpening = event.payload.private === true && event.payload.late !== true && isPersonsPrompt(event);
  return isOpening && lastTs !== undefined && event.ts <= lastTs;
}

/** Nobody typed what the agent program reports to its agent; a sub-agent is asked by an agent. */
function isPersonsPrompt(event: AgentEvent): boolean {
  return isOfType(event, 'user_prompt', 'prompt_found') && isMain(event) && !isSynthetic(event);
}

/** What is known of a session when something of it comes. */
export type Known = Pick<SessionState, 'agents' | 'unlogged'>;

/** Whether what this event says is of a turn that the person wants not kept: by its marker, or by its moment. */
export function isUnlogged(event: AgentEvent, { unlogged }: Known, marker: string): boolean {
  const own = isOfType(event, 'user_prompt', 'prompt_found') ? event.payload.prompt : undefined;
  if ([own, event.raw['prompt']].some((text) => isMarked(text, marker))) return true;
  return !isPersonsPrompt(event) && isInSpan(unlogged, event.ts);
}

/**
 * In a conversation of which not all is kept: whether this can't be shown to be of a part that is, by its turn, by how its call
 * began, and by how its agent did.
 */
export function isDoubtful(event: AgentEvent, known: Known): boolean {
  const own = isOfType(event, 'user_prompt', 'prompt_found') ? shortText(event.payload.turn) : undefined;
  const turn = own ?? event.raw['prompt_id'] ?? event.raw['turn_id'];
  if (turn !== undefined && known.unlogged?.some((span) => span.turn === turn)) return true;
  if (isPersonsPrompt(event)) return false;
  return endsDoubtfulCall(event, known) || subagentsIn(event).some((id) => beganDoubtful(id, event, known));
}

function endsDoubtfulCall(event: AgentEvent, { agents }: Known): boolean {
  if (event.event_type !== 'tool_succeeded' && event.event_type !== 'tool_failed') return false;
  const id = shortText(event.payload.tool_use_id);
  const name = shortText(event.payload.tool_name);
  const calls = agents
    .flatMap(({ openTools }) => openTools)
    .filter((call) => (id === undefined ? call.activity.tool === name : call.id === id));
  return calls.length === 0 || calls.some(({ unlogged }) => unlogged);
}

/** The sub-agents that this event is of, or tells of. */
function subagentsIn(event: AgentEvent): readonly string[] {
  const own = toldSubagent(event);
  return [...(isMain(event) ? [] : [event.agent_id]), ...(own === undefined ? [] : [`${event.session_id}/${own}`])];
}

function toldSubagent(event: AgentEvent): string | undefined {
  if (event.event_type === 'user_prompt') return event.payload.finished;
  return event.event_type === 'agent_described' ? event.payload.agent : undefined;
}

function beganDoubtful(agentId: string, event: AgentEvent, known: Known): boolean {
  if (known.agents.some(({ agent }) => agent.id === agentId)) return beganUnlogged(agentId, known);
  if (event.event_type !== 'agent_started') return true;
  // Its start does not say whose child it is.
  return known.agents.some(({ openTools }) => openTools.some(({ spawn, unlogged }) => spawn && unlogged));
}

/** Its task was given in such a turn, whenever it comes to its end. */
export function beganUnlogged(agentId: string, { agents, unlogged }: Known): boolean {
  const state = agents.find(({ agent }) => agent.id === agentId);
  if (!state || state.agent.kind === 'main') return false;
  return state.unlogged === true || isInSpan(unlogged, state.agent.startedAt);
}

/** Repeats what was said or done before, in turns that were not kept as well; a compaction's own agent bears no type. */
export function isSummary(event: AgentEvent): boolean {
  if (event.event_type === 'agent_stopped') return !isMain(event) && (event.payload.agent_type ?? '') === '';
  if (event.event_type === 'user_prompt') return event.payload.synthetic === true;
  return isOfType(event, 'compaction_ended', 'compaction_started', 'tool_batch_ended');
}

/** Which of the agent program's own lists tell of what may have been begun in another turn, and what stays of each entry. */
const goingOn = ['background_tasks', 'session_crons'];
const entryWords = names('id type status agent_id agent_type');

/** The same event where what goes on beside it is listed without a word on what that is. */
export function withoutGoingOn(event: AgentEvent): AgentEvent {
  const lists = goingOn.filter((name) => event.raw[name] !== undefined);
  if (lists.length === 0) return event;
  const bare = lists.map((name) => [name, bareList(event.raw[name])] as const);
  return { ...event, raw: { ...event.raw, ...Object.fromEntries(bare) } };
}

function bareList(list: Json | undefined): Json {
  if (!Array.isArray(list)) return [];
  return (list as readonly Json[])
    .filter(isJsonObject)
    .map((entry) =>
      Object.fromEntries(
        Object.entries(entry).filter(
          ([name, value]) => entryWords.has(name) && typeof value === 'string' && word.test(value),
        ),
      ),
    );
}

/** Since its erasure nobody has asked anything: it may go on with what was asked before. */
export function isLeftOver(event: AgentEvent, state: SessionState | undefined): boolean {
  const isBeginning = event.event_type === 'session_started';
  return !isBeginning && !isPersonsPrompt(event) && (state?.session.counts.prompts ?? 0) === 0;
}

/** Words that agent programs choose from, and ids: what a mascot is drawn by. Everything else may quote somebody. */
const words = names(
  'hook agent_name agent_team model permission_mode source turn tool_name mood tool_use_id work_item status decision spawn_type spawned teammate team wait agent_type reason error ' +
    'notification_type trigger after by finished surface session agent parent agent_started_at host pid_namespace tty fingerprint began',
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
  const kept = Object.entries(wordsOf(payload)).filter(
    ([name, value]) => stays(name, value, event) && !(ofPrivate && filed.has(name)),
  );
  const fields = {
    ...rest,
    ...(task === undefined ? {} : { task_id: /^[\w./-]{1,100}$/.test(task) ? task : hashHex(task) }),
    raw: {},
    raw_removed: true,
  };
  const words = { ...Object.fromEntries(kept), unlogged: true, ...(ofPrivate ? { private: true } : {}) };
  return eventOf(fields, event.event_type, typedPayload(event.event_type, words));
}

function stays(name: string, value: Json, event: AgentEvent): boolean {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return true;
  if (Array.isArray(value)) return idLists.has(name);
  if (typeof value !== 'string') return false;
  if (places.has(name)) return true;
  if (name === 'target') return isFilePath(value, callWords(event));
  // What a mascot is called from one session to the next.
  if (name === 'name') return event.event_type === 'session_continued';
  return words.has(name) && (name === 'error' ? failureKind : word).test(value);
}

const rooted = /^(?:\/|~|\.{1,2}[\\/]|[A-Za-z]:[\\/])[^\n]*$/;
const relative = /^[^\s:'"`$|;&<>(){}]+\.\w{1,12}$/;

/** Only tools that read and write files are given nothing but a file. */
function isFilePath(target: string, { mood, tool_name: tool }: CallWords): boolean {
  if (mood !== 'reading' && mood !== 'writing') return tool === 'Skill' && /^[\w:.-]{1,64}$/.test(target);
  return rooted.test(target) || relative.test(target);
}

/** Of a transcript's sums what was said in it: its first prompt, and the title that the agent made of it. */
export function withoutTitle(event: EventOf<'usage_reported'>, keepsPersons: boolean): EventOf<'usage_reported'> {
  const { first_prompt: _prompt, title_told: title, title_by_person: byPerson, ...payload } = event.payload;
  const kept =
    keepsPersons && byPerson === true && title !== undefined ? { title_told: title, title_by_person: true } : {};
  return { ...event, payload: { ...payload, ...kept } };
}
