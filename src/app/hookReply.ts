import { isMain } from '../domain/agentIds.ts';
import { checkpointOf, withWork } from '../domain/checkpoint.ts';
import type { ContextText } from '../domain/contextText.ts';
import type { Observation } from '../domain/observed.ts';
import { tokensOf } from '../domain/plainWords.ts';
import { providerFor } from '../domain/providers/registry.ts';
import { textIn } from '../domain/text.ts';
import { itemAt } from '../domain/workItems.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { HookBesides, HookOutput } from '../protocol/hookOutput.ts';
import type { SessionState } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import type { Guard, Verdict } from './guard.ts';
import type { Hub } from './hub.ts';
import type { Clock, EventStore, HookReplies, HookReply, Log, Memory, Pipeline, Recalled } from './ports.ts';
import { projectOf } from './tracking.ts';

/** What is longer an agent puts into a file, and shows its model the beginning alone. */
const OUTPUT_MAX = 10_000;

/** Fewer tokens than these tell nothing. */
const TOKENS_MIN = 50;

/** More an edit never has to hear. */
const GUARD_TOKENS = 600;

export interface HookReplyParts {
  readonly hub: Pick<Hub, 'state'>;
  readonly store: Pick<EventStore, 'work'>;
  readonly memory: Memory;
  readonly guard: Pick<Guard, 'judge'>;
  /** The instruction files that an agent reads by itself where it was started. */
  readonly instructions: (provider: string, folders: readonly string[]) => Promise<readonly string[]>;
  /** Keeps what an agent was told. */
  readonly pipeline: Pick<Pipeline, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

interface Told extends HookReply {
  readonly context: ContextText;
}

/** OUT-1: an agent that starts is told of the sessions before it (MEM-1), and one that edits whether that is somebody's work (GRD-2). */
export function createHookReplies(parts: HookReplyParts): HookReplies {
  const { hub, memory, guard, pipeline, clock, log } = parts;

  async function startReply(event: AgentEvent): Promise<Told | undefined> {
    const { session_id: id } = event;
    const state = hub.state(id);
    const folder = event.project?.path ?? state?.session.project;
    // Without a project nothing is of the same one.
    if (!folder) return undefined;
    const cwd = state?.session.cwd;
    const recalled = await memory.recall({ project: folder, cwd, except: id });
    if (!recalled) return undefined;
    // EVT-2: of its own conversation it has a summary left; what it was at goes before what others did.
    const own = state && event.payload['source'] === 'compact' ? checkpointOf(state) : undefined;
    const checkpoint = own && withWork(own, activeItem(event, state));
    const docs = state?.loadedDocs ?? (await parts.instructions(event.provider, cwd ? [folder, cwd] : [folder]));
    return fitting(recalled, (tokens) => {
      const context = recalled.textWithin(tokens, checkpoint);
      const besides = besidesOf(event, { tokens: context.tokens, budget: recalled.tokens, docs });
      const said = { hookEventName: hookIn(event), additionalContext: context.context };
      return { context, ...printed(event, said, besides) };
    });
  }

  function editReply(event: AgentEvent, verdict: Verdict): HookReply {
    const { mode, text, commands } = verdict;
    const hookEventName = hookIn(event);
    const isDenied = mode === 'strict';
    const said = isDenied
      ? ({ hookEventName, permissionDecision: 'deny', permissionDecisionReason: text } as const)
      : { hookEventName, additionalContext: text };
    const [action] = commands;
    const docs = hub.state(event.session_id)?.loadedDocs ?? [];
    return printed(event, said, {
      ...(isDenied ? { decision: 'block', reason: text } : {}),
      ...besidesOf(event, { tokens: tokensOf(text), budget: GUARD_TOKENS, docs }),
      notifications: [
        {
          level: 'warning',
          title: isDenied ? 'Edit held back' : 'Untracked edit',
          message: `${isDenied ? 'It was not made' : 'It was made'}: no work item runs in this project.`,
          ...(action === undefined ? {} : { action }),
        },
      ],
      suggestions: [...commands],
    });
  }

  function besidesOf(
    event: AgentEvent,
    { tokens, budget, docs }: { readonly tokens: number; readonly budget: number; readonly docs: readonly string[] },
  ): HookBesides {
    const state = hub.state(event.session_id);
    return {
      context: {
        active_work_item: shown(activeItem(event, state)),
        loaded_docs: [...docs],
        session_state: state?.session.state ?? 'active',
        tokens_used: tokens,
        token_budget: budget,
      },
      notifications: [],
      suggestions: [],
      metadata: {},
    };
  }

  function activeItem(event: AgentEvent, state: SessionState | undefined) {
    const at = new Date(clock.now()).toISOString();
    const project = projectOf(event, state);
    return itemAt(parts.store.work.items(), { project, session: event.session_id, at });
  }

  /** MEM-3: what was told is a part of the session from then on. Nobody waits for that: the agent waits for its answer. */
  function keep(event: AgentEvent, context: ContextText): void {
    pipeline
      .record([contextLoaded(event, context)])
      .catch((error: unknown) => log.warn(`What a starting session was told is not kept: ${String(error)}`));
  }

  return {
    async to(event, meta) {
      try {
        const verdict = guard.judge(event);
        if (verdict) return editReply(event, verdict);
        if (meta.memory === false || !lacksContext(event)) return undefined;
        const told = await startReply(event);
        if (told) keep(event, told.context);
        return told;
      } catch (error) {
        log.warn(`A hook was answered nothing: ${String(error)}`);
        return undefined;
      }
    },
  };
}

function shown(item: WorkItem | undefined) {
  return item ? { id: item.id, title: item.title } : null;
}

function hookIn(event: AgentEvent): string {
  return String(event.payload['hook']);
}

/** What its agent would not take goes beside what it prints. */
function printed(
  event: AgentEvent,
  hookSpecificOutput: HookOutput['hookSpecificOutput'],
  besides: HookBesides,
): { readonly output: HookOutput; readonly besides?: HookBesides } {
  return providerFor(event.provider).replies.ignoresUnknownKeys
    ? { output: { hookSpecificOutput, ...besides } }
    : { output: { hookSpecificOutput }, besides };
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
