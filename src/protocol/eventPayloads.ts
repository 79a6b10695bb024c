import * as z from 'zod/mini';
import type { Json, JsonObject } from './json.ts';
import { checks } from './report.ts';
import { correctors, moods, surfaces, taskSchema } from './state.ts';
import { checkpointSchema } from './stored.ts';

/*
 * The words of every event's payload. Each word is optional: the sender may not know it, and what the person wants not to be
 * kept is removed. A word that is present has the type given here.
 */

const text = z.exactOptional(z.string());
const flag = z.exactOptional(z.boolean());
const count = z.exactOptional(z.number().check(z.gte(0)));
const texts = z.exactOptional(z.array(z.string()));
const surface = z.exactOptional(z.enum(surfaces));

/** Words that an event of any type may have. */
const commonWords = {
  /** The hook that reported the event, in Pascal case; absent where no hook did. */
  hook: text,
  /** The agent's name for people, given by its sender. */
  agent_name: text,
  agent_team: text,
  model: text,
  permission_mode: text,
  /** The corrector that concluded the event from something other than a hook or a transcript. */
  by: z.exactOptional(z.enum(correctors)),
  /** CNV-4: true if what was said or done is not kept. */
  unlogged: flag,
  /** CNV-4: true if the person's marker asked for that. */
  private: flag,
  /** CNV-4: true if the event belongs to something that began before the present turn. */
  late: flag,
  /** The agent's present folder. */
  cwd: text,
  transcript_path: text,
  surface,
  agent_pid: count,
  agent_started_at: text,
  host: text,
  pid_namespace: text,
  tty: text,
  /** SES-1. */
  fingerprint: text,
};

const callNames = { tool_name: text, tool_use_id: text, target: text };

const callWords = {
  ...callNames,
  /** The mood that the tool gives its agent. */
  mood: z.exactOptional(z.enum(moods)),
  duration_ms: count,
  /** True if what the call started goes on after the call's end. */
  detached: flag,
  /** The id of the work item that the call was made for. */
  work_item: text,
};

const requestWords = {
  ...callWords,
  wait: z.exactOptional(z.enum(['permission', 'question'])),
  message: text,
};

const taskWords = { title: text };

const workWords = { work_item: text, title: text, status: text };

const ownWords = { summary: text, details: text, work_item: text };

const messageWords = { message: text };

const exitCode = z.exactOptional(z.nullable(z.number()));

