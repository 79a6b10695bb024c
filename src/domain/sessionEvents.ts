import type { AgentEvent, EventType } from '../protocol/event.ts';
import type { SessionEvent, SessionEventType } from '../protocol/sessionEvent.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import { isMain } from './agentIds.ts';
import { amount } from './plainWords.ts';
import { providerFor } from './providers/registry.ts';
import { cutText, LABEL_MAX, numberIn, oneLine, textIn } from './text.ts';

/** A line of a log on a wide screen. */
const SUMMARY_MAX = 200;

/** A request that is longer is read where it is stored whole; this is what a screen shows of it. */
const PROMPT_MAX = 2_000;

/** As much as an agent takes at its start. */
const CONTEXT_MAX = 10_000;

/** Of a list that a checkpoint holds. */
const LINES_MAX = 20;

interface Telling {
  readonly type: SessionEventType;
  readonly summary: (event: AgentEvent) => string;
  /** Fields of the payload that are worth telling, with the most that is told of each. */
  readonly details: Readonly<Record<string, number>>;
  readonly more?: (event: AgentEvent) => SessionEvent['details'];
  /** It is of an agent: told only if that one is somebody, for warm-ups and compaction start and stop nobody. */
  readonly ofAgent?: true;
}

const ownWords = (event: AgentEvent, field: string) => oneLine(textIn(event, field, PROMPT_MAX) ?? '', SUMMARY_MAX);
const because = (event: AgentEvent, field: string) => {
  const word = ownWords(event, field);
  return word === '' ? '' : ` (${word})`;
};
const called = (event: AgentEvent) => ownWords(event, 'agent_type') || 'agent';

/** EVT-1: which normalised events are events of the session's own story. Those of the rest are nobody's news. */
const tellings: Readonly<Partial<Record<EventType, Telling>>> = {
  session_started: {
    type: 'session_start',
    summary: (event) => `Session started${because(event, 'source')}`,
    details: { source: LABEL_MAX, model: LABEL_MAX },
  },
  session_ended: {
    type: 'session_end',
    summary: (event) => `Session ended${because(event, 'reason')}`,
    details: { reason: LABEL_MAX },
  },
  user_prompt: {
    type: 'user_request',
    summary: (event) => ownWords(event, 'prompt') || 'A request without words',
    details: { prompt: PROMPT_MAX },
    // CNV-4: why it has no words.
    more: ({ payload }) => (payload['unlogged'] === true ? { unlogged: payload['private'] ? 'private' : 'off' } : {}),
  },
  agent_started: {
    type: 'agent_activated',
    summary: (event) => `${called(event)} began`,
    details: { agent_type: LABEL_MAX },
    ofAgent: true,
  },
  agent_stopped: {
    type: 'agent_deactivated',
    summary: (event) => `${called(event)} ended${because(event, 'reason')}`,
    details: { agent_type: LABEL_MAX, reason: LABEL_MAX },
    ofAgent: true,
  },
};

const compaction: Telling = { type: 'compact', summary: () => 'The conversation was compacted', details: {} };

/** The same of notifications, by their type. */
const notices: Readonly<Record<string, Telling>> = {
  compacting: {
    type: 'checkpoint_created',
    summary: (event) => `Compaction begins${because(event, 'trigger')}`,
    details: { trigger: LABEL_MAX },
    more: (event) => checkpointDetails(event.payload['checkpoint']),
  },
  compacted: { ...compaction, details: { trigger: LABEL_MAX } },
  context_loaded: {
    type: 'context_loaded',
    summary: (event) =>
      `Told of ${amount(numberIn(event, 'sessions') ?? 0, 'earlier session')} in about ${amount(numberIn(event, 'tokens') ?? 0, 'token')}`,
    details: { source: LABEL_MAX, text: CONTEXT_MAX },
    more: (event) => ({
      sessions: String(numberIn(event, 'sessions') ?? 0),
      tokens: String(numberIn(event, 'tokens') ?? 0),
    }),
  },
};

function tellingOf(event: AgentEvent): Telling | undefined {
  if (event.event_type === 'notification') {
    const type = textIn(event, 'notification_type') ?? '';
    if (!isMain(event) || !Object.hasOwn(notices, type)) return undefined;
    return type === 'compacted' && !saysCompacted(event) ? undefined : notices[type];
  }
  if (event.event_type !== 'session_started' || event.payload['source'] !== 'compact')
    return tellings[event.event_type];
  // No session begins: it is how most agents tell that the compaction is over.
  return saysCompacted(event) ? undefined : compaction;
}

function saysCompacted({ provider }: AgentEvent): boolean {
  return providerFor(provider).saysCompacted === true;
}

/** EVT-2: what was kept of the conversation, each part as text. */
function checkpointDetails(checkpoint: Json | undefined): SessionEvent['details'] {
  if (!isJsonObject(checkpoint)) return {};
  const { request, requestBefore, tasks, files, commands, reply } = checkpoint;
  const parts = {
    request: textOf(request),
    request_before: textOf(requestBefore),
    open_tasks: linesOf(tasks, textOf),
    files_edited: linesOf(files, textOf),
    commands: linesOf(commands, (command) =>
      isJsonObject(command) ? `${textOf(command['text'])} (${textOf(command['outcome'])})` : '',
    ),
    last_reply: textOf(reply),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== ''));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? cutText(value, PROMPT_MAX) : '';
}

function linesOf(list: Json | undefined, toText: (value: Json) => string): string {
  return Array.isArray(list) ? (list as readonly Json[]).slice(0, LINES_MAX).map(toText).join('\n') : '';
}

/** Undefined: not of the story. `isAgent` tells whether somebody of this id was ever there. */
export function sessionEventOf(event: AgentEvent, isAgent: (id: string) => boolean): SessionEvent | undefined {
  const telling = tellingOf(event);
  // Nobody typed it: the agent program reports the end of background work that way.
  if (!telling || event.payload['synthetic'] === true) return undefined;
  if (telling.ofAgent && !isAgent(event.agent_id)) return undefined;
  const told = Object.entries(telling.details).flatMap(([field, max]) => {
    const text = textIn(event, field, max);
    return text === undefined ? [] : [[field, text] as const];
  });
  return {
    id: event.id,
    session_id: event.session_id,
    event_type: telling.type,
    summary: telling.summary(event),
    details: {
      ...(telling.ofAgent ? { agent_id: event.agent_id } : {}),
      ...Object.fromEntries(told),
      ...telling.more?.(event),
    },
    severity: event.severity,
    created_at: event.ts,
  };
}
