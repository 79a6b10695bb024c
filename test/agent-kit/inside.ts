/**
 * Runs inside the lab's namespaces: starts the scripted models and the built collector, follows `/ws`, and obeys orders that
 * come as JSON lines on standard input. It ends, and everything in its PID namespace with it, when that input closes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import type { PortFile } from '../../src/protocol/discovery.ts';
import type { ReaderFrame } from '../../src/protocol/wire.ts';
import { portFileAt } from '../portFileAt.testkit.ts';
import { startModel } from './model.ts';
import type { Order, Ran, Report, Run, Settings, Setup } from './words.ts';

/** The kernel counts a process's CPU in hundredths of a second, on every architecture that Node runs on. */
const TICK_MS = 10;

interface Collector {
  readonly process: ChildProcess;
  readonly place: PortFile;
  stream: WebSocket | undefined;
}

function report(line: Report): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function startCollector({ dist, home, storage }: Setup, settings?: Settings): Promise<Collector> {
  const own = path.join(home, '.agent-mascot');
  const args = [path.join(dist, 'headless.js'), '--storage', storage, '--home', own, '--port', '0'];
  if (settings) {
    const file = path.join(storage, 'lab-settings.json');
    await writeFile(file, JSON.stringify(settings));
    args.push('--settings', file);
  }
  // The same HOME as the agents': the collector reads what they write about themselves there.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(home) });
  child.stderr.on('data', (text: Buffer) => report({ is: 'log', text: text.toString() }));
  child.once('exit', (code, signal) =>
    report({ is: 'log', text: `the collector ended with ${String(code ?? signal)}` }),
  );
  const ready = createInterface({ input: child.stdout });
  await Promise.race([
    once(ready, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the collector ended before it was ready'))),
  ]);
  const place = portFileAt(path.join(own, 'collector.json'));
  if (!place) throw new Error('the collector wrote no port file');
  return { process: child, place, stream: await follow(place) };
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
}

async function follow({ port, token }: PortFile): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
  socket.on('message', (data: Buffer) => {
    const at = Date.now();
    const frame = JSON.parse(data.toString()) as ReaderFrame;
    if (frame.type !== 'session-event') report({ is: 'frame', at, frame });
  });
  socket.on('error', (error) => report({ is: 'log', text: `the stream broke: ${String(error)}` }));
  socket.on('close', (code) => report({ is: 'log', text: `the stream was closed with ${code}` }));
  await once(socket, 'message');
  return socket;
}

async function listen(collector: Collector, on: boolean): Promise<void> {
  const { stream, place } = collector;
  if (on === (stream !== undefined)) return;
  collector.stream = on ? await follow(place) : undefined;
  stream?.close();
}

function run({ file, args, cwd, env, timeoutMs }: Run): Promise<Ran> {
  return new Promise((resolve) => {
    const at = Date.now();
    const options = { cwd, env: { ...env }, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 4_000_000 } as const;
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ at, code: error ? child.exitCode : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

async function get({ url, token }: PortFile, route: string): Promise<unknown> {
  const response = await fetch(`${url}${route}`, { headers: { authorization: `Bearer ${token}` } });
  return response.json();
}

async function stopped(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

function cpuOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // What stands before is the program's name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) * TICK_MS;
}

async function main(): Promise<void> {
  const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
  await mkdir(setup.storage, { recursive: true });
  const model = await startModel((played) => report({ is: 'played', played }));
  let collector: Collector | undefined = await startCollector(setup);

  const running = () => {
    if (!collector) throw new Error('no collector runs');
    return collector;
  };
  const answer = async (order: Order): Promise<unknown> => {
    if (order.do === 'run') return run(order.run);
    if (order.do === 'get') return get(running().place, order.route);
    if (order.do === 'listen') return listen(running(), order.on);
    if (order.do === 'cpu') return cpuOf(running().process.pid);
    if (order.do === 'hang') return void running().process.kill(order.on ? 'SIGSTOP' : 'SIGCONT');
    if (order.do === 'collect') return void (collector = await startCollector(setup, order.settings));
    const { process: child } = running();
    collector = undefined;
    return stopped(child, order.signal);
  };
  const obey = (order: Order) =>
    answer(order).then(
      (value = null) => report({ is: 'answer', id: order.id, value }),
      (error: unknown) => report({ is: 'failed', id: order.id, error: String(error) }),
    );

  report({ is: 'ready', model: model.url });
  const orders = createInterface({ input: process.stdin });
  orders.on('line', (line) => void obey(JSON.parse(line) as Order));
  orders.once('close', () => process.exit(0));
}

await main();
