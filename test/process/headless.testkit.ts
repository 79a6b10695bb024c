import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PortFile } from '../../src/protocol/discovery.ts';
import { portFileAt } from '../portFileAt.testkit.ts';

const root = path.join(import.meta.dirname, '../..');

export interface Headless {
  readonly child: ChildProcess;
  readonly home: string;
  readonly storage: string;
  /** Resolves with the ready line; rejects with what stderr said when the process ends before. */
  readonly ready: Promise<{ readonly url: string; readonly portFile: string }>;
  stderr(): string;
  portFile(): PortFile | undefined;
  post(hook: Record<string, unknown>): Promise<Response>;
  get(route: string): Promise<Record<string, unknown>>;
  /** Ends it with this signal and gives its exit code. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

export function temporaryFolder(): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(path.join(tmpdir(), 'mascot-headless-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** The built headless collector as a process of its own. */
export function startHeadless(dir: string, options: { storage?: string; args?: readonly string[] } = {}): Headless {
  const home = path.join(dir, 'home');
  const storage = path.join(dir, options.storage ?? 'store');
  const args = options.args ?? ['--storage', storage, '--port', '0', '--home', home];
  const child = spawn(process.execPath, [path.join(root, 'dist/headless.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own HOME: the sessions of whoever runs the tests are none of a test's.
    env: { PATH: process.env['PATH'] ?? '', HOME: dir },
  });
  let stderr = '';
  let stdout = '';
  const ready = new Promise<{ url: string; portFile: string }>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString();
      const line = stdout.split('\n').find((each) => each.includes('"ready":true'));
      if (line) resolve(JSON.parse(line) as { url: string; portFile: string });
    });
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    child.once('exit', (code) => reject(new Error(`headless ended with ${code}: ${stderr}`)));
  });
  // A test that never waits for it must not fail for its rejection.
  ready.catch(() => undefined);
  const file = path.join(home, 'collector.json');
  const portFile = () => portFileAt(file);
  const headers = () => ({ authorization: `Bearer ${portFile()?.token ?? ''}`, 'content-type': 'application/json' });
  /** It may have lost the home and taken it again since it was first ready. */
  const address = async () => portFile()?.url ?? (await ready).url;
  return {
    child,
    home,
    storage,
    ready,
    stderr: () => stderr,
    portFile,
    post: async (hook) =>
      fetch(`${await address()}/ingest`, { method: 'POST', headers: headers(), body: JSON.stringify(hook) }),
    get: async (route) =>
      (await fetch(`${await address()}${route}`, { headers: headers() })).json() as Promise<Record<string, unknown>>,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      return ((await exited) as [number | null])[0];
    },
  };
}
