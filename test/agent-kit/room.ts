/** Namespaces of their own, and the lines to the process inside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createWatch, type Watch } from './watch.ts';
import type { Order, Ran, Report, Run, Settings, Setup } from './words.ts';

export interface Room {
  readonly watch: Watch;
  /** The address of the scripted model. */
  readonly ready: Promise<string>;
  run(run: Run): Promise<Ran>;
  get(route: string): Promise<unknown>;
  startCollector(settings?: Settings): Promise<void>;
  stopCollector(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  hangCollector(on: boolean): Promise<void>;
  listen(on: boolean): Promise<void>;
  collectorCpuMs(): Promise<number>;
  log(): string;
  close(): Promise<void>;
}

/** A shell is the first process inside, for it takes in orphans, which Node would leave as zombies; `bash` would read ~/.bashrc. */
const INIT = 'ip link set lo up && mount -t tmpfs tmpfs /tmp && "$@"; exit $?';

export function openRoom(setup: Setup): Room {
  const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
  const inside = [process.execPath, quiet, path.join(import.meta.dirname, 'inside.ts'), JSON.stringify(setup)];
  const args = ['-n', '-m', '-p', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', INIT, 'lab', ...inside];
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin` };
  const child = spawn('unshare', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const watch = createWatch();
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let log = '';
  let last = 0;
  child.stderr.on('data', (text: Buffer) => (log += text.toString()));
  // An order to a room that is gone fails by its exit, not by the broken pipe.
  child.stdin.on('error', () => undefined);

  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => {
      const gone = new Error(`the lab ended with ${code}: ${log}`);
      reject(gone);
      for (const order of open.values()) order.reject(gone);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      if (report.is === 'ready') resolve(report.model);
      else if (report.is === 'frame') watch.frame(report.at, report.frame);
      else if (report.is === 'played') watch.played(report.played);
      else if (report.is === 'log') log += `${report.text}\n`;
      else {
        const order = open.get(report.id);
        open.delete(report.id);
        if (report.is === 'failed') order?.reject(new Error(report.error));
        else order?.resolve(report.value as never);
      }
    });
  });

  function send<T>(order: (id: number) => Order): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++last;
      open.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify(order(id))}\n`);
    });
  }

  return {
    watch,
    ready,
    run: (run) => send((id) => ({ do: 'run', id, run })),
    get: (route) => send((id) => ({ do: 'get', id, route })),
    startCollector: (settings) => send((id) => ({ do: 'collect', id, settings })),
    stopCollector: (signal) => send((id) => ({ do: 'stop', id, signal })),
    hangCollector: (on) => send((id) => ({ do: 'hang', id, on })),
    listen: (on) => send((id) => ({ do: 'listen', id, on })),
    collectorCpuMs: () => send((id) => ({ do: 'cpu', id })),
    log: () => log,
    async close() {
      await ended(child);
      process.off('exit', killAtExit);
    },
  };
}

/** When the first process inside ends, the kernel ends all others of its PID namespace. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(timer);
}
