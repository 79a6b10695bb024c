import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import type { ProcessRef } from '../sourcePorts.ts';
import { isHere } from './here.ts';
import { after, record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** SES-4 allows 5 s from an agent's death to a session that is no longer active. */
const EVERY_MS = 2_000;

/** Sessions that are not known yet may have a status already; not thousands of them. */
const LEARNT_MAX = 500;

export interface LifeWatch extends Disposable {
  /** One look at all processes; resolves when what it found is part of the state. */
  check(): Promise<void>;
  /** The agent's own status file tells its process, also where no hook did. */
  learn(sessionId: string, process: ProcessRef): void;
  forget(sessionId: string): void;
}

/** SES-4: no phantoms. A session whose process is gone without a word is over. */
export function watchLife(parts: WatchingParts): LifeWatch {
  const { hub, clock, sources } = parts;
  const learnt = new Map<string, ProcessRef>();
  let timer: Disposable | undefined;
  let stopped = false;

  async function check(): Promise<void> {
    const living = hub
      .sessionIds()
      .map((id) => hub.state(id))
      .filter((state) => state !== undefined)
      .filter((state) => lives(state) && isHere(state.session, sources.processes));
    const known = living.flatMap((state) => {
      const process = processOf(state);
      return process ? [{ state, process }] : [];
    });
    if (known.length === 0) return;
    const gone = await sources.processes.gone(known.map(({ process }) => process));
    for (const [index, { state, process }] of known.entries()) {
      if (gone[index]) tellGone(state.session.id, process);
    }
  }

  function tellGone(sessionId: string, process: ProcessRef): void {
    const state = hub.state(sessionId);
    // It may have been resumed by another process while we looked.
    if (!state || !lives(state) || processOf(state)?.pid !== process.pid) return;
    record(parts, state, [
      {
        key: `gone:${process.pid}:${process.startedAt ?? ''}:${state.last.id}`,
        ts: after(state, clock.now()),
        source: 'synthetic',
        type: 'agent_stopped',
        payload: { reason: 'process_gone', by: 'process' },
        severity: 'warn',
      },
    ]);
  }

  function processOf({ session }: SessionState): ProcessRef | undefined {
    const own = learnt.get(session.id);
    if (session.agentPid === undefined || own?.pid === session.agentPid) return own ?? fromHooks(session);
    return fromHooks(session);
  }

  function schedule(): void {
    timer = clock.after(EVERY_MS, () => {
      void check()
        .catch((error: unknown) => parts.log.warn(`Processes could not be looked at: ${String(error)}`))
        .finally(() => {
          if (!stopped) schedule();
        });
    });
  }

  schedule();
  return {
    check,
    learn(sessionId, process) {
      learnt.delete(sessionId);
      learnt.set(sessionId, process);
      const oldest = learnt.size > LEARNT_MAX ? learnt.keys().next().value : undefined;
      if (oldest !== undefined) learnt.delete(oldest);
    },
    forget: (sessionId) => void learnt.delete(sessionId),
    dispose() {
      stopped = true;
      timer?.dispose();
    },
  };
}

function fromHooks(session: SessionState['session']): ProcessRef | undefined {
  const { agentPid: pid, agentStartedAt: startedAt } = session;
  // A session that is not known to run here may have its pid from anywhere.
  return pid === undefined || pid === 0 || session.host === undefined ? undefined : { pid, startedAt };
}

function lives({ session }: SessionState): boolean {
  return session.state === 'active' || session.state === 'idle';
}
