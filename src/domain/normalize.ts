import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import '../protocol/zodWords.ts';
import { type AgentEvent, EVENT_VERSION, type EventFields, eventOf } from '../protocol/event.ts';
import { typedPayload, wordsOf } from '../protocol/eventPayloads.ts';
import type { HookEnvelope } from '../protocol/hook.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { DEFAULT_PROVIDER } from '../protocol/providers.ts';
import { withCheck } from './failedChecks.ts';
import { lastPart } from './folders.ts';
import { hashHex } from './hash.ts';
import type { EventDraft, Provider } from './providers/provider.ts';
import { providerFor } from './providers/registry.ts';
import { surfaceOf } from './surface.ts';

export interface Arrival {
  /** UTC, ISO-8601, milliseconds: when the hook arrived here. Counts only where the forwarder did not say when it was fired. */
  readonly receivedAt: string;
  readonly project: AgentEvent['project'];
}

export interface NormalizedHook {
  /** At least one; the first one's id is the hook's. */
  readonly events: readonly AgentEvent[];
  /** Every key under which the same hook would come again. */
  readonly keys: readonly string[];
}

/** NRM: one masked hook to the events it means. Total: what can't be understood is kept as it came. */
export function normalize(hook: HookEnvelope, arrival: Arrival): NormalizedHook {
  const { meta, raw } = hook;
  const provider = providerFor(meta.provider ?? DEFAULT_PROVIDER);
  const name = pascalCase(hook.name);
  const terminal = terminalOf(hook);
  const ts = momentOf(hookMoment(provider, meta.collected_at, raw), arrival.receivedAt);
  const keys = dedupeKeys(hook, { provider, name, session: sessionOf(provider, raw, terminal), ts });
  const events = eventsOf({
    id: hashHex(keys[0] ?? ''),
    ts,
    provider,
    name,
    raw,
    terminal,
    workspace: textOf(raw['workspace_id']) ?? meta.workspace_id ?? lastPart(meta.project_dir ?? folderOf(hook) ?? ''),
    whereFrom: whereFrom(hook),
    project: arrival.project,
  });
  return { events, keys };
}

/** Of the session that its events will tell of. */
export function sessionIdOf(hook: HookEnvelope): string {
  return sessionOf(providerFor(hook.meta.provider ?? DEFAULT_PROVIDER), hook.raw, terminalOf(hook));
}

function terminalOf({ meta, raw }: HookEnvelope): string {
  return boundedId(textOf(raw['terminal_session_id']) ?? meta.terminal_session_id ?? 'unknown');
}

interface Told {
  readonly id: string;
  readonly ts: string;
  readonly provider: Provider;
  /** In Pascal case. */
  readonly name: string;
  readonly raw: JsonObject;
  readonly terminal: string;
  readonly workspace: string;
  readonly whereFrom: JsonObject;
  readonly project: AgentEvent['project'];
}

function eventsOf(told: Told): readonly AgentEvent[] {
  const { id, provider, name, raw, terminal, project } = told;
  const payload = provider.upgrade?.(raw) ?? raw;
  const session = sessionOf(provider, raw, terminal);
  const agent = agentIdOf(provider, name, payload, session);
  const naming = namingOf(provider, name, payload);
  const understood = drafts(provider, name, payload);
  const placed = session.startsWith(NAMELESS) ? understood.map(withoutWait) : understood;
  return placed.map((draft, index) => {
    const fields: EventFields = {
      id: index === 0 ? id : `${id}${PART}${index}`,
      version: EVENT_VERSION,
      ts: told.ts,
      source: 'hook',
      provider: provider.id,
      workspace_id: told.workspace,
      terminal_session_id: terminal,
      session_id: session,
      agent_id: agent,
      ...(draft.target_agent_id === undefined ? {} : { target_agent_id: draft.target_agent_id }),
      ...(draft.task_id === undefined ? {} : { task_id: draft.task_id }),
      severity: draft.severity ?? 'info',
      ...thinking(draft, payload),
      raw,
      ...(project === undefined ? {} : { project }),
    };
    // The one border of foreign words: what has the wrong type is left out, so no reader has to look again.
    const words = { hook: name, ...wordsOf(withCheck(draft, payload, provider)), ...naming, ...told.whereFrom };
    return eventOf(fields, draft.event_type, typedPayload(draft.event_type, words));
  });
}

/** Between a hook's id and the number of one of its further events; an id itself is hexadecimal. */
const PART = '-';

/**
 * NRM-10: stored events as today's providers understand their raw payloads. What is no hook, or would now belong to another
 * session, stays as it is.
 */
