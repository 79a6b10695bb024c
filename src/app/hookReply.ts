import { isMain } from '../domain/agentIds.ts';
import { CONTEXT_TOKENS_MAX, contextText } from '../domain/contextText.ts';
import { providerFor } from '../domain/providers/registry.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { HookOutput } from '../protocol/hookOutput.ts';
import type { Context } from '../protocol/reading.ts';
import type { Session } from '../protocol/state.ts';
import type { Hub } from './hub.ts';
import type { Clock, HookReplies, HookReply, Log, PastSessions } from './ports.ts';

/** What is longer an agent puts into a file, and shows its model the beginning alone. */
const OUTPUT_MAX = 10_000;

export interface HookReplyParts {
  readonly hub: Pick<Hub, 'state'>;
  readonly past: PastSessions;
  /** The setting `memory.sessions`. */
  readonly memorySessions: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** OUT-1, MEM-1: an agent that starts is told of the sessions before it in its project. */
export function createHookReplies({ hub, past, memorySessions, clock, log }: HookReplyParts): HookReplies {
  async function replyTo(event: AgentEvent): Promise<HookReply | undefined> {
    const limit = memorySessions();
    if (limit <= 0 || !lacksContext(event)) return undefined;
    const { session_id: id, project } = event;
    const folder = project?.path ?? hub.state(id)?.session.project;
    // Without a project nothing is of the same one.
    if (!folder) return undefined;
    const sessions = await past.last({ project: folder, limit, except: id });
    return fitting(event, sessions, (context) => ({
      context,
      output: outputFor(event, context, hub.state(id)?.session.state ?? 'active'),
    }));
  }

  /** The oldest sessions go first where the whole would be too long. */
  function fitting(
    event: AgentEvent,
    sessions: readonly Session[],
    toReply: (context: Context) => HookReply,
  ): HookReply | undefined {
    for (let count = sessions.length; count > 0; count--) {
      const context = contextText({ sessions: sessions.slice(0, count), now: clock.now(), allProjects: false });
      if (context.context === '') return undefined;
      const reply = toReply(context);
      if (JSON.stringify(reply.output).length <= OUTPUT_MAX) return reply;
    }
    return undefined;
  }

  return {
    async to(event, meta) {
      if (meta.memory === false) return undefined;
      try {
        return await replyTo(event);
      } catch (error) {
        log.warn(`A starting session was told nothing of the ones before: ${String(error)}`);
        return undefined;
      }
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

function outputFor(event: AgentEvent, { context, tokens }: Context, state: Session['state']): HookOutput {
  const said = { hookEventName: String(event.payload['hook']), additionalContext: context };
  if (!providerFor(event.provider).replies.ignoresUnknownKeys) return { hookSpecificOutput: said };
  return {
    hookSpecificOutput: said,
    context: {
      active_work_item: null,
      loaded_docs: [],
      session_state: state,
      tokens_used: tokens,
      token_budget: CONTEXT_TOKENS_MAX,
    },
    notifications: [],
    suggestions: [],
    metadata: {},
  };
}
