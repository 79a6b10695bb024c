import { build, type BuildOptions } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundles } from '../esbuild.mjs';
import { answerProofText, CHALLENGE_HEADER, PROOF_HEADER, proofText } from '../src/protocol/discovery.ts';
import type { PortFile } from '../src/protocol/discovery.ts';
import { readBootTime, readProcess } from './linuxProcesses.ts';

export const testVersion = '1.2.3';

export interface Bundles {
  readonly folder: string;
  readonly forwarder: string;
  readonly mascot: string;
  /** Inputs of each bundle, as esbuild names them. */
  readonly inputs: readonly string[];
  readonly remove: () => void;
}

/** Builds what ships, with the very options it ships with, into a folder of its own. */
export async function buildForwarder(): Promise<Bundles> {
  const folder = temporaryFolder('build');
  const shared: BuildOptions = {
    absWorkingDir: path.join(import.meta.dirname, '..'),
    bundle: true,
    minify: true,
    metafile: true,
    logLevel: 'silent',
    define: { __PRODUCT_VERSION__: JSON.stringify(testVersion) },
  };
  const result = await build({ ...shared, ...bundles['forwarder'], outdir: folder });
  await build({ ...shared, ...bundles['remote'], outfile: path.join(folder, 'remote.mjs') });
  return {
    folder,
    forwarder: path.join(folder, 'forward-to-mascot.mjs'),
    mascot: path.join(folder, 'mascot.mjs'),
    inputs: Object.keys(result.metafile?.inputs ?? {}),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export function temporaryFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `mascot-${name}-`));
}

export interface Run {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly node?: string;
  /** Arguments of Node, before the script. */
  readonly nodeArgs?: readonly string[];
  readonly input?: string | Buffer;
  readonly onStart?: (pid: number) => void;
  /** Ends it even where it hangs in a system call; a test's own signal ends it when the test runs out of time. */
  readonly signal?: AbortSignal;
}

/** Hides the script's parent processes: an agent may be running these tests, and `mascot` refuses an agent's commands. */
export const belowNobody = ['--import', 'data:text/javascript,Object.defineProperty(process,%22ppid%22,{value:0})'];

/** Runs a script with nothing of this process's environment but the way to programs. */
export function runScript(script: string, options: RunOptions = {}): Promise<Run> {
  const { args = [], env = {}, cwd = tmpdir(), node = process.execPath, nodeArgs = [], input = '', signal } = options;
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(node, [...nodeArgs, script, ...args], {
      cwd,
      // Else an agent's start in a test could start the editor of whoever runs it.
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), CI: 'true', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(signal && { signal, killSignal: 'SIGKILL' as const }),
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => {}); // one that stops reading early closes its end
    child.stdin.end(input);
    if (child.pid !== undefined) options.onStart?.(child.pid);
    child.on('error', reject);
    child.on('close', (code, endedBy) =>
      resolve({ code, signal: endedBy, stdout, stderr, elapsedMs: performance.now() - begin }),
    );
  });
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly text: string;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** `index` counts requests from 0. A string is sent as it is and the connection closed; a function does as it likes. */
export type Answer = (request: Received, index: number) => string | ((socket: Socket) => void);

/** A server on bare sockets, so that it can also answer what no server should. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let buffered = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, Buffer.from(chunk)]);
      const request = parseRequest(buffered);
      if (!request) return;
      buffered = Buffer.alloc(0);
      received.push(request);
      const reply = answer(request, received.length - 1);
      if (typeof reply === 'string') socket.end(reply);
      else reply(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function parseRequest(buffered: Buffer): Received | undefined {
  const headEnd = buffered.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const text = buffered.toString('utf8');
  const [first = '', ...lines] = buffered.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*: */, '')]),
  );
  const body = buffered.subarray(headEnd + 4);
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined;
  return { method, path: target, headers, body: body.toString('utf8'), text };
}

export function httpReply(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Said\r\n${lines.join('')}\r\n${body}`;
}

export function jsonReply(status: number, body: unknown): string {
  return httpReply(status, JSON.stringify(body), { 'Content-Type': 'application/json', 'x-agent-mascot': testVersion });
}

export const accepted = jsonReply(200, { ok: true, id: 'event-1' });

/** The start of this test process, as a port file would name it. */
export function ownStart(): string {
  return readProcess(process.pid, readBootTime())?.startedAt ?? new Date().toISOString();
}

export function writePortFile(home: string, port: number, changes: Partial<PortFile> = {}, mode = 0o600): string {
  const token = 'port-file-token';
  const file: PortFile = {
    version: 1,
    url: `http://127.0.0.1:${port}`,
    port,
    token,
    pid: process.pid,
    instance: 'instance-1',
    generation: 1,
    startedAt: ownStart(),
    app: 'Test',
    ...changes,
  };
  writeFileSync(path.join(home, 'collector.json'), JSON.stringify(file), { mode });
  return token;
}

