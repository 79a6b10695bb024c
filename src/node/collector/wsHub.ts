import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Disposable, Log, SessionEventSource, StateSource } from '../../app/ports.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import { STREAM_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import {
  type ClientFrame,
  clientFrameSchema,
  closeCodes,
  type ReaderFrame,
  WIRE_VERSION,
} from '../../protocol/wire.ts';
import { refuseSocket } from './refuseSocket.ts';
import { createSeats, type Seats } from './seats.ts';
import type { StateText } from './stateText.ts';

/** A reader has no long words for us, and says each in one piece. */
const FRAME_MAX_BYTES = 16 * 1024;
const FRAGMENTS_MAX = 16;
const HEARTBEAT_MS = 15_000;

/** A window pings once a second and asks for a snapshot after a gap; a hundred times that is no window. */
const FRAMES_PER_SECOND_MAX = 100;

/** A snapshot may have megabytes: ten in a second are more than any gap explains. */
const RESYNC_COST = 10;

/** More editor windows than anybody has open; they have places of their own, which plain readers can't take. */
const FOLLOWERS_MAX = 64;

/**
 * With the plain readers' places taken, who comes is let in on trust to say that it is a window; that takes milliseconds. A
 * plain reader says nothing, and is sure to be one afterwards.
 */
const NEWCOMERS_MAX = 16;
const NEWCOMER_MS = 2_000;

/** Of what a reader is told once it is sure to be no window. */
const HELD_MAX = 100;

/** One that is shut out reads why within this. */
const FAREWELL_MS = 1_000;

export interface WsHub extends Disposable {
  /** The request has passed the gate. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface WsParts {
  readonly source: StateSource & SessionEventSource;
  readonly stateText: () => StateText;
  /** The places of plain readers. */
  readonly guests: Seats;
  readonly log: Log;
}

interface Place {
  kind: 'guest' | 'newcomer' | 'follower';
  leave: () => void;
}

interface Reader {
  readonly socket: WebSocket;
  readonly place: Place;
  /** A snapshot may be larger than any backlog; who was just sent one is not slow for it. */
  allowance: number;
  /** It said that it follows as a window. */
  follows: boolean;
  /** What happened in the sessions since it came, until it is sure that it follows as none; then it is told at once. */
  held: Buffer[] | undefined;
  silent: boolean;
  secondAt: number;
  framesInSecond: number;
}

