import type { AgentEvent } from '../protocol/event.ts';
import { correctors, type Session } from '../protocol/state.ts';
import type { SessionState, TrailStep } from '../protocol/stored.ts';
import { causeOf } from './sessionStep.ts';
import { textIn } from './text.ts';

/** Enough to tell of the last few turns; the events themselves are all kept. */
const STEPS_KEPT = 40;

/** What led to the present state: every event that changed it, and every correction, whether it changed anything or not. */
export function stepTrail(
  trail: SessionState['trail'],
  event: AgentEvent,
  before: Session,
  after: Session,
): SessionState['trail'] {
  const correction = isCorrection(event);
  if (!correction && !changed(before, after)) return trail;
  const { tool, target, detail } = causeOf(event);
  const step: TrailStep = {
    ts: event.ts,
    event: event.event_type,
    hook: textIn(event, 'hook'),
    source: event.source,
    by: correctors.find((known) => known === event.payload['by']),
    agentId: event.agent_id,
    tool,
    target,
    detail: detail ?? textIn(event, 'notification_type'),
    from: { life: before.state, phase: before.phase },
    to: { life: after.state, phase: after.phase },
    correction,
  };
  return [...trail, step].slice(-STEPS_KEPT);
}

function changed(before: Session, after: Session): boolean {
  const isWait = after.phase === 'waiting_permission' || after.phase === 'waiting_question';
  return (
    before.state !== after.state ||
    before.phase !== after.phase ||
    (isWait && before.phaseSince !== after.phaseSince) ||
    before.phaseBecause?.failure !== after.phaseBecause?.failure
  );
}

const corrections = new Set([
  'turn_ended',
  'agent_blocked',
  'agent_unblocked',
  'agent_stopped',
  'session_ended',
  'tool_failed',
]);

/** Told by the transcript, the agent's status file or its process, because no hook did. */
function isCorrection(event: AgentEvent): boolean {
  return event.source !== 'hook' && event.payload['derived'] !== true && corrections.has(event.event_type);
}