/** Of a test's home; made up here, so it opens nothing. */
export const proofKey = 'a key '.repeat(6).trim();

export function writeProofKey(home: string, text = `${proofKey}\n`, mode = 0o600): void {
  writeFileSync(path.join(home, 'proof.key'), text, { mode });
}

export function challengeOf({ headers }: Received): string {
  return headers.get(CHALLENGE_HEADER) ?? '';
}

export function proofOf(challenge: string, port: number, key = proofKey): string {
  return createHmac('sha256', key).update(proofText(challenge, port)).digest('hex');
}

/** `/health` as the collector that listens on `port` answers it. */
export function provenHealth(request: Received, port: number): string {
  return httpReply(200, 'ok', { [PROOF_HEADER]: proofOf(challengeOf(request), port) });
}

/** The reply of a collector that knows the test's key, for the port in the request's Host. */
export function provenReply(request: Received, extra: object, body = request.body, key = proofKey): string {
  const answer = JSON.stringify({ ok: true, id: '1', ...extra });
  const port = Number(request.headers.get('host')?.split(':').at(-1));
  const text = answerProofText(port, createHash('sha256').update(body).digest('hex'), answer);
  return httpReply(200, answer, { [PROOF_HEADER]: createHmac('sha256', key).update(text).digest('hex') });
}

/** An output that a hook may print; `printed` is the text it prints. */
export function context(additionalContext: string) {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } };
}
export function printed(output: object): string {
  return `${JSON.stringify(output)}\n`;
}

/** Copies the forwarder, and the files named in `beside`, into a home as the extension does; returns its path. */
export function installInto(home: string, { folder }: Bundles, beside = ['remote.mjs']): string {
  const bin = path.join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['forward-to-mascot.mjs', ...beside]) copyFileSync(path.join(folder, name), path.join(bin, name));
  writeFileSync(path.join(bin, 'hook'), '');
  return path.join(bin, 'forward-to-mascot.mjs');
}

export interface Spooled {
  readonly name: string;
  readonly mode: number;
  readonly text: string;
}

/** What lies in a home's spool, by name; a missing folder holds nothing. */
export function spooled(home: string): readonly Spooled[] {
  const folder = path.join(home, 'spool');
  if (!statSync(folder, { throwIfNoEntry: false })) return [];
  return readdirSync(folder)
    .filter((name) => name !== 'dropped.count')
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      return { name, mode: statSync(file).mode & 0o777, text: readFileSync(file, 'utf8') };
    });
}

export const silent = { code: 0, stdout: '', stderr: '' };
export const start = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/home/dev/project' };
export const prompt = {
  hook_event_name: 'UserPromptSubmit',
  session_id: 's',
  prompt: 'do it',
  cwd: '/home/dev/project',
};

export function essence({ code, stdout, stderr }: Run): Pick<Run, 'code' | 'stdout' | 'stderr'> {
  return { code, stdout, stderr };
}

export async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Beside the port file: where the forwarder looks when there is none. */
export function usualPort(home: string, port: number): void {
  const file = path.join(home, 'settings.json');
  writeFileSync(file, JSON.stringify({ version: 1, collectorPort: port }), { mode: 0o600 });
}

export interface Forwarder {
  readonly bundles: () => Bundles;
  /** Each test's own. */
  readonly home: () => string;
  readonly serve: (answer: Answer) => Promise<TestServer>;
  readonly forward: (payload: unknown, options?: RunOptions) => Promise<Run>;
}

/** The built forwarder for the tests of one `describe`, each with a home and servers of its own. */
export function useForwarder(): Forwarder {
  let bundles: Bundles;
  let home: string;
  let servers: TestServer[] = [];

  beforeAll(async () => {
    bundles = await buildForwarder();
  });
  afterAll(() => bundles.remove());
  beforeEach(async () => {
    home = temporaryFolder('home');
    // Without this a run that finds no port file could ask whatever collector this machine really has.
    usualPort(home, await unusedPort());
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  return {
    bundles: () => bundles,
    home: () => home,
    serve: async (answer) => {
      const server = await startServer(answer);
      servers.push(server);
      return server;
    },
    forward: (payload, options = {}) => {
      const input = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
      return runScript(bundles.forwarder, { input, ...options, env: { AGENT_MASCOT_HOME: home, ...options.env } });
    },
  };
}
