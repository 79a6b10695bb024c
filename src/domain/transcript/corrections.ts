import type { Severity } from '../../protocol/event.ts';
import type { Wait } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { failedCommand } from '../failedChecks.ts';
import type { EventContent } from '../observed.ts';
import type { TranscriptFact } from '../providers/transcript.ts';

/** What the hooks did not say and the transcript does. */
export type Correction = EventContent & {
  /** With the session's id it names the same thing for ever. */
  readonly key: string;
  readonly ts: string;
  readonly severity?: Severity;
};

export interface Reader {
  readonly state: SessionState | undefined;
  readonly agentId: string;
  /** The tool of a call that this transcript has shown. */
  readonly toolOf: (toolUseId: string) => string | undefined;
  /** Its hooks do not tell that a call failed. */
  readonly failsSilently: boolean;
  /** The first word of a message: its further lines stand beside the calls that it made. */
  readonly newMessage: boolean;
  readonly isMain: boolean;
  /** So recent that the hook of the same call may still be on its way. */
  readonly fresh: boolean;
}

/** STA-4, STA-3, NRM-5: the corrections that one fact gives reason for. */
export function correctionsOf(fact: TranscriptFact, reader: Reader): readonly Correction[] {
  switch (fact.kind) {
    case 'interrupted':
      return [{ key: fact.id, ts: fact.ts, type: 'turn_ended', payload: { reason: 'interrupted' } }];
    case 'turnFailed':
      return [turnFailed(fact)];
    case 'turnEnded':
      return overWithoutHook(fact.ts, reader);
    case 'toolEnded':
      return [...ended(fact, reader), ...answered(fact.ts, reader, callIdOf(fact.toolUseId, reader))];
    case 'usage':
      return reader.newMessage ? answered(fact.ts, reader) : [];
    case 'reply':
      return [...(reader.newMessage ? answered(fact.ts, reader) : []), ...begun(fact.ts, reader)];
    case 'thinking':
    case 'toolStarted':
      return begun(fact.ts, reader);
    default:
      return [];
  }
}

/** A turn that only the transcript began is ended by it too. */
function overWithoutHook(ts: string, { state, isMain }: Reader): readonly Correction[] {
  const { phase, because, since } = state?.main ?? {};
  const untold = phase === 'busy' && because?.source === 'transcript' && !!since && ts > since;
  return isMain && untold ? [{ key: `over:${since}`, ts, type: 'turn_ended', payload: { reason: 'over' } }] : [];
}

function turnFailed(fact: Extract<TranscriptFact, { kind: 'turnFailed' }>): Correction {
  const message = fact.message === undefined ? {} : { message: fact.message };
  return {
    key: fact.id,
    ts: fact.ts,
    type: 'turn_ended',
    severity: 'error',
    payload: { reason: 'failed', error: fact.error, ...message },
  };
}

function ended(fact: Extract<TranscriptFact, { kind: 'toolEnded' }>, reader: Reader): readonly Correction[] {
  const silent = fact.outcome === 'denied' || (fact.outcome === 'failed' && reader.failsSilently);
  if (!silent) return [];
  const id = callIdOf(fact.toolUseId, reader);
  // What is neither open nor known to be over has no mascot that still shows it.
  const matters = reader.fresh || isOpen(id, reader) || reader.state?.ended.some((call) => call.id === id);
  if (!matters) return [];
  return [
    {
      key: `end:${fact.toolUseId}`,
      ts: fact.ts,
      type: 'tool_failed',
      severity: 'warn',
      payload: {
        tool_name: toolNameOf(fact.toolUseId, reader),
        tool_use_id: id,
        exit_code: fact.exitCode ?? null,
        // What a command printed may be a file whose contents are never kept; the hook's own event has it, masked with its call.
        error_message: fact.outcome === 'denied' ? (fact.message ?? '') : failureIn(fact),
        ...(fact.outcome === 'denied' ? { denied: true } : failedCommand(fact)),
      },
    },
  ];
}

function isOpen(id: string, { state, agentId }: Reader): boolean {
  const agent = state?.agents.find((each) => each.agent.id === agentId);
  return agent?.openTools.some((tool) => tool.id === id) ?? false;
}

function failureIn({ exitCode }: Extract<TranscriptFact, { kind: 'toolEnded' }>): string {
  return exitCode === undefined ? 'the tool failed' : `exit code ${exitCode}`;
}

/** Some transcripts tell how a call ended and not what it was; its hooks did. */
function toolNameOf(toolUseId: string, { state, agentId, toolOf }: Reader): string {
  const open = state?.agents.find(({ agent }) => agent.id === agentId)?.openTools.find(({ id }) => id === toolUseId);
  const ended = state?.ended.find(({ id }) => id === toolUseId);
  return toolOf(toolUseId) ?? open?.activity.tool ?? ended?.tool ?? '';
}

/** Some agents give their calls an id in the transcript and none in their hooks: there it is the open call of that tool. */
function callIdOf(toolUseId: string, { state, agentId, toolOf }: Reader): string {
  const open = state?.agents.find(({ agent }) => agent.id === agentId)?.openTools ?? [];
  if (open.some(({ id }) => id === toolUseId)) return toolUseId;
  const tool = toolOf(toolUseId);
  return open.find(({ unnamed, activity }) => unnamed && activity.tool === tool)?.id ?? toolUseId;
}

/** The last words of a turn are written just before its end is told, by clocks that are one; what is later is another turn. */
const NEXT_TURN_MS = 1_000;

/** A turn that no hook told of: somebody's hook sent the agent back to work, or the hook of the prompt was lost. */
function begun(ts: string, { state, isMain }: Reader): readonly Correction[] {
  const { phase, since } = state?.main ?? {};
  const rests = phase === 'interactable' || phase === 'waiting_question';
  if (!isMain || !rests || !since || Date.parse(ts) <= Date.parse(since) + NEXT_TURN_MS) return [];
  return [{ key: `works:${since}`, ts, type: 'model_called', payload: {} }];
}

/** A call's line is written when the model has ended its message, its hooks run at the same moment: that is no answer yet. */
const SAME_MOMENT_MS = 250;

/** An answer given in the terminal fires no hook: the agent goes on, and its transcript shows it. */
function answered(ts: string, { state, agentId }: Reader, toolUseId?: string): readonly Correction[] {
  const wait = state?.agents.find(({ agent }) => agent.id === agentId)?.agent.wait;
  // STA-7: a call beside the one that waits answers nothing.
  if (!wait || (toolUseId !== undefined && toolUseId !== wait.toolUseId)) return [];
  return answerTo(wait, agentId, ts);
}

/** The answer to a wait by something that the agent did at `ts`, if that was after it asked. */
export function answerTo(wait: Wait, agentId: string, ts: string): readonly Correction[] {
  if (Date.parse(ts) <= Date.parse(wait.since) + SAME_MOMENT_MS) return [];
  return [{ key: `answer:${agentId}:${wait.since}`, ts, type: 'agent_unblocked', payload: { answer: 'activity' } }];
}
