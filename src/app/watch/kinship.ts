import { compareText } from '../../domain/order.ts';
import type { Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Found } from './record.ts';

/** `/clear` ends one session and starts the next at once. */
const AT_ONCE_MS = 5_000;

/** `replaced`: its end was not told, but its process runs the next one. */
const clears = new Set(['clear', 'replaced']);

/** NRM-6: the session that this one goes on from after `/clear`, and what its main agent looked like. */
export function continuation(state: SessionState, others: readonly SessionState[]): Found | undefined {
  const { session } = state;
  if (session.source !== 'clear' || session.continues !== undefined) return undefined;
  const before = others
    .filter((other) => other.session.id !== session.id && goesOnAs(other.session, session))
    .toSorted((a, b) => compareText(b.session.endedAt ?? '', a.session.endedAt ?? ''))[0];
  const main = before?.agents.find(({ agent }) => agent.kind === 'main')?.agent;
  if (!before || !main) return undefined;
  return {
    key: 'continues',
    ts: state.last.ts,
    source: 'synthetic',
    type: 'session_continued',
    severity: 'debug',
    payload: { session: before.session.id, seed: main.avatarSeed, name: main.name },
  };
}

function goesOnAs(before: Session, after: Session): boolean {
  if (before.provider !== after.provider || !clears.has(before.endReason ?? '') || before.endedAt === undefined)
    return false;
  if (Math.abs(Date.parse(before.endedAt) - Date.parse(after.startedAt)) > AT_ONCE_MS) return false;
  if (before.agentPid !== undefined && after.agentPid !== undefined) return before.agentPid === after.agentPid;
  return before.cwd === after.cwd && before.tty === after.tty;
}
