import { isMain } from '../domain/agentIds.ts';
import { checkpointOf } from '../domain/checkpoint.ts';
import type { ContextText } from '../domain/contextText.ts';
import type { Observation } from '../domain/observed.ts';
import { providerFor } from '../domain/providers/registry.ts';
import { textIn } from '../domain/text.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { HookOutput } from '../protocol/hookOutput.ts';
import type { Session } from '../protocol/state.ts';
import type { Hub } from './hub.ts';
import type { HookReplies, HookReply, Log, Memory, Pipeline, Recalled } from './ports.ts';

/** What is longer an agent puts into a file, and shows its model the beginning alone. */
const OUTPUT_MAX = 10_000;

/** Fewer tokens than these tell nothing. */
const TOKENS_MIN = 50;

export interface HookReplyParts {
  readonly hub: Pick<Hub, 'state'>;
  readonly memory: Memory;
  /** Keeps what an agent was told. */
  readonly pipeline: Pick<Pipeline, 'record'>;
  readonly log: Log;
}

interface Told extends HookReply {
  readonly context: ContextText;
}

/** OUT-1, MEM-1: an agent that starts is told of the sessions before it in its project. */
export function createHookReplies({ hub, memory, pipeline, log }: HookReplyParts): HookReplies {
  async function replyTo(event: AgentEvent): Promise<Told | undefined> {
    if (!lacksContext(event)) return undefined;
    const { session_id: id, project } = event;
    const state = hub.state(id);
    const folder = project?.path ?? state?.session.project;
    // Without a project nothing is of the same one.
    if (!folder) return undefined;
    const recalled = await memory.recall({ project: folder, cwd: state?.session.cwd, except: id });
    // EVT-2: of its own conversation it has a summary left; what it was at goes before what others did.
    const checkpoint = state && event.payload['source'] === 'compact' ? checkpointOf(state) : undefined;
    return (
      recalled &&
      fitting(recalled, (tokens) => {
        const context = recalled.textWithin(tokens, checkpoint);
        return { context, output: outputFor(event, context, state?.session.state ?? 'active', recalled.tokens) };
      })
    );
  }

  /** MEM-3: what was told is a part of the session from then on. Nobody waits for that: the agent waits for its answer. */
  function keep(event: AgentEvent, context: ContextText): void {
    pipeline
      .record([contextLoaded(event, context)])
      .catch((error: unknown) => log.warn(`What a starting session was told is not kept: ${String(error)}`));
  }

  return {
    async to(event, meta) {
      if (meta.memory === false) return undefined;
      try {
        const told = await replyTo(event);
        if (told) keep(event, told.context);
        return told;
      } catch (error) {
        log.warn(`A starting session was told nothing of the ones before: ${String(error)}`);
        return undefined;
      }
    },
  };
}

/** Letters that JSON writes as six make an answer too long that has few tokens: it is made shorter until it fits. */
function fitting({ tokens: most }: Recalled, toReply: (tokens: number) => Told): Told | undefined {
  for (let tokens = most; tokens >= TOKENS_MIN; tokens = Math.floor(tokens * 0.9)) {
    const reply = toReply(tokens);
    if (reply.context.context === '') return undefined;
    if (JSON.stringify(reply.output).length <= OUTPUT_MAX) return reply;
  }
  return undefined;
}

function contextLoaded(event: AgentEvent, { context, sessions, tokens, told }: ContextText): Observation {
  return {
    key: `context/${event.id}`,
    ts: event.ts,
    provider: event.provider,
    sessionId: event.session_id,
    agentId: event.agent_id,
    source: 'synthetic',
    type: 'notification',
    payload: {
      notification_type: 'context_loaded',
      source: textIn(event, 'source') ?? '',
      sessions,
      tokens,
      told,
      text: context,
    },
  };
}

/** A sub-agent has its task from its parent, and a resumed session its own conversation. */
function lacksContext(event: AgentEvent): boolean {
  const { hook, source } = event.payload;
  if (typeof hook !== 'string' || typeof source !== 'string' || !isMain(event)) return false;
  const { context } = providerFor(event.provider).replies;
  return Object.hasOwn(context, hook) && context[hook]?.has(source) === true;
}

function outputFor(
  event: AgentEvent,
  { context, tokens }: ContextText,
  state: Session['state'],
  budget: number,
): HookOutput {
  const said = { hookEventName: String(event.payload['hook']), additionalContext: context };
  if (!providerFor(event.provider).replies.ignoresUnknownKeys) return { hookSpecificOutput: said };
  return {
    hookSpecificOutput: said,
    context: {
      active_work_item: null,
      loaded_docs: [],
      session_state: state,
      tokens_used: tokens,
      token_budget: budget,
    },
    notifications: [],
    suggestions: [],
    metadata: {},
  };
}
