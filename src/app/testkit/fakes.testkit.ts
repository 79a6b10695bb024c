import type { Sources } from '../watch/watchParts.ts';
import type { ServerFrame } from '../../protocol/wire.ts';
import type { Claim, Claims, Clock, LinkHandlers, Log, OwnerLinks, StateChange, StateSource } from '../ports.ts';

export interface FakeClock extends Clock {
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void;
  pending(): number;
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  let due: { at: number; call: () => void }[] = [];
  return {
    now: () => now,
    after(ms, call) {
      const entry = { at: now + ms, call };
      due.push(entry);
      return { dispose: () => void (due = due.filter((other) => other !== entry)) };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        due = due.filter((other) => other !== next);
        now = next.at;
        next.call();
      }
      now = end;
    },
    pending: () => due.length,
  };
}

/** A machine on which nothing but hooks is ever seen. */
export function noSources(): Sources {
  const nothing = { dispose: () => undefined };
  return {
    tails: { follow: () => nothing, tail: () => Promise.resolve([]) },
    folders: { watch: () => nothing },
    processes: { gone: (ids) => Promise.resolve(ids.map(() => false)), host: 'here', pidNamespace: undefined },
    sessionFiles: { watch: () => nothing },
    roots: [],
  };
}

export const IDLE_MS = 15 * 60_000;

export interface LogLines extends Log {
  readonly lines: string[];
}

export function logLines(): LogLines {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A claim desk for several windows of one test: whoever asks first has it until it is released. */
export function fakeClaims(): Claims & { holder(): Claim | undefined; seize(): void } {
  let holder: Claim | undefined;
  let generation = 0;
  return {
    holder: () => holder,
    /** The holder dies without a word. */
    seize: () => void (holder = undefined),
    take() {
      if (holder) return Promise.resolve(undefined);
      generation++;
      const claim: Claim = {
        instance: `instance-${generation}`,
        generation,
        pid: 1,
        startedAt: '2026-01-01T00:00:00.000Z',
        holds: () => Promise.resolve(holder === claim),
        release: () => {
          if (holder === claim) holder = undefined;
          return Promise.resolve();
        },
      };
      holder = claim;
      return Promise.resolve(claim);
    },
  };
}

/** A wire that the test itself feeds. */
export function fakeLinks(): OwnerLinks & {
  send(frame: ServerFrame): void;
  close(): void;
  resyncs(): number;
  up: boolean;
} {
  let handlers: LinkHandlers | undefined;
  let resyncs = 0;
  const links = {
    up: true,
    send: (frame: ServerFrame) => handlers?.onFrame(frame),
    close: () => handlers?.onClosed(),
    resyncs: () => resyncs,
    connect(given: LinkHandlers) {
      if (!links.up) return Promise.resolve(undefined);
      handlers = given;
      return Promise.resolve({
        resync: () => void resyncs++,
        explain: () => Promise.resolve(undefined),
        dispose: () => void (handlers = undefined),
      });
    },
  };
  return links;
}

/** Everything a source tells, and a way to wait for the next of it. */
export function recordChanges(source: Pick<StateSource, 'onChange'>) {
  const changes: StateChange[] = [];
  let wake: (() => void) | undefined;
  source.onChange((change) => {
    changes.push(change);
    wake?.();
  });
  return {
    changes,
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}
