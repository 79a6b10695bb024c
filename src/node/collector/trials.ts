import type { Pipeline } from '../../app/ports.ts';
import type { HookEnvelope } from '../../protocol/hook.ts';
import { TRIAL_EVENT, TRIAL_FIELD } from '../../protocol/handOver.ts';

/** A doctor looks at once for the few that it sent. */
const KEPT = 100;

/** HKI-5: what the doctor sent through an installed command, and how long it was on its way. */
export interface Trials {
  note(id: string, ms: number): void;
  /** Milliseconds; undefined when it has not come. */
  arrived(id: string): number | undefined;
}

export function createTrials(): Trials {
  const times = new Map<string, number>();
  return {
    note(id, ms) {
      if (times.has(id)) return;
      times.set(id, ms);
      const [oldest] = times.keys();
      if (times.size > KEPT && oldest !== undefined) times.delete(oldest);
    },
    arrived: (id) => times.get(id),
  };
}

/** A trial ends here: it is no event of any session. */
export function settingTrialsAside(
  pipeline: Pick<Pipeline, 'ingest'>,
  trials: Pick<Trials, 'note'>,
  now: () => number,
): Pick<Pipeline, 'ingest'> {
  return {
    ingest(hook, isLive, asOf) {
      if (hook.name !== TRIAL_EVENT) return pipeline.ingest(hook, isLive, asOf);
      const id = trialId(hook);
      if (id !== undefined) trials.note(id, Math.max(0, now() - Date.parse(hook.meta.collected_at ?? '') || 0));
      return Promise.resolve({ id: '', duplicate: false });
    },
  };
}

function trialId({ raw }: HookEnvelope): string | undefined {
  const id = raw[TRIAL_FIELD];
  return typeof id === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(id) ? id : undefined;
}