/** COL-7: a snapshot first, then every patch and what happens in the sessions; a reader that can't keep up is dropped, never waited for. */
export function createWsHub({ source, stateText, guests, log }: WsParts): WsHub {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_MAX_BYTES,
    maxFragments: FRAGMENTS_MAX,
    perMessageDeflate: false,
    // A pong is an answer like any other, and waits with the rest for a reader that takes none.
    autoPong: false,
  });
  const readers = new Set<Reader>();
  const followers = createSeats(FOLLOWERS_MAX);
  const newcomers = createSeats(NEWCOMERS_MAX);
  const wanting = new Set<Reader>();
  let soon: NodeJS.Immediate | undefined;
  let last: { readonly of: StateText; readonly record: number; readonly frame: Buffer } | undefined;

  let toldTo = source.storyTo();
  const changes = source.onChange((change) => {
    if (change.type === 'reset') return readers.forEach(beginAnew);
    // What happened with this change is told after it: a reader that is cut off between them must be told of it again.
    const record = toldTo;
    toldTo = source.storyTo();
    if (readers.size === 0) return;
    // One text for all: a string would be made into bytes once for each.
    const patch = { type: 'patch', record, ...change.patch } satisfies ReaderFrame;
    const frame = Buffer.from(JSON.stringify(patch));
    for (const reader of readers) if (reader.place.kind !== 'newcomer') post(reader, frame);
  });
  const story = source.onSessionEvents((events) => {
    const plain = [...readers].filter(isPlain);
    if (plain.length === 0) return;
    for (const frame of storyFrames(events, source.storyTo())) for (const reader of plain) tell(reader, frame);
  });
  const heartbeat = setInterval(() => {
    for (const reader of readers) {
      if (reader.silent) reader.socket.terminate();
      reader.silent = true;
      reader.socket.ping();
    }
  }, HEARTBEAT_MS).unref();

  /** What is held may be of what was erased. */
  function beginAnew(reader: Reader): void {
    if (reader.held) reader.held = [];
    snapshot(reader);
  }

  function tell(reader: Reader, frame: Buffer): void {
    if (!reader.held) return post(reader, frame);
    reader.held.push(frame);
    if (reader.held.length > HELD_MAX) reader.held.shift();
  }

  function tellHeld(reader: Reader): void {
    const held = reader.held ?? [];
    reader.held = undefined;
    if (isPlain(reader)) for (const frame of held) post(reader, frame);
  }

  /** What is held happened after that record, too. */
  function tellSince(reader: Reader, record: number): void {
    reader.held = undefined;
    for (const frame of storyFrames(source.storyAfter(record), source.storyTo())) post(reader, frame);
  }

  function snapshotFrame(): Buffer {
    const [of, record] = [stateText(), source.storyTo()];
    if (last?.of === of && last.record === record) return last.frame;
    const head = `{"type":"snapshot","protocol":${WIRE_VERSION},"revision":${of.revision},"record":${record},"state":`;
    last = { of, record, frame: Buffer.concat([Buffer.from(head), of.json, Buffer.from('}')]) };
    return last.frame;
  }

  function snapshot(reader: Reader): void {
    if (reader.place.kind === 'newcomer') return;
    const frame = snapshotFrame();
    reader.allowance = frame.length;
    post(reader, frame);
  }

  /** However often it is asked for within one turn, it is sent once. */
  function snapshotSoon(reader: Reader): void {
    wanting.add(reader);
    soon ??= setImmediate(() => {
      soon = undefined;
      const all = [...wanting];
      wanting.clear();
      all.forEach(snapshot);
    });
  }

  function post(reader: Reader, frame: Buffer): void {
    if (takes(reader)) reader.socket.send(frame, { binary: false });
  }

  function takes({ socket, allowance }: Reader): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount <= STREAM_BACKLOG_MAX_BYTES + allowance) return true;
    log.warn('A stream reader was too slow and has been dropped; it may come again for a snapshot.');
    socket.close(closeCodes.tooSlow, 'too slow');
    socket.terminate();
    return false;
  }

  /** Whether it is heard: one that was shut out is not, nor one that says too much. */
  function hears(reader: Reader, cost = 1): boolean {
    if (reader.socket.readyState !== reader.socket.OPEN) return false;
    const now = performance.now();
    if (now - reader.secondAt >= 1_000) {
      reader.secondAt = now;
      reader.framesInSecond = 0;
    }
    reader.framesInSecond += cost;
    if (reader.framesInSecond <= FRAMES_PER_SECOND_MAX) return true;
    log.warn('A stream reader sent too many frames and has been shut out.');
    shutOut(reader, closeCodes.tooMany, 'too many frames');
    return false;
  }

  function shutOut({ socket }: Reader, code: number, why: string): void {
    socket.close(code, why);
    // What it goes on sending stays with it.
    socket.pause();
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
  }

  function receive(reader: Reader, text: string): void {
    if (!hears(reader)) return;
    const frame = clientFrameSchema.safeParse(parsed(text));
    if (!frame.success) reader.socket.close(closeCodes.badFrame, 'frame not understood');
    else if (frame.data.type === 'resync') {
      if (hears(reader, RESYNC_COST)) snapshotSoon(reader);
    } else if (frame.data.protocol !== WIRE_VERSION)
      reader.socket.close(closeCodes.otherProtocol, `protocol ${WIRE_VERSION} is spoken here`);
    else greet(reader, frame.data);
  }

  function greet(reader: Reader, { role, app, version, record }: Extract<ClientFrame, { type: 'hello' }>): void {
    log.debug(`A ${role} of ${app} ${version} reads the stream.`);
    const { place } = reader;
    reader.follows = role === 'follower';
    // Only once, and no more often than the state: it is read from the disk.
    const asksBack = record !== undefined && reader.held !== undefined && isPlain(reader) && hears(reader, RESYNC_COST);
    if (asksBack) tellSince(reader, record);
    else tellHeld(reader);
    const leave = role === 'follower' && place.kind !== 'follower' ? followers.take() : undefined;
    if (!leave) return;
    const waited = place.kind === 'newcomer';
    place.leave();
    place.leave = leave;
    place.kind = 'follower';
    if (waited) snapshot(reader);
  }

  function admit(socket: WebSocket, place: Place): void {
    const reader: Reader = {
      ...{ socket, place, allowance: 0, follows: false, held: [], silent: false },
      ...{ secondAt: 0, framesInSecond: 0 },
    };
    readers.add(reader);
    socket.on('close', () => {
      readers.delete(reader);
      wanting.delete(reader);
    });
    socket.on('error', (error) => log.debug(`A stream reader failed: ${error.message}`));
    socket.on('pong', () => {
      if (hears(reader)) reader.silent = false;
    });
    socket.on('ping', (data) => {
      if (hears(reader) && takes(reader)) socket.pong(data);
    });
    socket.on('message', (message, binary) => receive(reader, binary ? '' : message.toString()));
    snapshot(reader);
    setTimeout(() => endTrust(reader), NEWCOMER_MS).unref();
  }

  function endTrust(reader: Reader): void {
    if (reader.place.kind === 'newcomer') shutOut(reader, closeCodes.full, 'too many readers');
    else tellHeld(reader);
  }

  return {
    upgrade(request, socket, head) {
      const place = placeIn(guests, 'guest') ?? placeIn(newcomers, 'newcomer');
      if (!place) return refuseSocket(socket, 503, ['Retry-After: 1']);
      // Of the connection, not of the reader: a handshake that fails never makes one.
      socket.once('close', () => place.leave());
      server.handleUpgrade(request, socket, head, (reader) => admit(reader, place));
    },
    dispose() {
      changes.dispose();
      story.dispose();
      clearInterval(heartbeat);
      clearImmediate(soon);
      for (const { socket } of readers) {
        socket.close(closeCodes.stopping, 'stopping');
        socket.terminate();
      }
      server.close();
    },
  };
}

function isPlain({ place, follows }: Reader): boolean {
  return place.kind === 'guest' && !follows;
}

function placeIn(seats: Seats, kind: Place['kind']): Place | undefined {
  const leave = seats.take();
  return leave && { kind, leave };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The last of them alone says up to which record its reader knows: whoever is cut off before it is told all of them again. */
function storyFrames(events: readonly SessionEvent[], record: number): readonly Buffer[] {
  return events.map((event, at) => {
    const place = at === events.length - 1 ? { record } : {};
    return Buffer.from(JSON.stringify({ type: 'session-event', ...place, event } satisfies ReaderFrame));
  });
}
