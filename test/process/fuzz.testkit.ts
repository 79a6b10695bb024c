import { connect, type Socket } from 'node:net';

/** The same numbers for the same seed, on every machine. */
export interface Random {
  below(end: number): number;
  chance(part: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    chance: (part) => next() < part,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}

/** Stands in every payload: nothing of it may come back on standard error. */
export const MARK = 'fuzzed-words';

export interface Operation {
  readonly method: string;
  readonly path: string;
}

export interface Target {
  readonly port: number;
  readonly token: string;
  readonly operations: readonly Operation[];
}

const hookNames = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'PreCompact',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'TeammateIdle',
  'BrandNew',
];
const fields = [
  'session_id',
  'cwd',
  'prompt',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_use_id',
  'agent_id',
  'agent_type',
  'agent_name',
  'source',
  'reason',
  'message',
  'notification_type',
  'model',
  'permission_mode',
  'transcript_path',
  'last_assistant_message',
  'background_tasks',
  'error',
  'is_interrupt',
  'team_name',
  'task_id',
  'thinking',
  'timestamp',
  '_meta',
];
const metaFields = [
  'workspace_id',
  'terminal_session_id',
  'collected_at',
  'provider',
  'event',
  'entrypoint',
  'cwd',
  'project_dir',
  'tty',
  'agent_pid',
  'agent_started_at',
  'ancestors',
  'host',
  'pid_namespace',
  'fingerprint',
  'memory',
];
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  'then',
  '',
  'a',
  '\\u0000',
  '\\ud800',
  ...fields,
];
const numbers = ['0', '-0', '-1', '1e308', '1e999', '-1e999', '5e-324', '9007199254740993', '0.1', '1'.repeat(400)];
const strings = [
  '',
  'a',
  MARK,
  '\\u0000',
  '\\ud800',
  '\\udfff\\ud800',
  '__proto__',
  '../../../../etc/passwd',
  '/dev/zero',
  '\\u202e\\u2066',
  '\\r\\nSet-Cookie: x',
  '<img src=x onerror=alert(1)>',
  '${jndi:x}',
  '%00%s%n',
  '2026-02-30T25:61:61Z',
  '1969-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '👩‍👩‍👧‍👦',
  'A'.repeat(5_000),
];

/** What looks like something else to whoever asks for a length, a number, a text or a promise. */
const traps = [
  '{"length":{"toString":1,"valueOf":1}}',
  '{"length":-1}',
  '{"length":1e308,"0":"a"}',
  '{"toString":1,"valueOf":null}',
  '{"then":1,"constructor":{"prototype":1}}',
  '{"__proto__":{"toString":1}}',
  '{"toJSON":1}',
  '[[[[[[[[[[]]]]]]]]]]',
];

/** JSON as text, for much of it no value can be written as: numbers beyond all, a key twice, half a pair of surrogates. */
function value(random: Random, depth = 0): string {
  if (random.chance(0.05)) return random.pick(traps);
  const kind = random.below(depth > 4 ? 4 : 7);
  if (kind === 0) return random.pick(['null', 'true', 'false']);
  if (kind === 1) return random.pick(numbers);
  if (kind <= 3) return `"${random.pick(strings)}"`;
  const parts = Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  if (kind === 4) return `[${parts.join(',')}]`;
  return `{${parts.map((part) => `"${random.pick(keys)}":${part}`).join(',')}}`;
}

/** A hook with some fields of the wrong kind. The few deliveries keep what is stored, and so the memory, from growing on. */
function hook(random: Random): string {
  const odd = Array.from({ length: random.below(6) }, () => `"${random.pick(fields)}":${value(random)}`);
  const meta = Array.from({ length: random.below(3) }, () => `"${random.pick(metaFields)}":${value(random)}`);
  return `{${[
    `"hook_event_name":"${random.pick(hookNames)}"`,
    `"session_id":"s${random.below(30)}"`,
    `"note":"${MARK}"`,
    `"_meta":{${[`"delivery_id":"d${random.below(2_000)}"`, ...meta].join(',')}}`,
    ...odd,
  ].join(',')}}`;
}

