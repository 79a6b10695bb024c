import type { JsonObject } from '../../protocol/json.ts';
import { maskPayloadInTurns } from './mask.ts';

/** Processor time of this thread: unlike the clock, it does not grow with what else the machine does. */
function stepsMs(payload: JsonObject): readonly number[] {
  const steps = maskPayloadInTurns(payload);
  const times: number[] = [];
  for (;;) {
    const began = process.threadCpuUsage();
    const { done } = steps.next();
    const { user, system } = process.threadCpuUsage(began);
    times.push((user + system) / 1000);
    if (done) return times;
  }
}

/** Each step at its quickest: caches are shared with what else the machine does, and garbage is collected in another step each time. */
function longestOf(runs: readonly (readonly number[])[]): number {
  return Math.max(...(runs[0] ?? []).map((_, step) => Math.min(...runs.map((run) => run[step] ?? Infinity))));
}

const ROUNDS = 4;

/** Below some milliseconds compiling and collecting weigh more than the work. */
const UNIT_MS = 4;

/** How often the longest step of a payload that is known to be harmless goes into that of another. */
export function timesAsLong(payload: JsonObject, harmless: JsonObject): number {
  // By turns, so that a busy moment of the machine meets both.
  const rounds = Array.from({ length: ROUNDS }, () => [stepsMs(harmless), stepsMs(payload)] as const);
  const unit = Math.max(longestOf(rounds.map(([times]) => times)), UNIT_MS);
  return longestOf(rounds.map(([, times]) => times)) / unit;
}
