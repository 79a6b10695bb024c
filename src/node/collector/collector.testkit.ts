import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { openCast } from '../../app/cast.ts';
import { createHookReplies } from '../../app/hookReply.ts';
import { createHub, type Hub } from '../../app/hub.ts';
import { recasting } from '../../app/ownerRole.ts';
import { createPipeline } from '../../app/pipeline.ts';
import type { CastKeeper, EventStore, HookReplies, MemoryRules, Pipeline, Projects } from '../../app/ports.ts';
import { fakeClock, keepsAll, logLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { workUnderTest } from '../../app/testkit/work.testkit.ts';
import { createTracking } from '../../app/tracking.ts';
import { emptyCast } from '../../domain/cast.ts';
import { PERSON_HEADER } from '../../protocol/discovery.ts';
import type { TrackingRule } from '../../protocol/work.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import { readerFrameSchema, type ServerFrame } from '../../protocol/wire.ts';
import type { Bodies } from './bodies.ts';
import { memoryOver } from './memory.testkit.ts';
import { idleParts } from './routeWorld.testkit.ts';
import { startCollector } from './server.ts';

const token = 'a-token-of-the-test';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  json(): Record<string, unknown>;
}

interface Options {
  /** Events that an earlier collector stored. */
  readonly store?: ReturnType<typeof memoryStore>;
  readonly bodyDeadlineMs?: number;
  readonly open?: boolean;
  readonly token?: () => string;
  readonly personToken?: () => string;
  readonly pipeline?: Pick<Pipeline, 'ingest'>;
  readonly projects?: Projects;
  readonly replies?: HookReplies;
  readonly memory?: Partial<MemoryRules>;
  readonly rule?: TrackingRule;
  /** What the collector reads from, made of the store that the hooks go to. */
  readonly readFrom?: (store: EventStore) => EventStore;
  readonly connectionsMax?: number;
  readonly bodies?: Bodies;
}

/** A real collector on a real socket, over the in-memory store. */
export async function collectorUnderTest(options: Options = {}) {
  const store = options.store ?? memoryStore();
  const clock = fakeClock(Date.now());
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  let file = emptyCast;
  const keeper: CastKeeper = {
    read: () => Promise.resolve(file),
    update: (change) => Promise.resolve(void (file = change(file))),
  };
  const cast = await openCast({ keeper, clock, log, onChange: () => hub.recast() });
  const hub: Hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => 15 * 60_000, cast });
  const idle = idleParts();
  const personToken = idle.personToken();
  const projects = options.projects ?? idle.projects;
  const pipeline = createPipeline({
    ...keepsAll(),
    tracking: createTracking(store),
    store,
    hub,
    projects,
    clock,
    log,
  });
  const tracked = workUnderTest({ store, hub, pipeline, projects, clock, log }, options.rule);
  const instructions = () => Promise.resolve([]);
  const readFrom = options.readFrom?.(store) ?? store;
  const memory = memoryOver({ source: hub, store: readFrom, now: clock.now }, options.memory);
  const collector = await startCollector({
    ...idle,
    source: hub,
    memory,
    agentWords: options.memory?.agentWords ?? (() => true),
    replies:
      options.replies ??
      createHookReplies({
        ...{ hub, store, memory, guard: tracked.guard, instructions, pipeline, clock, log },
        agentWords: options.memory?.agentWords ?? (() => true),
        contextBudget: () => 160_000,
      }),
    ...{ work: tracked.work, guard: tracked.guard, tracking: tracked.tracking },
    recast: recasting(cast, hub),
    store: readFrom,
    pipeline: options.pipeline ?? pipeline,
    storing: pipeline.storing,
    projects,
    log,
    token: options.token ?? (() => token),
    personToken: options.personToken ?? idle.personToken,
    version: '9.9.9',
    now: clock.now,
    port: 0,
    unauthenticatedIngest: () => options.open ?? false,
    ...(options.bodyDeadlineMs === undefined ? {} : { bodyDeadlineMs: options.bodyDeadlineMs }),
    ...(options.connectionsMax === undefined ? {} : { connectionsMax: options.connectionsMax }),
    ...(options.bodies === undefined ? {} : { bodies: options.bodies }),
  });
  // As a window sends them.
  const headers = {
    ...{ authorization: `Bearer ${token}`, [PERSON_HEADER]: personToken },
    'content-type': 'application/json',
  };

  function ask(
    method: string,
    path: string,
    body?: string | Buffer,
    changes: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const merged = Object.fromEntries(
      Object.entries({ ...headers, ...changes }).filter((entry) => entry[1] !== undefined),
    ) as Record<string, string>;
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: collector.port, method, path, headers: merged }, (response) => {
        const chunks: Buffer[] = [];
        const finish = () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          });
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // It never ends by itself; its beginning is the answer.
          if (String(response.headers['content-type']).startsWith('text/event-stream')) {
            finish();
            asked.destroy();
          }
        });
        response.on('end', finish).on('error', finish);
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  const post = (body: unknown, changes?: Record<string, string | undefined>) =>
    ask('POST', '/ingest', typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body), changes);
  const get = (path: string) => ask('GET', path);

  /** Sends bytes as they are and gives everything that comes back until the server ends the connection. */
  async function raw(text: string, finish = true): Promise<string> {
    const socket = connect(collector.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    socket.write(text);
    if (finish) socket.end();
    await once(socket, 'close');
    return Buffer.concat(chunks).toString();
  }

  return { collector, store, hub, clock, log, pipeline, tracked, post, get, ask, raw, token, personToken };
}

/** A reader of the stream that keeps every frame, and waits for the one it is asked for. */
export async function streamReader(port: number, headers: Record<string, string>) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers });
  const frames: ServerFrame[] = [];
  const story: SessionEvent[] = [];
  let wake: () => void = () => undefined;
  socket.on('message', (message) => {
    const frame = readerFrameSchema.parse(JSON.parse((message as Buffer).toString()));
    if (frame.type === 'session-event') story.push(frame.event);
    else frames.push(frame);
    wake();
  });
  const failed = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(error.message));
    socket.on('open', () => resolve(''));
  });
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)));
  const error = await failed;
  return {
    error,
    frames,
    /** What it was told of the sessions, apart from their state. */
    story,
    socket,
    closed,
    async until(count: number): Promise<readonly ServerFrame[]> {
      while (frames.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return frames;
    },
    async untilTold(count: number): Promise<readonly SessionEvent[]> {
      while (story.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return story;
    },
  };
}