function body(random: Random): string {
  const kind = random.below(100);
  if (kind < 50) return hook(random);
  if (kind < 60) return `{"provider":${random.chance(0.8) ? '"codex"' : value(random)},"payload":${hook(random)}}`;
  if (kind < 80) return value(random);
  if (kind < 95) return broken(random, hook(random));
  if (kind < 98) return random.pick(['[', '{"a":', '[{"a":']).repeat(100 + random.below(20_000));
  if (kind < 99)
    return `{"hook_event_name":"Stop","_meta":{"delivery_id":"deep"},"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const megabyte = `"${random.pick(['x', '\\ud800', 'key=', '\\n'])}`.padEnd(1024 * 1024, 'x');
  return `{"hook_event_name":"Stop","_meta":{"delivery_id":"large"},"session_id":"s1","last_assistant_message":${megabyte}"}`;
}

function broken(random: Random, text: string): string {
  let result = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length + 1);
    const odd = random.pick(['', '"', '{', '}', ',', '\\', '\0', '\u2028', '\xff', ':', '1e', '//']);
    result = result.slice(0, at) + odd + result.slice(at + random.below(8));
  }
  return result;
}

const segments = [
  's',
  's1',
  '..',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  '__proto__',
  ';',
  'a'.repeat(3_000),
  '%F0%9F%A6%8A',
  "'",
  '\\',
];
const queries = [
  '',
  '?limit=1',
  '?limit=-1',
  '?limit=1e9',
  '?limit=99999999999999999999',
  '?limit=&limit=2',
  '?cursor=AAAA',
  `?cursor=${'%7B'.repeat(500)}`,
  '?q=',
  '?q=a&limit=5',
  `?q=${'(a%2B)%2B'.repeat(50)}`,
  '?cwd=%2Fp&limit=50',
  '?cwd=%00',
  '?__proto__=x&constructor=y',
  '?%',
  '?&&&===',
];
/** These read all that is stored, or write it anew; a hundred of each tell as much as ten thousand. */
const dear = /search|context|stats|stored|erase/;

/** The only one that would never be reached: what it wants is said on purpose. */
function bodyFor(random: Random, path: string): string {
  return path.startsWith('/api/erase') && random.chance(0.5) ? '{"all":true}' : body(random);
}

function addressOf(random: Random, operations: readonly Operation[]): Operation {
  const posting = operations.filter(({ method }) => method === 'POST');
  let chosen = random.chance(0.5) ? random.pick(posting) : random.pick(operations);
  while (dear.test(chosen.path) && random.chance(0.95)) chosen = random.pick(operations);
  const path = chosen.path.replace(/\{[^}]+\}/g, () => random.pick(segments));
  const method = random.chance(0.93)
    ? chosen.method
    : random.pick(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PATCH']);
  return { method, path: random.chance(0.5) ? path : path + random.pick(queries) };
}

const oddHeaders = [
  'Origin: https://evil.example',
  'Origin: null',
  'Sec-Fetch-Site: cross-site',
  'Last-Event-ID: 1-1-1-x',
  'Expect: 100-continue',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Content-Encoding: gzip',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Content-Length: 5',
  'Content-Length: 99999999999999999999',
  'Content-Type: text/plain',
  'Host: evil.example',
  'X-Agent-Mascot-Challenge: x',
  'Range: bytes=0-',
  'Cookie: a=b',
  ' folded: x',
  'No colon here',
  ': no name',
  'X-Nul: \0',
  'X-Bare: a\rb',
];

const refusedHeaders = ['Origin: null', 'Sec-Fetch-Site: same-site', 'Content-Encoding: gzip', 'Host: evil.example'];

