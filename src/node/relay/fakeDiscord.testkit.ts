import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../protocol/json.ts';

/**
 * Discord's HTTP API as it is documented for what the relay uses of it: channels, threads, messages with an enforced nonce, forum
 * webhooks, error codes and rate limits. Ids are counted up, so that a test can name them.
 */
export interface FakeDiscord {
  readonly api: string;
  readonly forumUrl: string;
  /** Everything that came, in order. */
  readonly requests: readonly Seen[];
  /** Threads by id. */
  readonly threads: ReadonlyMap<string, FakeThread>;
  /** Every message that was made, in order. */
  readonly messages: readonly { readonly channel: string; readonly content: string }[];
  /** The next request that fits is answered so instead; `after`: it is carried out all the same. */
  next(answer: Instead): void;
  close(): Promise<void>;
}

export interface FakeThread {
  readonly name: string;
  archived: boolean;
  locked: boolean;
  deleted: boolean;
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface Instead {
  /** A part of the path; absent: any. */
  readonly path?: string;
  /** `hang`: nothing is ever answered; `drop`: the connection ends. */
  readonly with:
    'hang' | 'drop' | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Json };
  /** It was carried out, though the answer does not say so. */
  readonly carriedOut?: boolean;
}

export const BOT_TOKEN = 'bot-token-of-the-test';
export const TEXT_CHANNEL = '1000';
export const FORUM_CHANNEL = '2000';
export const FORBIDDEN_CHANNEL = '3000';
const HOOK = '555/hook-token';

const errors = {
  unauthorized: [401, { message: '401: Unauthorized', code: 0 }],
  unknownChannel: [404, { message: 'Unknown Channel', code: 10003 }],
  unknownWebhook: [404, { message: 'Unknown Webhook', code: 10015 }],
  missingAccess: [403, { message: 'Missing Access', code: 50001 }],
  missingPermission: [403, { message: 'Missing Permissions', code: 50013 }],
  locked: [400, { message: 'Thread is locked', code: 160005 }],
  invalid: [400, { message: 'Invalid Form Body', code: 50035 }],
  noThread: [400, { message: 'Webhooks posted to forum channels must have a thread_name or thread_id', code: 220001 }],
} as const satisfies Record<string, readonly [number, JsonObject]>;

type Answer = readonly [number, Json, Record<string, string>?];

export async function startFakeDiscord(): Promise<FakeDiscord> {
  const requests: Seen[] = [];
  const messages: { channel: string; content: string }[] = [];
  const threads = new Map<string, FakeThread>();
  const byNonce = new Map<string, JsonObject>();
  const instead: Instead[] = [];
  let ids = 7_000;

  function answer({ method, path, headers, body }: Seen): Answer {
    const hook = /^\/webhooks\/(\d+\/[\w-]+)\?(.*)$/.exec(path);
    if (hook)
      return hook[1] === HOOK ? byHook(new URLSearchParams(hook[2]), body as JsonObject) : errors.unknownWebhook;
    // Whoever has its URL may look at it.
    if (method === 'GET' && path === `/webhooks/${HOOK}`)
      return [200, { id: '555', type: 1, channel_id: FORUM_CHANNEL }];
    if (headers['authorization'] !== `Bot ${BOT_TOKEN}`) return errors.unauthorized;
    const [, channel = '', what = ''] = /^\/channels\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (channel === FORBIDDEN_CHANNEL)
      return method === 'GET' ? [200, { id: channel, type: 0 }] : errors.missingPermission;
    if (method === 'GET')
      return typeOf(channel) === undefined ? errors.unknownChannel : [200, { id: channel, type: typeOf(channel) ?? 0 }];
    return what === 'threads' ? start(channel, body as JsonObject) : message(channel, body as JsonObject);
  }

  function typeOf(channel: string): number | undefined {
    return { [TEXT_CHANNEL]: 0, [FORUM_CHANNEL]: 15 }[channel];
  }

  function start(channel: string, { name, type, message: first }: JsonObject): Answer {
    const isForum = typeOf(channel) === 15;
    if (typeOf(channel) === undefined) return errors.unknownChannel;
    if (typeof name !== 'string' || name === '' || name.length > 100) return errors.invalid;
    if (isForum !== (first !== undefined) || (!isForum && type !== 11)) return errors.invalid;
    return [
      201,
      { id: begin(name, isForum ? ((first as JsonObject)['content'] as string) : undefined), type: 11, name },
    ];
  }

  function begin(name: string, content?: string): string {
    const id = String(++ids);
    threads.set(id, { name, archived: false, locked: false, deleted: false });
    if (content !== undefined) messages.push({ channel: id, content });
    return id;
  }

  function message(channel: string, { content, nonce, enforce_nonce: enforce }: JsonObject): Answer {
    const known = enforce === true ? byNonce.get(String(nonce)) : undefined;
    if (known) return [200, known];
    const refused = add(channel, content);
    if (refused) return refused;
    const made = { id: String(++ids), channel_id: channel, content: content ?? '', nonce: nonce ?? '' };
    byNonce.set(String(nonce), made);
    return [200, made];
  }

  function add(channel: string, content: Json | undefined): Answer | undefined {
    const thread = threads.get(channel);
    if (!thread || thread.deleted) return errors.unknownChannel;
    if (thread.locked) return errors.locked;
    if (typeof content !== 'string' || content === '' || content.length > 2_000) return errors.invalid;
    // Sending a message brings an archived thread back, unless it is locked.
    thread.archived = false;
    messages.push({ channel, content });
    return undefined;
  }

  function byHook(query: URLSearchParams, { content, thread_name: name }: JsonObject): Answer {
    const thread = query.get('thread_id');
    if (typeof content !== 'string') return errors.invalid;
    if (thread === null && typeof name !== 'string') return errors.noThread;
    if (thread !== null) {
      const refused = add(thread, content);
      return refused ?? [200, { id: String(++ids), channel_id: thread, content }];
    }
    const id = begin(String(name), content);
    return [200, { id, channel_id: id, content }];
  }

  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const seen = {
      method: request.method ?? '',
      path: (request.url ?? '').replace('/api/v10', ''),
      headers: request.headers as Record<string, string>,
      body: text === '' ? null : (JSON.parse(text) as Json),
    };
    requests.push(seen);
    const index = instead.findIndex(({ path }) => path === undefined || seen.path.includes(path));
    const [other] = index === -1 ? [] : instead.splice(index, 1);
    const [status, body, headers = {}] = !other || other.carriedOut ? answer(seen) : ([200, null] as Answer);
    if (other?.with === 'hang') return;
    if (other?.with === 'drop') return void request.socket.destroy();
    const given = other ? other.with : { status, body, headers };
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
    response.end(JSON.stringify(given.body ?? null));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v10`;
  return {
    api,
    forumUrl: `${api}/webhooks/${HOOK}`,
    requests,
    threads,
    messages,
    next: (answered) => void instead.push(answered),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
