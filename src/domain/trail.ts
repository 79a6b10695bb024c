import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState, TrailStep } from '../protocol/stored.ts';
import { causeOf } from './sessionStep.ts';
import { shortText } from './text.ts';

/** Enough to tell of the last few turns; the events themselves are all kept. */
const STEPS_KEPT = 40;

type Stepped = Pick<SessionState, 'session' | 'main' | 'agents'>;

/** What led to the present state: every event that changed it, and every correction, whether it changed anything or not. */
export function stepTrail(
  { trail, session: before, main, agents }: SessionState,
  after: Stepped,
  event: AgentEvent,
): SessionState['trail'] {
  const correction = isCorrection(event);
  if (!correction && !changed({ session: before, main, agents }, after)) return trail;
  const { tool, target, detail } = causeOf(event);
  const step: TrailStep = {
    ts: event.ts,
    event: event.event_type,
    hook: shortText(event.payload.hook),
    source: event.source,
    by: event.payload.by,
    agentId: event.agent_id,
    tool,
    target,
    detail: detail ?? (event.event_type === 'notification' ? shortText(event.payload.notification_type) : undefined),
    from: { life: before.state, phase: before.phase },
    to: { life: after.session.state, phase: after.session.phase },
    correction,
  };
  return [...trail, step].slice(-STEPS_KEPT);
}

/** Also what does not show now: the turn may end behind somebody's open request. */
function changed(before: Stepped, after: Stepped): boolean {
  return (
    before.session.state !== after.session.state ||
    before.session.phase !== after.session.phase ||
    before.session.phaseSince !== after.session.phaseSince ||
    before.main.phase !== after.main.phase ||
    before.main.since !== after.main.since ||
    before.main.because?.failure !== after.main.because?.failure ||
    waitsOf(before) !== waitsOf(after)
  );
}

function waitsOf({ agents }: Stepped): string {
  return agents.flatMap(({ agent }) => (agent.wait === null ? [] : [`${agent.id} ${agent.wait.since}`])).join('\n');
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
  const isRecord = event.event_type === 'agent_unblocked' && event.payload.derived === true;
  return event.source !== 'hook' && !isRecord && corrections.has(event.event_type);
}