export function renormalized(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const asTheyAre = new Set(events.filter(({ raw_removed: gone }) => gone).map(({ id }) => hookOf(id)));
  return events.flatMap((event) => {
    if (event.source !== 'hook' || asTheyAre.has(hookOf(event.id))) return [event];
    // The further events of a hook are made again with its first.
    if (event.id.includes(PART)) return [];
    const made = eventsOf({
      id: event.id,
      ts: event.ts,
      provider: providerFor(event.provider),
      name: event.payload.hook ?? '',
      raw: event.raw,
      terminal: event.terminal_session_id,
      workspace: event.workspace_id,
      whereFrom: whereFields(wordsOf(event.payload)),
      project: event.project,
    });
    return made.every(({ session_id: session }) => session === event.session_id) ? made : [event];
  });
}

/** The same for all events of one hook. */
export function hookOf(eventId: string): string {
  return eventId.split(PART, 1)[0] ?? eventId;
}

function sessionOf(provider: Provider, raw: JsonObject, terminal: string): string {
  const payload = provider.upgrade?.(raw) ?? raw;
  const own = provider.sessionId?.(payload) ?? textOf(payload['session_id']);
  return boundedId(own ?? `${NAMELESS}${terminal}`);
}

/** Prefix of the session id for hooks that name no session: one session for each terminal, and one for hooks without a terminal. */
const NAMELESS = 'unknown:';

const asks: ReadonlySet<string | undefined> = new Set([
  'permission_prompt',
  'agent_needs_input',
  'elicitation_dialog',
  'idle_prompt',
]);

/** STA-2: turns a request without a session into a plain notification, because no later event could be matched to it as an answer. */
function withoutWait(draft: EventDraft): EventDraft {
  const isNotice = draft.event_type === 'notification' && asks.has(draft.payload.notification_type);
  if (draft.event_type !== 'agent_blocked' && !isNotice) return draft;
  return { ...draft, event_type: 'notification', payload: { ...draft.payload, notification_type: 'asked_nowhere' } };
}

/** NRM-6: a team's agents are called after their team where every payload names it, all others after their session. */
function agentIdOf(provider: Provider, name: string, payload: JsonObject, session: string): string {
  const subagent = provider.subagentId(name, payload);
  const team = provider.teamId?.(name, payload);
  const group = boundedId(team ?? session);
  if (subagent === undefined) return `${group}/${team === undefined ? 'main' : 'leader'}`;
  return `${group}/${boundedId(subagent)}`;
}

/** The sub-agent's name and team in the payload; a team's main agent keeps the name that we gave it. */
function namingOf(provider: Provider, name: string, payload: JsonObject): JsonObject {
  const team = provider.teamId?.(name, payload);
  const own = provider.subagentId(name, payload) === undefined ? undefined : provider.agentName?.(payload);
  return {
    ...(own === undefined ? {} : { agent_name: own }),
    ...(team === undefined ? {} : { agent_team: team }),
  };
}

function drafts(provider: Provider, name: string, raw: JsonObject): readonly EventDraft[] {
  const rule = Object.hasOwn(provider.hooks, name) ? provider.hooks[name] : undefined;
  if (!rule) return [{ event_type: 'notification', severity: 'debug', payload: { unknown: true } }];
  try {
    return rule.read(raw);
  } catch (error) {
    const reason = error instanceof $ZodError ? z.prettifyError(error) : String(error);
    return [{ event_type: 'schema_error', severity: 'warn', payload: { reason } }];
  }
}

/** The agent's present folder. */
function folderOf({ meta, raw }: Pick<HookEnvelope, 'meta' | 'raw'>): string | undefined {
  return textOf(raw['cwd']) ?? meta.cwd;
}

/** What the reducer needs to know of the sender, beside what the hook itself says. */
function whereFrom({ meta, raw }: HookEnvelope): JsonObject {
  const found = {
    cwd: folderOf({ meta, raw }),
    transcript_path: textOf(raw['transcript_path']) ?? textOf(raw['transcriptPath']),
    surface: surfaceOf(meta.entrypoint),
    agent_pid: meta.agent_pid,
    agent_started_at: meta.agent_started_at,
    host: meta.host,
    pid_namespace: meta.pid_namespace,
    tty: meta.tty,
    fingerprint: meta.fingerprint,
  };
  return whereFields(found);
}

const whereNames = [
  'cwd',
  'transcript_path',
  'surface',
  'agent_pid',
  'agent_started_at',
  'host',
  'pid_namespace',
  'tty',
  'fingerprint',
] as const;

function whereFields(from: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    whereNames
      .map((name) => [name, from[name]] as const)
      .filter((entry): entry is readonly [(typeof whereNames)[number], Json] => entry[1] !== undefined),
  );
}

