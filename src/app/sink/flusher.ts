import type { Json } from '../../protocol/json.ts';
import type { ErasedMarks } from '../erasurePorts.ts';
import type { Log } from '../ports.ts';
import type { Kept } from '../shelfPorts.ts';
import { createPacking, halves, type Packing } from './packing.ts';
import { type SinkBatch, SinkTrouble, type TeamConnection } from './sinkPorts.ts';

export interface FlusherParts {
  readonly connection: TeamConnection;
  readonly log: Log;
  readonly erased: Pick<ErasedMarks, 'of'>;
  /** After the COMMIT: what is kept of it here, with how many pushes there were. */
  readonly commit: (committed: Committed) => Promise<void>;
}

export interface Committed {
  readonly kept: readonly Kept[];
  /** Keys of what is kept no more. */
  readonly gone: readonly string[];
  readonly pushes: number;
  readonly read: readonly ReadOf[];
}

export interface ReadOf {
  readonly id: string;
  readonly events: number;
  readonly isAll: boolean;
}

/** What is kept of a batch once the database has it, unless its session was erased meanwhile. */
interface Cursor {
  readonly session: string | undefined;
  /** The number of its session's last erasure when the batch was read. */
  readonly asOf: number;
  readonly value: Json;
}

type Cursors = ReadonlyMap<string, Cursor>;

export interface Flusher {
  readonly packing: () => Packing;
  /** Once what was packed is there; the last one of a key is kept. */
  keep(key: string, session: string | undefined, value: Json): void;
  drop(key: string): void;
  read(id: string, events: number, isAll: boolean): void;
  sendIfFull(): Promise<void>;
  /** Gives what was read and needed no push. */
  end(): Promise<readonly ReadOf[]>;
}

/** One batch is under way while the next one is made. */
export function createFlusher({ connection, log, erased, commit }: FlusherParts): Flusher {
  let packing = createPacking();
  let cursors = new Map<string, Cursor>();
  let removed: string[] = [];
  let read: ReadOf[] = [];
  let inFlight: Promise<void> = Promise.resolve();

  async function push(batch: SinkBatch, cursorsNow: Cursors, gone: readonly string[], of: ReadOf[]) {
    const pushes = await pushWhole(batch);
    // What was erased meanwhile leaves no trace; what the database has of it is taken away next.
    const kept = [...cursorsNow]
      .filter(([, { session, asOf }]) => session === undefined || erased.of(session) === asOf)
      .map(([key, { session, value }]) => ({ key, session, value }));
    await commit({ kept, gone, pushes, read: of });
  }

  async function pushWhole(batch: SinkBatch): Promise<number> {
    try {
      return await connection.push(batch);
    } catch (error) {
      if (!(error instanceof SinkTrouble) || error.kind !== 'data') throw error;
      const parted = halves(batch);
      if (!parted) {
        log.warn(`PostgreSQL refuses a row, which is left out: ${error.message}`);
        return connection.push({ rows: {}, gone: batch.gone });
      }
      await pushWhole(parted[0]);
      return pushWhole(parted[1]);
    }
  }

  async function send(): Promise<void> {
    const [batch, kept, gone, of] = [packing.batch(), cursors, removed, read];
    [packing, cursors, removed, read] = [createPacking(), new Map(), [], []];
    await inFlight;
    inFlight = push(batch, kept, gone, of);
    // It is awaited later, while the next one is made.
    inFlight.catch(() => undefined);
  }

  return {
    packing: () => packing,
    keep: (key, session, value) => {
      cursors.set(key, { session, asOf: session === undefined ? 0 : erased.of(session), value });
    },
    drop: (key) => void removed.push(key),
    read: (id, events, isAll) => void read.push({ id, events, isAll }),
    sendIfFull: () => (packing.isFull() ? send() : Promise.resolve()),
    async end() {
      if (!packing.isEmpty() || cursors.size + removed.length > 0) await send();
      await inFlight;
      return read;
    },
  };
}