/** Whole and well formed; what it says may be as odd as it likes. */
export function wellFormed(random: Random, { port, token, operations }: Target): Buffer {
  const { method, path } = addressOf(random, operations);
  const text = method === 'GET' || method === 'HEAD' ? '' : bodyFor(random, path);
  const bytes = Buffer.from(text);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  if (random.chance(0.8)) lines.push(`Authorization: Bearer ${random.chance(0.95) ? token : `${token}x`}`);
  if (random.chance(0.03)) lines.push(random.pick(refusedHeaders));
  const type = random.chance(0.97) ? 'application/json' : 'text/plain';
  if (bytes.length > 0) lines.push(`Content-Type: ${type}`, `Content-Length: ${bytes.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** What no HTTP client sends. */
export function malformed(random: Random, target: Target): Buffer {
  const good = wellFormed(random, target);
  const head = good.indexOf('\r\n\r\n');
  const withHeaders = (added: string) =>
    Buffer.concat([good.subarray(0, head), Buffer.from(`\r\n${added}`), good.subarray(head)]);
  const soup = () => Array.from({ length: 1 + random.below(6) }, () => random.pick(oddHeaders)).join('\r\n');
  switch (random.below(9)) {
    case 0:
      return good.subarray(0, 1 + random.below(good.length));
    case 1:
      return withHeaders(soup());
    case 2:
      return withHeaders(`X-Long: ${'x'.repeat(random.below(40_000))}`);
    case 3:
      return withHeaders('a: b\r\n'.repeat(1 + random.below(3_000)).trimEnd());
    case 4:
      return Buffer.from(
        good.toString('latin1').replaceAll('\r\n', random.pick(['\n', '\r', '\r\n\r\n', '\0'])),
        'latin1',
      );
    case 5:
      return Buffer.concat(Array.from({ length: 2 + random.below(40) }, () => wellFormed(random, target)));
    case 6: {
      const bytes = Buffer.from(good);
      for (let times = 1 + random.below(20); times > 0; times--) bytes[random.below(bytes.length)] = random.below(256);
      return bytes;
    }
    case 7: {
      const chunks = random.pick([
        '0\r\n\r\n',
        'ffffffff\r\nx',
        '-1\r\n',
        '5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n',
        'zz\r\n',
        '\r\n\r\n',
      ]);
      const plain = good
        .subarray(0, head)
        .toString('latin1')
        .replace(/\r\nContent-Length: \d+/, '');
      return Buffer.from(`${plain}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, 'latin1');
    }
    default:
      return Buffer.from(Array.from({ length: 1 + random.below(3_000) }, () => random.below(256)));
  }
}

const statusLine = /HTTP\/1\.1 (\d{3}) [A-Z]/g;

/** A connection that is kept as long as the server lets it. */
export class Line {
  readonly #port: number;
  readonly #count: (status: number) => void;
  #socket: Socket | undefined;

  constructor(port: number, count: (status: number) => void) {
    this.#port = port;
    this.#count = count;
  }

  /** One whole request, and its answer awaited. */
  ask(request: Buffer): Promise<void> {
    const socket = this.#connected();
    return new Promise((resolve) => {
      let text = '';
      const finish = () => {
        socket.off('data', onData).off('close', finish);
        resolve();
      };
      const onData = (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 'NaN');
        const bodyless = request.subarray(0, 5).toString() === 'HEAD ';
        if (Number.isNaN(length)) socket.destroy();
        else if (!bodyless && text.length < end + 4 + length) return;
        this.#count(Number(text.slice(9, 12)));
        finish();
      };
      socket.on('data', onData).once('close', finish);
      socket.write(request);
    });
  }

  /** Bytes of any kind on a connection of their own; goes on at the first answer, its end, or at once. */
  throw(bytes: Buffer, leave: 'at once' | 'at the answer'): Promise<void> {
    const socket = connect({ port: this.#port, host: '127.0.0.1' });
    return new Promise((resolve) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          for (const [, status] of chunk.toString('latin1').matchAll(statusLine)) this.#count(Number(status));
          socket.destroy();
        })
        .once('close', () => resolve());
      // Without the end of its own side a request that was cut would be waited for.
      if (leave === 'at the answer') socket.end(bytes);
      else socket.write(bytes, () => socket.destroy());
    });
  }

  end(): void {
    this.#socket?.destroy();
  }

  #connected(): Socket {
    if (this.#socket?.writable) return this.#socket;
    this.#socket = connect({ port: this.#port, host: '127.0.0.1' }).on('error', () => undefined);
    return this.#socket;
  }
}
