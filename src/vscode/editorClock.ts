import type { Clock } from '../app/ports.ts';

/** Views take their time from here, tests from a clock that they wind themselves. */
export const editorClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
