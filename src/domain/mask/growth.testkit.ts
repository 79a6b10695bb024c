import type { JsonObject } from '../../protocol/json.ts';
import { maskPayloadInTurns } from './mask.ts';

/** Processor time of this thread: unlike the clock, it does not grow with what else the machine does. */
function longestStepMs(payload: JsonObject): number {
  const steps = maskPayloadInTurns(payload);
  let longest = 0;
  for (;;) {
    const began = process.threadCpuUsage();
    const { done } = steps.next();
    const { user, system } = process.threadCpuUsage(began);
    longest = Math.max(longest, (user + system) / 1000);
    if (done) return longest;
  }
}

function leastOf(runs: number, payload: JsonObject): number {
  return Math.min(...Array.from({ length: runs }, () => longestStepMs(payload)));
}

/** Below some milliseconds compiling and collecting weigh more than the work. */
const UNIT_MS = 4;

/** How often the longest step of a payload that is known to be harmless goes into that of another. */
export function timesAsLong(payload: JsonObject, harmless: JsonObject): number {
  const unit = Math.max(leastOf(4, harmless), UNIT_MS);
  return leastOf(3, payload) / unit;
}
