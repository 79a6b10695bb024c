import type * as z from 'zod/mini';
import type { Severity } from '../../protocol/event.ts';
import type { EventPayload, EventType } from '../../protocol/eventPayloads.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Surface } from '../../protocol/state.ts';
import type { TranscriptFormat } from './transcript.ts';

/** What a provider says about one hook; `normalize` adds what is the same for every provider. */
export type EventDraft = DraftFields &
  { readonly [T in EventType]: { readonly event_type: T; readonly payload: EventPayload<T> } }[EventType];

interface DraftFields {
  readonly severity?: Severity;
  readonly target_agent_id?: string;
  readonly task_id?: string;
  readonly thinking_text?: string;
}

export interface HookRule {
  /** Throws what zod throws when a known field has a wrong type. */
  read(payload: JsonObject): readonly EventDraft[];
}

/** OUT-1: what an agent makes of the answer to one of its hooks, as far as it was seen to. */
export interface Replies {
  /** Hooks, in Pascal case, whose answer may hand context to the model, each with the sources at which it lacks it. */
  readonly context: Readonly<Record<string, ReadonlySet<string>>>;
  /** It passes over keys that it does not know; elsewhere one of them could cost the whole answer. */
  readonly ignoresUnknownKeys: boolean;
  /** OUT-2: its shells find `mascot` by its name. */
  readonly knowsMascot: boolean;
}

export const noReplies: Replies = { context: {}, ignoresUnknownKeys: false, knowsMascot: false };

/** CNV-1: where its payloads, in the words of the newest version, tell of a call. */
export interface CallFields {
  readonly input: string;
  readonly answer: string;
  /** What of an answer a person would read, the most telling first: texts, and what may hold one. */
  words(answer: JsonObject): readonly (Json | undefined)[];
  /** What the hook that ends several calls at once says of one that never ran. */
  batchAnswer?(payload: JsonObject, callId: string): Json | undefined;
}

export const plainCalls: CallFields = {
  input: 'tool_input',
  answer: 'tool_response',
  words: ({ content, text }) => [content, text],
};

/** One agent program: everything that is particular to it is in its folder and comes through here. */
export interface Provider {
  /** The same as its key in `registry.ts`. */
  readonly id: string;
  /** By the hook's name in Pascal case. */
  readonly hooks: Readonly<Record<string, HookRule>>;
  /** The sub-agent's own id, when the hook was fired inside one. */
  subagentId(hook: string, payload: JsonObject): string | undefined;
  readonly replies: Replies;
  /** Files with instructions that it reads by itself, below a project and below the person's own folder. */
  readonly instructions?: { readonly project: readonly string[]; readonly user: readonly string[] };
  /** GRD-2: tools that change files, before which its installed hooks ask the guard. */
  readonly guarded?: ReadonlySet<string>;
  /** The team that the payload's agent belongs to, where every payload of it names the team. */
  teamId?(hook: string, payload: JsonObject): string | undefined;
  /** The agent's name for people, if the payload has one. */
  agentName?(payload: JsonObject): string | undefined;
  /** The session that the payload belongs to, where that is not simply its `session_id`. */
  sessionId?(payload: JsonObject): string | undefined;
  /** The hook's name, for payloads that carry none in the fields that all agents share; by their shape. */
  hookName?(payload: JsonObject): string | undefined;
  /**
   * PRV-1: does the shape show that this program made the payload, whichever program the hook was installed for? `installedFor`: the
   * provider that the installed command names; undefined if no installed command sent it.
   */
  claims?(payload: JsonObject, installedFor: string | undefined): boolean;
  /** NRM-10: the payload of an older version in the words of the newest; the same object when nothing differs. */
  upgrade?(payload: JsonObject): JsonObject;
  /**
   * Hooks that come again within a second with the very same payload and mean something each time. Elsewhere such a pair is
   * one hook that was installed twice (NRM-7).
   */
  readonly repeating?: ReadonlySet<string>;
  /**
   * NRM-7: a value that is equal for all deliveries of one event, for programs that run hooks installed for several agents and so send
   * one event in several forms. Undefined if the payload has nothing that distinguishes two events.
   */
  sameHook?(payload: JsonObject, hook: string, second: string): Json | undefined;
  /** Its payloads carry the moment at which they were made, as `timestamp`. */
  readonly stampsPayloads?: boolean;
  readonly calls: CallFields;
  readonly transcript?: TranscriptFormat;
  readonly files?: OwnFiles;
  /** Several of its sessions may run in one process, which outlives them: a pid says nothing of one of them. */
  readonly sharesProcess?: boolean;
  /** Neither hooks nor the process show that a session is over, so it ends after silence. */
  readonly endsInSilence?: boolean;
  /** A hook of its own tells that a compaction is over; elsewhere the start that follows it does. */
  readonly saysCompacted?: boolean;
  /** CNV-1: its transcript tells apart what was typed and what ended a turn, where hooks did not tell. */
  readonly transcriptTells?: boolean;
  /** Its hooks also report the calls of sub-agents. */
  readonly reportsSubagentCalls?: boolean;
  /** It sets no project folder of its own for its hooks: one that they have is of the agent that started it. */
  readonly inheritsProjectFolder?: boolean;
  /** Where it runs, by its own word for how it was started. */
  readonly surfaces?: Readonly<Record<string, Surface>>;
  /** Its hooks tell of a failed call as of any other: only the transcript knows. */
  readonly failsSilently?: boolean;
}

/** What an agent program writes beside its transcripts, and where; paths are made from the main transcript's. */
export interface OwnFiles {
  agentTranscript(transcript: string, agentId: string): string | undefined;
  /** The folder with a small file about each sub-agent. */
  agentMetaFolder(transcript: string): string | undefined;
  readAgentMeta(name: string, text: string): AgentMeta | undefined;
  /** The folder with a small file about each running session. */
  statusFolder(transcript: string): string | undefined;
  /** The same, from the folder that holds all transcripts. */
  statusFolderBeside(root: string): string | undefined;
  isStatusFile(name: string): boolean;
  readStatus(text: string): StatusFile | undefined;
}

export interface AgentMeta {
  readonly agentId: string;
  readonly parentId?: string | undefined;
  readonly task?: string | undefined;
  readonly name?: string | undefined;
  readonly team?: string | undefined;
}

export interface StatusFile {
  readonly pid: number;
  readonly sessionId: string;
  readonly cwd?: string | undefined;
  readonly status?: 'busy' | 'idle' | 'waiting' | 'shell' | undefined;
  readonly waitingFor?: string | undefined;
  /** ms since the epoch */
  readonly statusUpdatedAt?: number | undefined;
  readonly startTicks?: number | undefined;
  /** Where the pid counts; as forwarders write it. */
  readonly pidNamespace?: string | undefined;
  readonly entrypoint?: string | undefined;
}

export function hookRule<T extends z.ZodMiniType>(
  schema: T,
  toEvents: (fields: z.infer<T>, payload: JsonObject) => readonly EventDraft[],
): HookRule {
  return { read: (payload) => toEvents(schema.parse(payload), payload) };
}
