import type { Session } from '../../protocol/state.ts';
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
const PROCESSES_MAX = 4;

export interface LifeWatch extends Disposable {
  /** One look at all processes; resolves when what it found is part of the state. */
  check(): Promise<void>;
  /** The agent's own status file tells its process, also where no hook did. */
  learn(sessionId: string, process: ProcessRef): void;
  /** The sessions that this process has been learnt for. */
  runBy(process: ProcessRef): readonly string[];
  forget(sessionId: string): void;
  /** Whether another process than this one is known to run it. */
  runsElsewhere(sessionId: string, pid: number): boolean;
}

/** SES-4: no phantoms. A session whose process is gone without a word is over. */
export function watchLife(parts: WatchingParts, onAlive: (sessionId: string) => void): LifeWatch {
  const { hub, clock, sources } = parts;
  const learnt = new Map<string, readonly ProcessRef[]>();
  let timer: Disposable | undefined;
  let stopped = false;

  async function check(): Promise<void> {
    const living = hub
      .sessionIds()
      .map((id) => hub.state(id))
      .filter((state) => state !== undefined)
      .filter((state) => lives(state) && isHere(state.session, sources.processes))
      .map(({ session }) => ({ id: session.id, processes: processesOf(session) }))
      .filter(({ processes }) => processes.length > 0);
    if (living.length === 0) return;
    const gone = await sources.processes.gone(living.flatMap(({ processes }) => processes));
    let at = 0;
    for (const { id, processes } of living) {
      const dead = gone.slice(at, (at += processes.length));
      // It may go on in a second process, resumed there before the first one ended.
      if (dead.every(Boolean)) tellGone(id, processes);
      else onAlive(id);
    }
  }

  function tellGone(sessionId: string, processes: readonly ProcessRef[]): void {
    const state = hub.state(sessionId);
    // It may have been resumed by another process while we looked.
    if (!state || !lives(state) || pidsOf(processesOf(state.session)) !== pidsOf(processes)) return;
    record(parts, state, [
      {
        key: `gone:${pidsOf(processes)}:${state.last.id}`,
        ts: after(state, clock.now()),
        source: 'synthetic',
        type: 'agent_stopped',
        payload: { reason: 'process_gone', by: 'process' },
        severity: 'warn',
      },
    ]);
  }

  function processesOf(session: Session): readonly ProcessRef[] {
    const told = learnt.get(session.id) ?? [];
    const own = fromHooks(session);
    return own && !told.some(({ pid }) => pid === own.pid) ? [...told, own] : told;
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
      // One process runs one session at a time.
      for (const [id, all] of learnt) {
        if (id === sessionId) continue;
        const rest = all.filter((each) => each.pid !== process.pid || each.startTicks !== process.startTicks);
        if (rest.length < all.length) learnt.set(id, rest);
      }
      const others = (learnt.get(sessionId) ?? []).filter(({ pid }) => pid !== process.pid);
      learnt.delete(sessionId);
      learnt.set(sessionId, [...others, process].slice(-PROCESSES_MAX));
      const oldest = learnt.size > LEARNT_MAX ? learnt.keys().next().value : undefined;
      if (oldest !== undefined) learnt.delete(oldest);
    },
    runBy: ({ pid, startTicks }) =>
      [...learnt]
        .filter(([, all]) => all.some((each) => each.pid === pid && each.startTicks === startTicks))
        .map(([id]) => id),
    runsElsewhere(sessionId, pid) {
      const state = hub.state(sessionId);
      return state !== undefined && processesOf(state.session).some((each) => each.pid !== pid);
    },
    forget: (sessionId) => void learnt.delete(sessionId),
    dispose() {
      stopped = true;
      timer?.dispose();
    },
  };
}

function pidsOf(processes: readonly ProcessRef[]): string {
  return processes.map(({ pid, startedAt, startTicks }) => `${pid}/${startTicks ?? startedAt ?? ''}`).join();
}

function fromHooks(session: Session): ProcessRef | undefined {
  const { agentPid: pid, agentStartedAt: startedAt } = session;
  // A session that is not known to run here may have its pid from anywhere.
  return pid === undefined || pid === 0 || session.host === undefined ? undefined : { pid, startedAt };
}

function lives({ session }: SessionState): boolean {
  return session.state === 'active' || session.state === 'idle';
}
