import { type AgentEvent, isOfType } from '../protocol/event.ts';
import type { Agent, Cause, Phase, Session, Usage } from '../protocol/state.ts';
import type { AgentState, SessionState } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { urgentWait } from './agentsStep.ts';
import { callWords, endReason } from './eventWords.ts';
import { foundPromptIn, promptHeard } from './heard.ts';
import { isOver, nextLife } from './life.ts';
import { isTurnDone } from './phase.ts';
import { stepTasks } from './tasks.ts';
import { oneLine, shortText } from './text.ts';
import { workedAfter } from './work.ts';

const TITLE_MAX = 80;
const REPLY_MAX = 1_000;

/** The longest path that the systems we run on take. */
const PATH_MAX = 4096;

export function newSession(event: AgentEvent): Session {
  return {
    id: event.session_id,
    provider: event.provider,
    state: 'active',
    phase: null,
    phaseBecause: null,
    phaseSince: null,
    cwd: '',
    project: event.project?.path ?? '',
    worktree: event.project?.worktree,
    workspace: event.workspace_id,
    title: '',
    model: '',
    permissionMode: '',
    source: '',
    surface: 'unknown',
    seenIn: 'transcript',
    startedAt: event.ts,
    lastEventAt: event.ts,
    lastWorkAt: event.ts,
    counts: { prompts: 0, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
    usage: null,
    tasks: [],
    background: 0,
    lastReply: null,
  };
}

interface After {
  readonly agents: SessionState['agents'];
  readonly main: SessionState['main'];
  /** Whether this event is the first to tell that a call failed. */
  readonly failed: boolean;
  /** Is this the first event about its call? */
  readonly newCall: boolean;
}

/** What people see of a session after an event. */
export function stepSession(
  { session: before, agents: known, heard, foundReplies = 0 }: SessionState,
  event: AgentEvent,
  after: After,
): Session {
  const state = nextLife(before.state, event);
  const over = isOver(state);
  return {
    ...described(before, event),
    ...shownPhase(urgentWait(after.agents), after.main),
    state,
    counts: counted(before.counts, event, {
      joined: hasJoined(event, known, after.agents),
      failed: after.failed,
      repeated: isRepeated(before, event),
      newCall: after.newCall,
      hookless: before.seenIn === 'transcript' && event.source !== 'hook',
      found: event.event_type === 'prompt_found' && promptHeard(heard, foundPromptIn(event)) === undefined,
      foundReply: foundReplies > 0,
    }),
    lastEventAt: event.ts > before.lastEventAt ? event.ts : before.lastEventAt,
    lastWorkAt: workedAfter(before, event),
    endedAt: over ? (state === before.state ? before.endedAt : event.ts) : undefined,
    endReason: over ? (state === before.state ? before.endReason : shortText(endReason(event))) : undefined,
    tasks: [...stepTasks(before.tasks, event)],
    background: after.main.phase === 'busy' ? 0 : after.agents.filter(goesOn).length,
  };
}

function goesOn({ agent }: AgentState): boolean {
  return agent.kind === 'subagent' && agent.present;
}

/** STA-7: the most urgent open wait of any agent, else the main agent's own phase. */
function shownPhase(
  wait: Agent['wait'] | undefined,
  main: SessionState['main'],
): Pick<Session, 'phase' | 'phaseBecause' | 'phaseSince'> {
  if (!wait) return { phase: main.phase, phaseBecause: main.because, phaseSince: main.since };
  const { kind, since, tool, target, message, source, by } = wait;
  const phase: Phase = kind === 'question' ? 'waiting_question' : 'waiting_permission';
  return {
    phase,
    phaseBecause: { event: 'agent_blocked', source: source ?? 'hook', by, tool, target, detail: message },
    phaseSince: since,
  };
}

function described(before: Session, event: AgentEvent): Session {
  return {
    ...before,
    project: before.project || (event.project?.path ?? ''),
    worktree: before.worktree ?? event.project?.worktree,
    workspace: before.workspace || event.workspace_id,
    cwd: shortText(event.payload.cwd, PATH_MAX) ?? before.cwd,
    title: titleAfter(before.title, event),
    model: shortText(event.payload.model) ?? before.model,
    permissionMode: shortText(event.payload.permission_mode) ?? before.permissionMode,
    source: sourceAfter(before.source, event),
    surface: event.payload.surface ?? before.surface,
    seenIn: event.source === 'hook' ? 'hooks' : before.seenIn,
    transcriptPath:
      (isMain(event) ? shortText(event.payload.transcript_path, PATH_MAX) : undefined) ?? before.transcriptPath,
    agentPid: event.payload.agent_pid ?? before.agentPid,
    agentStartedAt: shortText(event.payload.agent_started_at) ?? before.agentStartedAt,
    host: shortText(event.payload.host) ?? before.host,
    pidNamespace: shortText(event.payload.pid_namespace) ?? before.pidNamespace,
    tty: shortText(event.payload.tty) ?? before.tty,
    fingerprint: before.fingerprint ?? shortText(event.payload.fingerprint),
    lastReply: replyAfter(before.lastReply, event),
    usage: usageIn(event) ?? before.usage,
    ...continued(event),
  };
}

function sourceAfter(before: string, event: AgentEvent): string {
  if (event.event_type !== 'session_started' || (before !== '' && event.payload.source === 'seen')) return before;
  return shortText(event.payload.source) ?? before;
}

/** SES-2: the first prompt, until the agent gives its session a title of its own. */
function titleAfter(before: string, event: AgentEvent): string {
  const own = event.event_type === 'usage_reported' ? shortText(event.payload.title_told) : undefined;
  if (own !== undefined) return oneLine(own, TITLE_MAX);
  if (before !== '' || event.event_type !== 'user_prompt' || event.payload.synthetic === true) return before;
  return oneLine(shortText(event.payload.prompt, TITLE_MAX * 4) ?? '', TITLE_MAX);
}

function replyAfter(before: string | null, event: AgentEvent): string | null {
  const told = replyIn(event);
  return told === undefined ? before : told;
}

/** Null: a turn has ended, and what it ended with has not been told. */
function replyIn(event: AgentEvent): string | null | undefined {
  if (isOfType(event, 'last_reply_found', 'reply_found')) return shortText(event.payload.message, REPLY_MAX);
  if (event.event_type !== 'turn_ended' || !isTurnDone(event) || !isMain(event)) return undefined;
  return shortText(event.payload.message, REPLY_MAX) ?? null;
}

export function usageIn(event: AgentEvent): Usage | undefined {
  if (event.event_type !== 'usage_reported') return undefined;
  const {
    context_used: contextUsed,
    context_window: contextWindow = null,
    tokens_cached: tokensCached = 0,
  } = event.payload;
  return contextUsed === undefined ? undefined : { contextUsed, contextWindow, tokensCached };
}

function continued(event: AgentEvent): Pick<Session, 'continues'> {
  const session = event.event_type === 'session_continued' ? shortText(event.payload.session) : undefined;
  return session === undefined ? {} : { continues: session };
}

/** Whether this event brought a sub-agent that was not there before: one that never shows is not counted. */
function hasJoined(event: AgentEvent, before: SessionState['agents'], after: SessionState['agents']): boolean {
  const isIt = ({ agent }: AgentState) => agent.id === event.agent_id && agent.kind !== 'main';
  return after.some(isIt) && !before.some(isIt);
}

const REPEATED_WITHIN_MS = 1_000;

/** A hook that is installed in several places of one agent is fired once for each. */
function isRepeated(before: Session, event: AgentEvent): boolean {
  if (before.phase !== 'interactable' || before.phaseSince === null) return false;
  if (before.lastReply === null || before.lastReply !== replyIn(event)) return false;
  return Date.parse(event.ts) - Date.parse(before.phaseSince) < REPEATED_WITHIN_MS;
}

interface Told {
  readonly joined: boolean;
  readonly failed: boolean;
  readonly repeated: boolean;
  readonly newCall: boolean;
  /** No hook has come yet. */
  readonly hookless: boolean;
  /** A prompt that no hook told of. */
  readonly found: boolean;
  /** The reply of this turn has been counted. */
  readonly foundReply: boolean;
}

function counted(
  before: Session['counts'],
  event: AgentEvent,
  { joined, failed, repeated, newCall, hookless, found, foundReply }: Told,
): Session['counts'] {
  const counts = {
    ...before,
    subagents: before.subagents + (joined ? 1 : 0),
    toolCalls: before.toolCalls + (newCall ? 1 : 0),
    failures: before.failures + (failed ? 1 : 0),
  };
  switch (event.event_type) {
    case 'user_prompt':
      return event.payload.synthetic === true ? counts : { ...counts, prompts: counts.prompts + 1 };
    case 'turn_ended':
      return isTurnDone(event) && isMain(event) && !repeated && !foundReply
        ? { ...counts, replies: counts.replies + 1 }
        : counts;
    case 'usage_reported': {
      // Totals of the transcript, whole each time.
      const { tokens_in: tokensIn = counts.tokensIn, tokens_out: tokensOut = counts.tokensOut } = event.payload;
      const prompts = (hookless ? event.payload.prompts : undefined) ?? counts.prompts;
      return { ...counts, tokensIn, tokensOut, prompts };
    }
    case 'prompt_found':
      return found ? { ...counts, prompts: counts.prompts + 1 } : counts;
    case 'reply_found':
      return { ...counts, replies: counts.replies + 1 };
    default:
      return counts;
  }
}

/** What an event's cause says beside its call: why a turn failed or ended, or what a notification is about. */
function detailOf(event: AgentEvent): string | undefined {
  switch (event.event_type) {
    case 'compaction_started':
      return 'compacting';
    case 'notification':
      return event.payload.notification_type === 'idle_prompt' ? 'idle' : undefined;
    case 'turn_ended':
    case 'task_failed':
      return shortText(event.payload.error);
    default:
      return undefined;
  }
}

export function causeOf(event: AgentEvent): Cause {
  const { tool_name: tool, target } = callWords(event);
  const interrupted = endReason(event) === 'interrupted' ? 'interrupted' : undefined;
  return {
    event: event.event_type,
    source: event.source,
    by: event.payload.by,
    tool: shortText(tool),
    target: shortText(target),
    detail: detailOf(event) ?? interrupted,
  };
}
