import type { Observation } from '../../domain/observed.ts';
import type { Clock, Disposable, Log, Pipeline } from '../ports.ts';

/** A full disk is made room on, or not for hours: what was found is tried again, and given up in the end. */
const AGAIN_MS = 5_000;
const TRIES_MAX = 60;

/** More waits only while nothing can be stored at all; then the newest matter most. */
const WAITING_MAX = 500;

export interface Outbox extends Disposable {
  /** `asOf`: `Pipeline.erasures()` when this was read; default: now. */
  send(observations: readonly Observation[], asOf?: number): void;
}

interface Unsent {
  readonly observation: Observation;
  readonly asOf: number;
}

/** Observations on their way into the store: nobody sends them a second time, as a forwarder sends its hook. */
export function createOutbox({
  pipeline,
  clock,
  log,
}: {
  readonly pipeline: Pick<Pipeline, 'record' | 'erasures'>;
  readonly clock: Clock;
  readonly log: Log;
}): Outbox {
  let waiting: readonly Unsent[] = [];
  let timer: Disposable | undefined;
  let tries = 0;

  function send(observations: readonly Observation[], asOf = pipeline.erasures()): void {
    pipeline.record(observations, asOf).then(
      () => {
        tries = 0;
      },
      (error: unknown) => {
        if (waiting.length === 0)
          log.warn(`What was observed could not be stored and is tried again: ${String(error)}`);
        waiting = [...waiting, ...observations.map((observation) => ({ observation, asOf }))].slice(-WAITING_MAX);
        timer ??= clock.after(AGAIN_MS, again);
      },
    );
  }

  function again(): void {
    timer = undefined;
    const all = waiting;
    waiting = [];
    if (++tries > TRIES_MAX) return;
    for (const asOf of new Set(all.map((each) => each.asOf)))
      send(
        all.filter((each) => each.asOf === asOf).map(({ observation }) => observation),
        asOf,
      );
  }

  return { send, dispose: () => timer?.dispose() };
}
