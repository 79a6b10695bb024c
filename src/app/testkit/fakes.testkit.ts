import type { Sources } from '../watch/watchParts.ts';
import type { ServerFrame } from '../../protocol/wire.ts';
import type { PipelineParts } from '../pipeline.ts';
import type {
  Claim,
  Claims,
  Clock,
  Connected,
  LinkEnd,
  LinkHandlers,
  Log,
  OwnerLinks,
  StateChange,
  StateSource,
} from '../ports.ts';

export interface FakeClock extends Clock {
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void;
  /** Time passes and nothing runs, as when the machine sleeps; what fell due meanwhile waits. */
  sleep(ms: number): void;
  /** Sets the clock forward or, with a negative number, back; no time passes. */
  set(byMs: number): void;
  pending(): number;
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let passed = 0;
  let setTo = start;
  let due: { at: number; call: () => void }[] = [];
  return {
    now: () => setTo + passed,
    monotonic: () => passed,
    after(ms, call) {
      const entry = { at: passed + ms, call };
      due.push(entry);
      return { dispose: () => void (due = due.filter((other) => other !== entry)) };
    },
    advance(ms) {
      const end = passed + ms;
      for (;;) {
        const next = due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (!next) break;
        due = due.filter((other) => other !== next);
        passed = Math.max(passed, next.at);
        next.call();
      }
      passed = end;
    },
    sleep: (ms) => void (passed += ms),
    set: (byMs) => void (setTo += byMs),
    pending: () => due.length,
  };
}

/** A machine on which nothing but hooks is ever seen. */
export function noSources(): Sources {
  const nothing = { dispose: () => undefined };
  return {
    tails: { follow: () => nothing, tail: () => Promise.resolve([]), size: () => Promise.resolve(0) },
    folders: { watch: () => nothing },
    processes: { gone: (ids) => Promise.resolve(ids.map(() => false)), host: 'here', pidNamespace: undefined },
    sessionFiles: { watch: () => nothing },
    roots: [],
  };
}

/** Of the pipeline's parts those that take something away: here nothing is. */
export function keepsAll(): Pick<PipelineParts, 'leftOut' | 'unlogging' | 'tracking' | 'time' | 'contextBudget'> {
  return {
    time: { arriving: () => Promise.resolve() },
    contextBudget: () => 0,
    tracking: {
      bound: (event) => event,
      touching: () => undefined,
      noted: (event) => event,
      remade: () => () => ({ save: [] }),
    },
    leftOut: { leavesOut: () => undefined },
    unlogging: { kept: (events) => events, overtaken: () => ({ events: [], state: undefined }) },
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

export interface FakeClaims extends Claims {
  holder(): Claim | undefined;
  /** The holder dies without a word. */
  seize(): void;
  /** How often the holder has touched its claim. */
  touches(): number;
  /** The holder's process is one of another table. */
  elsewhere: boolean;
}

/** A claim desk for several windows of one test: whoever asks first has it until it is released. */
export function fakeClaims(): FakeClaims {
  let holder: Claim | undefined;
  let generation = 0;
  let touches = 0;
  const look = () => holder && { instance: holder.instance, touched: String(touches), elsewhere: claims.elsewhere };
  const claims: FakeClaims = {
    holder: () => holder,
    seize: () => void (holder = undefined),
    touches: () => touches,
    elsewhere: false,
    look: () => Promise.resolve(look()),
    take(hung) {
      const now = look();
      if (now && (hung?.instance !== now.instance || hung.touched !== now.touched)) return Promise.resolve(undefined);
      generation++;
      const claim: Claim = {
        instance: `instance-${generation}`,
        generation,
        home: 'home',
        pid: 1,
        startedAt: '2026-01-01T00:00:00.000Z',
        holds: () => Promise.resolve(holder === claim),
        touch: () => Promise.resolve(void (holder === claim && touches++)),
        release: () => {
          if (holder === claim) holder = undefined;
          return Promise.resolve();
        },
      };
      holder = claim;
      return Promise.resolve(claim);
    },
  };
  return claims;
}

/** A wire that the test itself feeds; one end of it for each window that follows. */
export interface FakeLinks extends OwnerLinks {
  send(frame: ServerFrame): void;
  close(why?: LinkEnd): void;
  resyncs(): number;
  pings(): number;
  /** Whether the owner answers to pings. */
  answers: boolean;
  /** Without a stream: what is there instead. */
  instead: Exclude<Connected, object> | undefined;
  connects(): number;
}

export function fakeLinks(): FakeLinks {
  const ends = new Set<LinkHandlers>();
  let resyncs = 0;
  let pings = 0;
  let connects = 0;
  const links: FakeLinks = {
    answers: true,
    instead: undefined,
    send: (frame) => ends.forEach((end) => end.onFrame(frame)),
    close(why = 'gone') {
      const closed = [...ends];
      ends.clear();
      closed.forEach((end) => end.onClosed(why));
    },
    resyncs: () => resyncs,
    pings: () => pings,
    connects: () => connects,
    connect(given) {
      connects++;
      if (links.instead) return Promise.resolve(links.instead);
      ends.add(given);
      return Promise.resolve({
        resync: () => void resyncs++,
        ping: () => {
          pings++;
          if (links.answers && ends.has(given)) given.onSign();
        },
        explain: () => Promise.resolve(undefined),
        dispose: () => void ends.delete(given),
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
