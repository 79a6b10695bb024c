import type { ServerResponse } from 'node:http';
import type { Disposable, Log, SessionEventSource, StateChange, StateSource } from '../../app/ports.ts';
import { STREAM_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import type { Patch } from '../../protocol/state.ts';
import { createRecentChanges, recordIn } from './recentChanges.ts';
import type { Seats } from './seats.ts';
import type { StateText } from './stateText.ts';

/** Often enough that a reader behind a sleeping lid is gone within half a minute, seldom enough to wake nobody. */
const HEARTBEAT_MS = 15_000;

/** How long a reader waits before it comes again; at once would be a storm when an owner changes. */
const RETRY_MS = 1_000;

/** Without readers nothing is made into text; a reader that was cut off comes back within this, or takes a snapshot. */
const KEPT_FOR_NOBODY_MS = 60_000;

export interface EventStreams {
  /** Undefined: every place is taken. Whoever gets one has to begin. */
  join(lastEventId: string | undefined): ((response: ServerResponse) => void) | undefined;
}

export interface SseParts {
  readonly source: StateSource & SessionEventSource;
  readonly stateText: () => StateText;
  readonly seats: Seats;
  readonly log: Log;
}

interface Reader {
  readonly response: ServerResponse;
  /** A snapshot may be larger than any backlog; who was just sent one is not slow for it. */
  allowance: number;
  /** Something that was written since the last heartbeat has left this process. */
  moves: boolean;
}

/**
 * COL-7: server-sent events. What one change tells is one piece whose last message alone carries its id: a reader that is cut
 * off in the middle still names the change before and gets the piece again.
 */
export function createSseHub({ source, stateText, seats, log }: SseParts): EventStreams & Disposable {
  const readers = new Set<Reader>();
  const recent = createRecentChanges(() => source.snapshot().owner, source.storyTo);
  let listening = false;
  let forgetting: NodeJS.Timeout | undefined;

  const changes = source.onChange((change) => {
    if (listening) take(change);
  });
  const story = source.onSessionEvents((events) => {
    if (listening)
      tell(
        source.snapshot().revision,
        events.map((event) => messageOf('session.event', event)),
      );
  });
  const heartbeat = setInterval(() => readers.forEach(beat), HEARTBEAT_MS).unref();

  function take(change: StateChange): void {
    if (change.type === 'patch') return tell(change.patch.revision, agentMessages(change.patch));
    recent.forget();
    for (const reader of readers) snapshot(reader);
  }

  function tell(revision: number, messages: readonly string[]): void {
    if (messages.length === 0) return;
    const piece = recent.add((id) => `${messages.slice(0, -1).join('')}id: ${id}\n${messages.at(-1) ?? ''}`, revision);
    for (const reader of readers) post(reader, piece);
  }

  /** The state, and before it what happened since a record of the log: whoever has both has missed nothing. */
  function snapshot(reader: Reader, since?: number): void {
    const { revision, json } = stateText();
    const story = since === undefined ? [] : source.storyAfter(since);
    const told = Buffer.from(story.map((event) => messageOf('session.event', event)).join(''));
    reader.allowance = json.length + told.length;
    post(
      reader,
      told,
      Buffer.from(`id: ${recent.id()}\nevent: snapshot\ndata: {"revision":${revision},"state":`),
      json,
      Buffer.from('}\n\n'),
    );
  }

  function post(reader: Reader, ...pieces: readonly Buffer[]): void {
    const { response } = reader;
    if (response.req.socket.destroyed) return;
    if (response.writableLength > STREAM_BACKLOG_MAX_BYTES + reader.allowance) {
      log.warn('A reader of the event stream was too slow and has been dropped; it may come again.');
      response.req.socket.destroy();
      return;
    }
    for (const piece of pieces) response.write(piece, () => (reader.moves = true));
  }

  function beat(reader: Reader): void {
    if (!reader.moves) return void reader.response.req.socket.destroy();
    reader.moves = false;
    post(reader, Buffer.from(':\n\n'));
  }

  function begin(response: ServerResponse, lastEventId: string | undefined, leave: () => void): void {
    const { socket } = response.req;
    // It may have gone before it got an answer; and behind another answer a stream would wait for ever.
    if (socket.destroyed || !response.socket) {
      leave();
      socket.destroy();
      return;
    }
    const reader: Reader = { response, allowance: 0, moves: true };
    readers.add(reader);
    socket.once('close', () => {
      readers.delete(reader);
      leave();
      if (readers.size === 0) forgetting = setTimeout(rest, KEPT_FOR_NOBODY_MS).unref();
    });
    clearTimeout(forgetting);
    listening = true;
    const missed = lastEventId === undefined ? undefined : recent.since(lastEventId);
    post(reader, Buffer.from(`retry: ${RETRY_MS}\n\n`), ...(missed ?? []));
    reader.allowance = missed?.reduce((sum, piece) => sum + piece.length, 0) ?? 0;
    if (!missed) snapshot(reader, lastEventId === undefined ? undefined : recordIn(lastEventId));
  }

  function rest(): void {
    listening = false;
    recent.forget();
  }

  return {
    join(lastEventId) {
      const leave = seats.take();
      return leave && ((response) => begin(response, lastEventId, leave));
    },
    dispose() {
      changes.dispose();
      story.dispose();
      clearInterval(heartbeat);
      clearTimeout(forgetting);
      for (const { response } of readers) response.req.socket.destroy();
    },
  };
}

function agentMessages({ revision, agents, events }: Patch): readonly string[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  return events.flatMap(({ name, id }) => {
    if (name === 'session.event') return [];
    // Of one that is forgotten with its session nothing is left to tell but that it has gone.
    return [messageOf(name, { ...(byId.get(id) ?? { id, present: false }), revision })];
  });
}

function messageOf(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
