import { compareKeys, orderKey } from '../domain/order.ts';
import { rowOf } from '../domain/restore.ts';
import { isLateMarked } from '../domain/unlogged.ts';
import type { AgentEvent } from '../protocol/event.ts';
import type { Ahead } from './ahead.ts';
import type { Hub } from './hub.ts';
import type { EventStore, Log } from './ports.ts';
import type { Tracking } from './tracking.ts';
import type { Overtaken, Unlogging } from './unlogging.ts';

/** What one hook or observation told. */
export interface Told {
  readonly events: readonly AgentEvent[];
  readonly keys: readonly string[];
}

export interface TakingBackParts {
  readonly store: Pick<EventStore, 'events' | 'rewrite' | 'wipe' | 'work'>;
  readonly hub: Pick<Hub, 'remake'>;
  readonly unlogging: Pick<Unlogging, 'overtaken'>;
  readonly tracking: Pick<Tracking, 'remade'>;
  readonly log: Log;
}

/** CNV-4, for one batch: a prompt may be late, and what was done for it stored with its words by then. */
export interface TakingBack {
  /** Before these are part of the state that lies ahead. */
  look(events: readonly AgentEvent[], ahead: Pick<Ahead, 'state'>): void;
  /** Takes the words from what is stored, and gives the batch without them: before the prompt is, for it is told but once. */
  take(batch: readonly Told[]): Promise<readonly Told[]>;
  /** Once the batch is shown, or could not be kept. */
  end(): void;
}

interface Stored {
  readonly isStored: ReadonlySet<string>;
}

export function startTakingBack({ store, hub, unlogging, tracking, log }: TakingBackParts): TakingBack {
  /** When the earliest such prompt of each session was. */
  const late = new Map<string, string>();
  let rewritten: readonly string[] = [];

  /** One session that can't be read must not cost the others of its batch. */
  function overtaken(id: string, from: string, fresh: readonly AgentEvent[]): (Overtaken & Stored) | undefined {
    try {
      const stored = store.events(id);
      const isStored = new Set(stored.map((event) => event.id));
      const all = [...stored, ...fresh.filter((event) => event.session_id === id && !isStored.has(event.id))];
      return { ...unlogging.overtaken(all.toSorted(inOrder), from), isStored };
    } catch (error) {
      log.error(`The words of a private turn could not be taken back: ${String(error)}`);
      return undefined;
    }
  }

  async function take(batch: readonly Told[]): Promise<readonly Told[]> {
    if (late.size === 0) return batch;
    const fresh = batch.flatMap(({ events }) => events);
    const now = new Map<string, AgentEvent>();
    for (const [id, from] of late) {
      const { events = [], state, isStored } = overtaken(id, from, fresh) ?? {};
      for (const event of events) now.set(event.id, event);
      const changed = events.filter((event) => isStored?.has(event.id));
      if (changed.length === 0 || !state) continue;
      await store.rewrite({ events: changed, rows: [rowOf(state)] });
      await store.work.change(tracking.remade(id, store.events(id), () => state));
      rewritten = [...rewritten, id];
      log.info(`The words of ${changed.length} event(s) are taken back: the prompt that asked for it came after them.`);
    }
    return batch.map((told) => ({ ...told, events: told.events.map((event) => now.get(event.id) ?? event) }));
  }

  return {
    look(events, ahead) {
      for (const event of events) {
        const { session_id: id, ts } = event;
        if (isLateMarked(event, ahead.state(id)?.last.ts) && ts < (late.get(id) ?? '~')) late.set(id, ts);
      }
    },
    take,
    end() {
      if (rewritten.length === 0) return;
      try {
        hub.remake(rewritten);
      } catch (error) {
        // What was stored is stored all the same, and must be answered so.
        log.error(`${rewritten.length} session(s) show words that were taken back: ${String(error)}`);
      }
      store.wipe().catch((error: unknown) => log.warn(`What was taken back is still in files: ${String(error)}`));
    },
  };
}

function inOrder(a: AgentEvent, b: AgentEvent): number {
  return compareKeys(orderKey(a), orderKey(b));
}