function thinking(draft: EventDraft, raw: JsonObject): { thinking_text?: string } {
  const text = draft.thinking_text ?? textOf(raw['thinking']) ?? textOf(raw['extended_thinking']);
  return text === undefined ? {} : { thinking_text: text };
}

/** NRM-7. Two real calls of one tool within a second differ by their `tool_use_id`, which the payload's hash covers. */
function dedupeKeys(
  { meta, name, raw }: HookEnvelope,
  { provider, name: hook, session, ts }: Pick<Told, 'provider' | 'name' | 'ts'> & { readonly session: string },
): readonly string[] {
  const content = hashHex(JSON.stringify([name, session, textOf(raw['tool_name']) ?? '', raw]));
  const same = provider.sameHook?.(raw, hook, ts.slice(0, 19));
  const once = [
    ...momentKeys(content, ts),
    ...callKeys(name, session, raw),
    ...(same === undefined ? [] : [`s:${hashHex(JSON.stringify([session, same]))}`]),
  ];
  if (meta.delivery_id === undefined) return once;
  const delivery = `d:${meta.delivery_id}`;
  return provider.repeating?.has(hook) ? [delivery] : [delivery, ...once];
}

/** Milliseconds before and after a second's edge within which two hooks are one: 200 ms apart always, 300 ms never. */
const aroundEdge = [
  [100, 200],
  [200, 100],
] as const;

/**
 * Keys for the event's second and for a near edge of it, because a hook from two settings files comes twice within milliseconds. A later
 * hook with the same text may be a real repetition (a prompt, a request), and is kept.
 */
function momentKeys(content: string, ts: string): readonly string[] {
  const at = Date.parse(ts);
  const key = (kind: string, moment: number) => `${kind}:${hashHex(`${content} ${moment}`)}`;
  const edge = Math.round(at / 1_000);
  const fromEdge = at - edge * 1_000;
  const near = aroundEdge.flatMap(([before, after], index) =>
    fromEdge >= -before && fromEdge < after ? [key(`e${index}`, edge)] : [],
  );
  return [key('f', Math.floor(at / 1_000)), ...near];
}

const callHooks = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']);

/** A call is told once in its session: where its id is known, a hook that was installed twice counts once over a second's edge too. */
function callKeys(name: string, session: string, raw: JsonObject): readonly string[] {
  const hook = pascalCase(name);
  const id = textOf(raw['tool_use_id']);
  if (id === undefined || !callHooks.has(hook)) return [];
  return [`c:${hashHex(JSON.stringify([hook, session, id, raw]))}`];
}

/** `session-start` and `sessionStart` are `SessionStart`. */
function pascalCase(name: string): string {
  return name
    .split(/[-_\s]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Clocks of other machines may be hours off. A hook that claims to come from next year would stay the newest for ever. */
const CLOCK_SKEW_MS = 24 * 3_600_000;
const EARLIEST = '2000-01-01T00:00:00.000Z';

/** How far the agent's own clock and ours may be apart, and its hook's process late. */
const OWN_CLOCK_MS = 60_000;

/** Hooks that run side by side may be collected in the wrong order; an agent that stamps its payloads knows the right one. */
function hookMoment(provider: Provider, collectedAt: string | undefined, raw: JsonObject): string | undefined {
  const own = momentIn(raw);
  if (collectedAt === undefined || own === undefined || !provider.stampsPayloads) return collectedAt ?? own;
  return Math.abs(Date.parse(own) - Date.parse(collectedAt)) < OWN_CLOCK_MS ? own : collectedAt;
}

/** Some agents put their own clock into the payload; good enough for a script that adds no `collected_at`. */
function momentIn(raw: JsonObject): string | undefined {
  const value = raw['timestamp'];
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** In one form, so that strings can be compared without parsing; a moment that can't be is the one of arrival. */
function momentOf(collectedAt: string | undefined, receivedAt: string): string {
  if (collectedAt === undefined) return receivedAt;
  const ms = Date.parse(collectedAt);
  const latest = Date.parse(receivedAt) + CLOCK_SKEW_MS;
  return ms >= Date.parse(EARLIEST) && ms <= latest ? new Date(ms).toISOString() : receivedAt;
}

const ID_MAX = 200;

/** Ids travel in every snapshot and in addresses. A longer one is nobody's real id; it keeps its identity by its hash. */
export function boundedId(id: string): string {
  return id.length <= ID_MAX ? id : `${id.slice(0, ID_MAX / 2)}…${hashHex(id)}`;
}

function textOf(value: JsonObject[string] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
