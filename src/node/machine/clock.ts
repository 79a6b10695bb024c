import type { Clock } from '../../app/ports.ts';

/** `setTimeout` keeps 32 bits of milliseconds; what is due later is asked for again by its caller. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, LONGEST_MS)).unref();
    return { dispose: () => clearTimeout(timer) };
  },
};
