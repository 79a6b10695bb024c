import { mayPass, type SinkTroubleKind } from '../../domain/postgres/trouble.ts';
import { waitsForPerson } from '../../domain/selectors.ts';
import type { Breather, Disposable } from '../ports.ts';
import { Copier, type CopierParts } from './copier.ts';
import { SinkTrouble, type SinkStanding, type TeamConnection, type TeamDatabase } from './sinkPorts.ts';

export interface CopyingParts extends Omit<CopierParts, 'breathe' | 'onPushed' | 'isOver'> {
  readonly database: TeamDatabase;
  readonly breather: Breather;
  /** From 0 to 1: machines that lost their server together do not come back together. */
  readonly random: () => number;
  readonly onStanding: (standing: SinkStanding) => void;
}

/** What comes within this time goes in one transaction. */
const GATHER_MS = 2_000;
/** A team's server has few connections to give. */
const IDLE_MS = 60_000;
/** Shorter than the time after which nobody believes any more that somebody waits there. */
const SIGN_OF_LIFE_MS = 4 * 60_000;

/** Often enough for whoever watches a backlog go. */
const TELL_MS = 1_000;

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;
/** As long as a server takes to start again, it is asked this often. */
const SOON_MS = 15_000;
const SOON_FOR_MS = 10 * 60_000;

/** SNK-1: one loop and one connection. Whatever fails, the store has it, and it is tried again later. */
export function startCopying(parts: CopyingParts): { close(): Promise<void> } {
  const { source, clock, log, database } = parts;
  const copier = new Copier({ ...parts, breathe: parts.breather(), onPushed: tellIfDue, isOver: () => closed });
  let closed = false;
  let connection: TeamConnection | undefined;
  let failures = 0;
  let since = 0;
  let toldAt = 0;
  let wake: (() => void) | undefined;
  const listening: readonly Disposable[] = [
    source.onCommitted(() => wake?.()),
    source.onChange((change) => {
      if (change.type === 'patch') for (const { id } of change.patch.sessions) copier.touch(id);
      wake?.();
    }),
  ];

  /** Ends when there is news, or after this time. */
  function newsWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(ms, done);
      function done(): void {
        timer.dispose();
        wake = undefined;
        resolve();
      }
      wake = done;
      if (closed || copier.hasWork()) done();
    });
  }

  /** Ends early only when there is nothing to wait for any more. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(ms, resolve);
      stopPause = () => {
        timer.dispose();
        resolve();
      };
      if (closed) stopPause();
    });
  }
  let stopPause = (): void => undefined;

  function somebodyWaits(): boolean {
    return source.snapshot().sessions.some(waitsForPerson);
  }

  /** Whoever closed it has told already that it is off. */
  function tell(standing: SinkStanding): void {
    if (!closed) parts.onStanding(standing);
  }

  function tellCopying(): void {
    toldAt = clock.now();
    tell({ kind: 'copying', behind: copier.backlog() });
  }

  function tellIfDue(): void {
    if (clock.now() - toldAt >= TELL_MS) tellCopying();
  }

  async function serve(to: TeamConnection): Promise<void> {
    let quietSince = clock.now();
    for (;;) {
      if (closed) return;
      if (copier.hasWork()) {
        tellCopying();
        if (await copier.flush(to)) quietSince = clock.now();
      }
      failures = 0;
      if (closed) return;
      if (!copier.hasWork()) tell({ kind: 'upToDate', at: clock.now() });
      await newsWithin(IDLE_MS);
      if (!copier.hasWork() && clock.now() - quietSince >= IDLE_MS) return;
      await pause(GATHER_MS);
    }
  }

  /** Whoever waits is seen to wait only as long as the machine gives signs of life. */
  async function untilNeeded(): Promise<void> {
    const from = clock.now();
    while (!closed && !copier.hasWork()) {
      await newsWithin(SIGN_OF_LIFE_MS);
      if (clock.now() - from >= SIGN_OF_LIFE_MS && somebodyWaits()) return;
    }
  }

  async function once(): Promise<void> {
    try {
      connection = await database.connect();
      if (closed) return;
      await copier.begin(connection);
      await connection.join();
      if (somebodyWaits()) await connection.push({ rows: {}, gone: {} });
      await serve(connection);
    } finally {
      const ended = connection;
      connection = undefined;
      await ended?.close();
    }
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        await once();
        await untilNeeded();
      } catch (error) {
        if (closed) return;
        await failed(error);
      }
    }
  }

  async function failed(error: unknown): Promise<void> {
    const trouble = error instanceof SinkTrouble ? error : new SinkTrouble('other', String(error));
    if (failures === 0) since = clock.now();
    failures++;
    const wait = waitAfter(failures, clock.now() - since, trouble.kind) * (0.5 + parts.random() / 2);
    const behind = copier.backlog();
    tell({ kind: 'trouble', trouble: trouble.kind, detail: trouble.message, since, behind });
    log[failures === 1 ? 'warn' : 'debug'](`The team's database (${trouble.kind}): ${trouble.message}`);
    await pause(wait);
  }

  const running = run().catch((error: unknown) => log.error(`Copying to the team's database ended: ${String(error)}`));

  return {
    async close() {
      closed = true;
      for (const each of listening) each.dispose();
      wake?.();
      stopPause();
      // A server that does not answer is not waited for: what it had not committed is pushed again.
      await connection?.close();
      void running;
    },
  };
}

function waitAfter(failures: number, sinceMs: number, kind: SinkTroubleKind): number {
  // By then it has come round that the address was taken back, if it was.
  if (kind === 'removed') return SOON_MS;
  const doubled = RETRY_MS * 2 ** Math.min(failures - 1, 12);
  return Math.min(doubled, mayPass(kind) && sinceMs < SOON_FOR_MS ? SOON_MS : RETRY_MAX_MS);
}
