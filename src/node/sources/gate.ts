import path from 'node:path';
import type { Log } from '../../app/ports.ts';

/** Of the four threads that all file calls of this process share, the journal's among them. */
const SLOTS = 2;

/** A call that takes longer lets another one run beside it. */
const SLOW_MS = 100;

/** A call that takes longer hangs: whoever waits for it goes on without. */
const DEADLINE_MS = 2_000;

/** Calls `then` after that time, unless it is told not to. */
export type After = (ms: number, then: () => void) => () => void;

const afterTimeout: After = (ms, then) => {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
};

/** Folders that answered, the latest of them. */
const ANSWERED_MAX = 5_000;

/** A session's own folder, and that of its sub-agents below it, are as good as the project's. */
const LEVELS_TRUSTED = 2;

/** The disk does not answer for this path now. Nothing is said of what is there. */
export class SetAside extends Error {}

/** For what may fail: undefined, unless the disk only did not answer. */
export function unlessSetAside(error: unknown): undefined {
  if (error instanceof SetAside) throw error;
  return undefined;
}

export interface Gate {
  /** Rejects with SetAside when the disk does not answer; what the call brings after that goes to `discard`. */
  run<T>(folder: string, call: () => Promise<T>, discard?: (late: T) => void): Promise<T>;
  /** Told whenever a call that hung has returned: what was set aside is worth another look. */
  onBack(listener: () => void): void;
}

interface Call {
  readonly folder: string;
  begin(): Promise<void>;
  setAside(): void;
  slow: boolean;
  hangs: boolean;
}

/**
 * A call that hangs holds its thread until the disk answers. So calls go one at a time, and a second one goes beside a slow
 * one only where the disk is known to answer: a folder seen for the first time may lie on the disk that just failed. If that
 * one hangs as well, no more calls are made until one returns.
 */
export function createGate(log: Log, after: After = afterTimeout): Gate {
  const waiting = new Set<Call>();
  const running = new Set<Call>();
  const answered = new Set<string>();
  const listeners: (() => void)[] = [];
  let told = false;

  function isTrusted(folder: string): boolean {
    let above = folder;
    for (let level = 0; level <= LEVELS_TRUSTED; level++) {
      if (answered.has(above)) return true;
      above = path.dirname(above);
    }
    return false;
  }

  function isFarFrom(folder: string, slow: Call): boolean {
    return isTrusted(folder) && !isWithin(folder, slow.folder);
  }

  function mayBegin(folder: string): boolean {
    if (running.size >= SLOTS) return false;
    return [...running].every((call) => call.slow && isFarFrom(folder, call));
  }

  function isHopeless(folder: string): boolean {
    const hanging = [...running].filter(({ hangs }) => hangs);
    return hanging.length === SLOTS || hanging.some((call) => !isFarFrom(folder, call));
  }

  function admit(): void {
    for (const call of waiting) {
      if (running.size >= SLOTS || [...running].some(({ slow }) => !slow)) return;
      if (!mayBegin(call.folder)) continue;
      waiting.delete(call);
      void carryOut(call);
    }
  }

  async function carryOut(call: Call): Promise<void> {
    running.add(call);
    let stopTimer = after(SLOW_MS, () => {
      call.slow = true;
      stopTimer = after(DEADLINE_MS - SLOW_MS, () => giveUp(call));
      admit();
    });
    await call.begin();
    stopTimer();
    running.delete(call);
    trust(call.folder);
    admit();
    if (call.hangs) listeners.forEach((listener) => listener());
  }

  function giveUp(call: Call): void {
    call.hangs = true;
    call.setAside();
    for (const other of waiting) {
      if (!isHopeless(other.folder)) continue;
      waiting.delete(other);
      other.setAside();
    }
    const hanging = [...running].filter(({ hangs }) => hangs);
    if (hanging.length < SLOTS || told) return;
    told = true;
    const folders = hanging.map(({ folder }) => folder).join(', ');
    log.warn(`The disk does not answer (${folders}); transcripts and status files are not read until it does.`);
  }

  function trust(folder: string): void {
    answered.delete(folder);
    answered.add(folder);
    const [oldest] = answered;
    if (oldest !== undefined && answered.size > ANSWERED_MAX) answered.delete(oldest);
  }

  return {
    run(folder, call, discard) {
      if (isHopeless(folder)) return Promise.reject(new SetAside());
      return new Promise((resolve, reject) => {
        const one: Call = {
          folder,
          slow: false,
          hangs: false,
          setAside: () => reject(new SetAside()),
          async begin() {
            try {
              const brought = await call();
              if (one.hangs) discard?.(brought);
              else resolve(brought);
            } catch (error) {
              reject(error);
            }
          },
        };
        waiting.add(one);
        admit();
      });
    },
    onBack: (listener) => void listeners.push(listener),
  };
}

function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(other.endsWith(path.sep) ? other : other + path.sep);
}
