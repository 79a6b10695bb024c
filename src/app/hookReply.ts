import { isMain } from '../domain/agentIds.ts';
import { checkpointOf } from '../domain/checkpoint.ts';
import type { ContextText } from '../domain/contextText.ts';
import type { Observation } from '../domain/observed.ts';
import { providerFor } from '../domain/providers/registry.ts';
import { shortText } from '../domain/text.ts';
import { itemAt } from '../domain/workItems.ts';
import { mayTellTitle } from '../domain/workText.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { HookMeta } from '../protocol/hook.ts';
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

/** How many answered events are remembered. A hook that two settings files run comes twice within milliseconds. */
const ANSWERED_MAX = 500;

export interface HookReplyParts {
  readonly hub: Pick<Hub, 'state'>;
  readonly store: Pick<EventStore, 'work'>;
  readonly memory: Memory;
  readonly guard: Pick<Guard, 'judge'>;
  /** MEM-5: the setting `memory.agentWords`. */
  readonly agentWords: () => boolean;
  /** The instruction files that an agent reads by itself where it was started. */
  readonly instructions: (provider: string, folders: readonly string[]) => Promise<readonly string[]>;
  /** Keeps what an agent was told. */
  readonly pipeline: Pick<Pipeline, 'record' | 'erasures'>;
  /** EVT-1: the setting `contextBudget`, used if an agent does not report the size of its context. */
  readonly contextBudget: () => number;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

interface Told extends HookReply {
  readonly context: ContextText;
}

/** OUT-1: an agent that starts is told of the sessions before it (MEM-1), and one that edits whether that is somebody's work (GRD-2). */
export function createHookReplies(parts: HookReplyParts): HookReplies {
  const { hub, memory, guard, pipeline, clock, log } = parts;
  /** The delivery that was answered, by event. */
  const answered = new Map<string, string | undefined>();

  /**
   * A hook in two settings files sends one event twice (NRM-7), as two deliveries: only the first is answered. The same delivery
   * again means that its answer was lost, so it is answered again.
   */
  function wasAnswered({ id }: AgentEvent, { guard: asks, delivery_id: delivery }: HookMeta): boolean {
    const key = `${id}/${asks ?? ''}`;
    if (answered.has(key)) return delivery !== undefined && answered.get(key) !== delivery;
    if (answered.size >= ANSWERED_MAX) answered.clear();
    answered.set(key, delivery);
    return false;
  }

  /** OUT-1: the reply without anything for the model. */
  function plainReply(event: AgentEvent): HookReply {
    const docs = hub.state(event.session_id)?.loadedDocs ?? [];
    // Scripts wait for the reply to a start; a line for each further hook would only be noise.
    const said = event.event_type === 'session_started' ? { hookEventName: hookIn(event) } : undefined;
    return printed(event, said, besidesOf(event, docs));
  }

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
    const checkpoint = state && startSource(event) === 'compact' ? checkpointOf(state) : undefined;
    const own = checkpoint && { checkpoint, digest: state?.digest, item: activeItem(event, state) };
    const docs = state?.loadedDocs ?? (await parts.instructions(event.provider, cwd ? [folder, cwd] : [folder]));
    return fitting(recalled, (tokens) => {
      const context = recalled.textWithin(tokens, own);
      const besides = besidesOf(event, docs);
      const said = { hookEventName: hookIn(event), additionalContext: context.context };
      return { ...printed(event, said, besides), context };
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
      ...besidesOf(event, docs),
      notifications: [
        {
          level: 'warn',
          title: isDenied ? 'Edit held back' : 'Untracked edit',
          message: `${isDenied ? 'It was not made' : 'It was made'}: no work item runs in this project.`,
          ...(action === undefined ? {} : { action }),
        },
      ],
      suggestions: [...commands],
    });
  }

  function besidesOf(event: AgentEvent, docs: readonly string[]): HookBesides {
    const state = hub.state(event.session_id);
    const usage = state?.session.usage;
    return {
      context: {
        active_work_item: shown(activeItem(event, state), parts.agentWords()),
        loaded_docs: [...docs],
        session_state: state?.session.state ?? 'active',
        tokens_used: usage?.contextUsed ?? 0,
        token_budget: usage?.contextWindow ?? parts.contextBudget(),
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
  function keep(event: AgentEvent, context: ContextText, asOf: number): void {
    pipeline
      .record([contextLoaded(event, context)], asOf)
      .catch((error: unknown) => log.warn(`What a starting session was told is not kept: ${String(error)}`));
  }

  return {
    async to(event, meta) {
      try {
        const verdict = guard.judge(event);
        const isTwin = wasAnswered(event, meta);
        // A denial goes to both deliveries, because either may be the one that the agent reads.
        if (verdict) return isTwin && verdict.mode !== 'strict' ? plainReply(event) : editReply(event, verdict);
        if (meta.memory === false || isTwin || !lacksContext(event)) return plainReply(event);
        const asOf = pipeline.erasures();
        const told = await startReply(event);
        if (told) keep(event, told.context, asOf);
        return told ?? plainReply(event);
      } catch (error) {
        log.warn(`A hook was answered nothing: ${String(error)}`);
        return undefined;
      }
    },
  };
}

/** GRD-5: shows the id in place of a title that agents may not see. */
function shown(item: WorkItem | undefined, agentWords: boolean) {
  return item ? { id: item.id, title: mayTellTitle(item, agentWords) ? item.title : item.id } : null;
}

function hookIn(event: AgentEvent): string {
  return event.payload.hook ?? '';
}

/** What its agent would not take goes beside what it prints. */
function printed(
  event: AgentEvent,
  hookSpecificOutput: HookOutput['hookSpecificOutput'],
  besides: HookBesides,
): HookReply {
  const said = hookSpecificOutput && { hookSpecificOutput };
  if (providerFor(event.provider).replies.ignoresUnknownKeys) return { output: { ...said, ...besides } };
  const says = Object.keys(hookSpecificOutput ?? {}).length > 1;
  return { ...(says && said ? { output: said } : {}), besides };
}

/** Letters that JSON writes as six make an answer too long that has few tokens: it is made shorter until it fits. */
function fitting({ tokens: most }: Recalled, toReply: (tokens: number) => Told): Told | undefined {
  for (let tokens = most; tokens >= TOKENS_MIN; tokens = Math.floor(tokens * 0.9)) {
    const reply = toReply(tokens);
    if (reply.context.context === '') return undefined;
    if ((JSON.stringify(reply.output) ?? '').length <= OUTPUT_MAX) return reply;
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
    type: 'context_loaded',
    payload: {
      source: shortText(startSource(event)) ?? '',
      sessions,
      tokens,
      told,
      text: context,
    },
  };
}

/** How the session starts; `undefined` if the event is no start. */
function startSource(event: AgentEvent): string | undefined {
  return event.event_type === 'session_started' ? event.payload.source : undefined;
}

/** A sub-agent has its task from its parent, and a resumed session its own conversation. */
function lacksContext(event: AgentEvent): boolean {
  const { hook } = event.payload;
  const source = startSource(event);
  if (hook === undefined || source === undefined || !isMain(event)) return false;
  const { context } = providerFor(event.provider).replies;
  return Object.hasOwn(context, hook) && context[hook]?.has(source) === true;
}
