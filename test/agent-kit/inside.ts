/**
 * Runs inside the lab's namespaces: starts the scripted model and the built collector, follows `/ws`, and obeys orders that
 * come as JSON lines on standard input. It ends, and everything in its PID namespace with it, when that input closes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import type { PortFile } from '../../src/protocol/discovery.ts';
import type { ServerFrame } from '../../src/protocol/wire.ts';
import { portFileAt } from '../portFileAt.testkit.ts';
import { startModel } from './model.ts';
import type { Order, Ran, Report, Run, Setup } from './words.ts';

function report(line: Report): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function startCollector({ dist, home, storage }: Setup): Promise<PortFile> {
  const own = path.join(home, '.agent-mascot');
  const args = [path.join(dist, 'headless.js'), '--storage', storage, '--home', own, '--port', '0'];
  // The same HOME as the agents': the collector reads what they write about themselves there.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(home) });
  child.stderr.on('data', (text: Buffer) => report({ is: 'log', text: text.toString() }));
  child.once('exit', (code) => report({ is: 'log', text: `the collector ended with ${code}` }));
  const ready = createInterface({ input: child.stdout });
  await Promise.race([
    once(ready, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the collector ended before it was ready'))),
  ]);
  const file = portFileAt(path.join(own, 'collector.json'));
  if (!file) throw new Error('the collector wrote no port file');
  return file;
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
}

async function follow({ port, token }: PortFile): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
  socket.on('message', (data: Buffer) => {
    const at = Date.now();
    report({ is: 'frame', at, frame: JSON.parse(data.toString()) as ServerFrame });
  });
  socket.on('close', (code) => report({ is: 'log', text: `the stream was closed with ${code}` }));
  await once(socket, 'message');
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

async function obey(order: Order, collector: PortFile): Promise<Report> {
  const { id } = order;
  try {
    if (order.do === 'run') return { is: 'ran', id, value: await run(order.run) };
    return { is: 'got', id, value: await get(collector, order.route) };
  } catch (error) {
    return { is: 'failed', id, error: String(error) };
  }
}

async function main(): Promise<void> {
  const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
  await mkdir(setup.storage, { recursive: true });
  const model = await startModel((played) => report({ is: 'played', played }));
  const collector = await startCollector(setup);
  await follow(collector);
  report({ is: 'ready', model: model.url });
  const orders = createInterface({ input: process.stdin });
  orders.on('line', (line) => void obey(JSON.parse(line) as Order, collector).then(report));
  orders.once('close', () => process.exit(0));
}

await main();
