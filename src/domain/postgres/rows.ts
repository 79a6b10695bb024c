import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Interaction, ToolObservation } from '../../protocol/reading.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import type { Session } from '../../protocol/state.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { maskText } from '../mask/mask.ts';
import { waitsForPerson } from '../selectors.ts';
import { statisticsOf } from '../statistics.ts';

/** By the names of the table's columns. */
export type Row = JsonObject;

export function sessionRow(session: Session, user: string): Row {
  const { counts, phaseBecause } = session;
  const statistics = statisticsOf(session);
  const waits = waitsForPerson(session);
  return {
    session_id: idThere(session.id),
    user_name: user,
    provider: session.provider,
    project: maskText(session.project),
    worktree: maskedOr(session.worktree),
    title: maskText(session.title),
    model: session.model,
    state: session.state,
    phase: session.phase,
    phase_since: momentOr(session.phaseSince),
    waits_for_tool: waits ? maskedOr(phaseBecause?.tool) : null,
    waits_for_target: waits ? maskedOr(phaseBecause?.target) : null,
    permission_mode: session.permissionMode,
    source: session.source,
    surface: session.surface,
    end_reason: session.endReason ?? null,
    started_at: momentOr(session.startedAt),
    last_event_at: momentOr(session.lastEventAt),
    ended_at: momentOr(session.endedAt),
    prompts: whole(counts.prompts),
    replies: whole(counts.replies),
    tool_calls: whole(counts.toolCalls),
    failures: whole(counts.failures),
    subagents: whole(counts.subagents),
    tokens_in: whole(counts.tokensIn),
    tokens_out: whole(counts.tokensOut),
    duration_ms: statistics.durationMs,
    is_final: statistics.final,
    waits,
    tty: maskedOr(session.tty),
    parent_pid: session.agentPid === undefined ? null : whole(session.agentPid),
    fingerprint: maskedOr(session.fingerprint),
  };
}

/** CNV-1: a prompt or a reply. */
export function saidRow(said: Interaction, user: string): Row {
  return {
    id: said.id,
    session_id: idThere(said.sessionId),
    agent_id: said.agentId,
    user_name: user,
    role: said.role,
    content: maskText(said.content),
    skill_name: said.skillName,
    skill_args: null,
    metadata: {},
    outcome: null,
    duration_ms: null,
    ts: said.ts,
  };
}

/** CNV-1: a tool call, under the name of its tool. */
export function callRow(call: ToolObservation, user: string): Row {
  const { target, metadata } = call;
  return {
    id: call.id,
    session_id: idThere(call.sessionId),
    agent_id: call.agentId,
    user_name: user,
    role: 'tool',
    content: maskedOr(call.response),
    skill_name: maskText(call.skillName),
    skill_args: argumentsOf(call.arguments),
    metadata: maskedIn({ ...metadata, ...(target === null ? {} : { target }) }),
    outcome: call.outcome,
    duration_ms: call.durationMs,
    ts: call.ts,
  };
}

export function eventRow(event: SessionEvent, user: string): Row {
  return {
    id: event.id,
    session_id: idThere(event.session_id),
    user_name: user,
    work_item_id: event.work_item_id ?? null,
    event_type: event.event_type,
    summary: maskText(event.summary),
    details: maskedIn(detailsOf(event)),
    severity: event.severity,
    created_at: event.created_at,
  };
}

export function workRow(item: WorkItem, user: string): Row {
  return {
    item_key: idThere(item.key),
    id: item.id,
    user_name: user,
    title: maskText(item.title),
    status: item.status,
    project: maskText(item.project),
    started_by: item.startedBy ?? null,
    dependencies: item.dependencies,
    sessions: item.sessions.map(idThere),
    files: masked(item.files),
    created_at: momentOr(item.createdAt),
    started_at: momentOr(item.startedAt),
    finished_at: momentOr(item.finishedAt),
  };
}

/** CNV-4: what an agent was told of other sessions has rows of its own, which go when those are erased. */
function detailsOf({ event_type: type, details }: SessionEvent): JsonObject {
  if (type !== 'context_loaded') return details;
  const { text: _words, ...rest } = details;
  return rest;
}

/** As a bigint can hold it: agents may write any number into their transcripts. */
function whole(count: number): number {
  const rounded = Math.round(count);
  return Number.isFinite(rounded) ? Math.min(Math.max(rounded, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER) : 0;
}

function maskedOr(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : maskText(text);
}

function maskedIn(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, masked(value)]));
}

function masked(value: Json): Json {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(masked);
  return isJsonObject(value) ? maskedIn(value) : value;
}

/** Long ones were cut, and are no JSON any more. */
function argumentsOf(text: string): Json {
  if (text === '') return null;
  const masked = maskText(text);
  try {
    return JSON.parse(masked) as Json;
  } catch {
    return masked;
  }
}

function momentOr(text: string | null | undefined): string | null {
  return text && Number.isFinite(Date.parse(text)) ? text : null;
}

/** In a JSON text: what PostgreSQL has no letter for. A backslash that is a letter itself is passed over. */
const notThere = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g;

/** As a statement takes it. */
export function rowAsJson(row: Row): string {
  return asThere(JSON.stringify(row));
}

function asThere(json: string): string {
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  return json.replace(notThere, (found) => (found === '\\\\' ? found : '\ufffd'));
}

/** A text as it is found there. */
export function textThere(text: string): string {
  const json = JSON.stringify(text);
  const there = asThere(json);
  return there === json ? text : (JSON.parse(there) as string);
}

/** Under which a session is there: two that PostgreSQL could not tell apart have the letters that it lacks written out. */
export function idThere(id: string): string {
  return id.startsWith('"') || textThere(id) !== id ? JSON.stringify(id) : id;
}

export function idHere(there: string): string {
  if (!there.startsWith('"')) return there;
  try {
    return String(JSON.parse(there));
  } catch {
    return there;
  }
}
