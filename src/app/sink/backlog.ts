import type { SinkBacklog } from './sinkPorts.ts';

/** What waits of each session: numbers alone, so that an outage of days costs no memory. */
export interface Backlog {
  /** So many events more, the oldest of which came then. */
  came(sessionId: string, events: number, at: number): void;
  /** So many there are in all, however many of them were told. */
  found(sessionId: string, events: number, at: number): void;
  /** So many of them are there now. */
  arrived(sessionId: string, events: number): void;
  /** All of it is there, but for what came since this moment, where something did. */
  upTo(sessionId: string, since?: number): void;
  now(): SinkBacklog;
}

interface Waiting {
  events: number;
  since: number;
}

export function createBacklog(): Backlog {
  const waiting = new Map<string, Waiting>();
  return {
    came(id, events, at) {
      const before = waiting.get(id);
      if (!before) waiting.set(id, { events, since: at });
      else {
        before.events += events;
        before.since = Math.min(before.since, at);
      }
    },
    found(id, events, at) {
      waiting.set(id, { events, since: Math.min(waiting.get(id)?.since ?? Infinity, at) });
    },
    arrived(id, events) {
      const of = waiting.get(id);
      // One that is copied again is read from further back than what waits.
      if (of) of.events = Math.max(0, of.events - events);
    },
    upTo(id, since) {
      const of = waiting.get(id);
      if (since === undefined) waiting.delete(id);
      else if (of) of.since = since;
    },
    now() {
      const all = [...waiting.values()];
      return {
        sessions: all.length,
        events: all.reduce((sum, { events }) => sum + events, 0),
        since: all.length === 0 ? undefined : all.reduce((least, { since }) => Math.min(least, since), Infinity),
      };
    },
  };
}