/** Type of an event → the words that only this type has. */
const ownPayloadWords = {
  agent_started: {
    agent_type: text,
    task: text,
    /** The id of the agent that started it, without its session. */
    parent: text,
    /** True if it may be an agent that only warms up a cache. */
    warm_up: flag,
  },
  agent_stopped: { agent_type: text, reason: text, message: text },
  agent_blocked: {
    ...requestWords,
    /** True if nothing but a guess says that the agent waits, and for whom. */
    inferred: flag,
  },
  agent_unblocked: {
    ...callNames,
    answer: text,
    /** True if this only records that a wait ended; an earlier event has cleared it. */
    derived: flag,
    wait: requestWords.wait,
    /** When the wait began. */
    since: text,
  },

  task_created: taskWords,
  task_started: taskWords,
  task_progress: { tasks: z.exactOptional(z.array(taskSchema)) },
  task_completed: taskWords,
  task_failed: { ...taskWords, error: text },

  tool_started: {
    ...callWords,
    /** Present if the call starts an agent: the agent's type, empty for the default type. */
    spawn_type: text,
    spawn_task: text,
    spawn_name: text,
    /** The name of the agent that the call writes to. */
    talks_to: text,
    /** True if the call edits notes that the agent keeps for itself. */
    own_note: flag,
  },
  tool_succeeded: {
    ...callWords,
    exit_code: exitCode,
    /** The new agent's own id, if the call started one. */
    spawned: text,
    spawned_background: flag,
    spawned_task: text,
    spawned_name: text,
    team: text,
    /** The new agent's own id again, if it is a team-mate. */
    teammate: text,
  },
  tool_failed: {
    ...callWords,
    /** Null if the agent gives none. */
    exit_code: exitCode,
    error_message: text,
    /** True if the call never ran. */
    denied: flag,
    /** True if the person broke the call off. */
    interrupt: flag,
    /** EVT-1: what the failed command says to have failed. */
    check: z.exactOptional(z.enum(checks)),
  },

  session_started: {
    /** `startup`, `resume`, `clear`, `compact`, `fork`; `seen` if no hook reported the start. */
    source: text,
  },
  session_ended: { reason: text },
  user_prompt: {
    prompt: text,
    /** The agent's own id of the turn. A second prompt of one turn steers it and ends nothing. */
    turn: text,
    /** True if nobody typed the prompt. */
    synthetic: flag,
    /** The own id of the sub-agent whose end the prompt reports. */
    finished: text,
  },
  turn_ended: {
    /** `failed`, `interrupted`, `over` (only seen to be over); from a hook any other word means completed. */
    reason: text,
    error: text,
    message: text,
    /** The own ids of the agents that go on in the background. */
    background: texts,
    background_teammates: flag,
    /** True if no agent of the session works any more, and none waits. */
    alone: flag,
  },

  heartbeat: {},
  /** An agent's own Notification hook, and every hook that means nothing to this program. */
  notification: {
    ...requestWords,
    /** The agent's own word: `permission_prompt`, `agent_needs_input`, `elicitation_dialog`, `idle_prompt`, … */
    notification_type: text,
    /** NRM-1: true if the hook is unknown. */
    unknown: flag,
    status: text,
    name: text,
    team: text,
  },
  schema_error: { reason: text },

  /** The sums of a transcript up to a place in it. */
  usage_reported: {
    path: text,
    /** How many bytes of the transcript have been read. */
    offset: count,
    /** True if the file was replaced, so the sums begin at its first line again. */
    anew: flag,
    /** The messages counted last, of which further lines may follow. */
    counted: z.exactOptional(z.array(z.object({ id: z.string(), output: z.number() }))),
    tokens_in: count,
    tokens_out: count,
    tokens_cached: count,
    context_used: count,
    context_window: count,
    prompts: count,
    first_prompt: text,
    /** The session's title. */
    title_told: text,
    title_by_person: flag,
    /** When the first line was written. */
    began: text,
    /** CNV-4: true if a prompt in the transcript bears the marker. */
    private_turns: flag,
    /** EVT-1: true if from here on the model's context is as good as full. */
    overflow: flag,
  },
  /** The model works. */
  model_called: {},
  /** All calls of one message are over, also those that never ran. */
  tool_batch_ended: { ended: texts },
  compaction_started: {
    /** `manual` or `auto`. */
    trigger: text,
    /** EVT-2: what the conversation was at. */
    checkpoint: z.exactOptional(z.partial(checkpointSchema)),
    work_item: text,
  },
  compaction_ended: { trigger: text },
  /** MEM-3: what a starting agent was told of earlier sessions. */
  context_loaded: {
    source: text,
    /** How many sessions. */
    sessions: count,
    tokens: count,
    /** Their ids. */
    told: texts,
    text,
  },
  /** A prompt that only a transcript told of. It begins no turn: hooks alone tell whose move it is (TRN-4). */
  prompt_found: {
    prompt: text,
    turn: text,
    /** The time of the last prompt that hooks reported before this one. */
    after: text,
    synthetic: flag,
  },
  /** A reply that only a transcript told of. It ends no turn. */
  reply_found: messageWords,
  /** TRN-2: the reply of a turn whose end a hook reported without its words. */
  last_reply_found: messageWords,
  instructions_loaded: { file: text, memory_type: text, load_reason: text },
  /** NRM-6: the session goes on from another one after `/clear`. */
  session_continued: {
    session: text,
    /** How the main agent of that session looked and was called. */
    seed: count,
    name: text,
  },
  surface_detected: {},
  /** NRM-11: what a sub-agent's own file says of it. */
  agent_described: {
    /** Own ids, without the session. */
    agent: text,
    parent: text,
    task: text,
    name: text,
    team: text,
  },

  work_started: workWords,
  work_ended: workWords,
  dependency_resolved: {
    ...workWords,
    /** The id of the work item that ended. */
    ended: text,
  },
  /** GRD-2: an edit without a running work item. */
  untracked_edit: { ...callNames, decision: z.exactOptional(z.enum(['denied', 'warned'])) },
  /** GRD-3: an edit that was not judged because the guard could not be asked. */
  guard_gap: callNames,
  /** EVT-3: what agents log of their own. */
  decision: ownWords,
  escalation: ownWords,
} satisfies Record<string, z.core.$ZodLooseShape>;

export type EventType = keyof typeof ownPayloadWords;

export const eventTypes = Object.keys(ownPayloadWords) as readonly EventType[] as readonly [EventType, ...EventType[]];

type Words<T extends EventType> = typeof commonWords & (typeof ownPayloadWords)[T];

type ReadonlyList<V> = V extends readonly (infer Item)[] ? readonly Item[] : V;

/** What the payload of an event of this type holds. */
export type EventPayload<T extends EventType = EventType> = T extends EventType
  ? { readonly [Word in keyof Words<T>]?: ReadonlyList<z.output<Words<T>[Word]>> }
  : never;

export const payloadSchemas = Object.fromEntries(
  eventTypes.map((type) => [type, z.object({ ...commonWords, ...ownPayloadWords[type] })]),
) as unknown as Readonly<Record<EventType, z.ZodMiniObject>>;

/** The words of all types together; where two types use one word differently, it is either. */
export const anyPayloadSchema = z.object(
  Object.values(payloadSchemas).reduce<Record<string, z.ZodMiniType>>((words, { shape }) => {
    for (const [word, schema] of Object.entries(shape) as [string, z.ZodMiniType][]) {
      const before = words[word];
      words[word] = before === undefined || before === schema ? schema : z.union([before, schema]);
    }
    return words;
  }, {}),
);

/**
 * The payload for an event of this type: words of a wrong type are left out, words that no type knows are kept. Total: any
 * object gives a payload that every reader can rely on.
 */
export function typedPayload<T extends EventType>(type: T, words: JsonObject): EventPayload<T> {
  const isWrong = ([word, value]: readonly [string, Json]) => {
    const shape = [payloadSchemas[type].shape, anyPayloadSchema.shape].find((each) => Object.hasOwn(each, word));
    return shape !== undefined && !z.safeParse(shape[word] as z.ZodMiniType, value).success;
  };
  const entries = Object.entries(words);
  const typed = entries.some(isWrong) ? Object.fromEntries(entries.filter((entry) => !isWrong(entry))) : words;
  return typed as EventPayload<T>;
}

/** The payload as a plain object, for what treats all words alike. */
export function wordsOf(payload: EventPayload): JsonObject {
  return payload as JsonObject;
}

export function isEventType(value: Json | undefined): value is EventType {
  return typeof value === 'string' && Object.hasOwn(ownPayloadWords, value);
}
