import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { findProgram } from '../../scripts/lib/findProgram.mjs';
import { hookCommand } from '../../src/domain/hooks/command.ts';
import { type HandOver, parseHandOver } from '../../src/protocol/handOver.ts';
import type { HookedId } from '../../src/protocol/providers.ts';

const root = path.join(import.meta.dirname, '../..');

/** The shells of this machine that an agent may start as `sh`, each by what makes it behave as one. */
export const shells: readonly (readonly [name: string, ...command: string[]])[] = [
  ['sh'],
  ['dash'],
  ['bash', '--posix'],
  ['zsh', '--emulate', 'sh'],
  ['busybox', 'sh'],
  ['ksh93'],
  ['mksh'],
  ['yash', '--posixly-correct'],
];

export function hasShell([name]: readonly [string, ...string[]]): boolean {
  return findProgram(name) !== undefined;
}

/** A home as the extension leaves it: the entry, and the forwarder that was built. */
export function prepareHome(home: string, forwarder?: string): string {
  const bin = path.join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(path.join(root, 'forwarder', 'hook'), path.join(bin, 'hook'));
  chmodSync(path.join(bin, 'hook'), 0o600);
  if (forwarder !== undefined) copyFileSync(forwarder, path.join(bin, 'forward-to-mascot.mjs'));
  return home;
}

/** A folder for the PATH with the few programs that an entry needs, and for some shells their own words, but no Node but a given one. */
export function programs(folder: string, node?: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ['cat', 'rm', 'mv', 'mkdir', 'env', 'sleep', 'printf', '[']) {
    const found = findProgram(name);
    if (found !== undefined) symlinkSync(found, path.join(folder, name));
  }
  if (node !== undefined) {
    const file = path.join(folder, 'node');
    if (node.startsWith('/')) symlinkSync(node, file);
    else {
      writeFileSync(file, `#!/bin/sh\n${node}\n`);
      chmodSync(file, 0o755);
    }
  }
  return folder;
}

export interface HookRun {
  readonly home: string;
  readonly shell?: readonly [string, ...string[]];
  readonly provider?: HookedId;
  readonly event?: string;
  readonly guards?: boolean;
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface StartedHook {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** As agents run it: its own group, and a socket as standard input, which is what Node makes of 'pipe'. */
export function startHook(run: HookRun): StartedHook {
  const { shell = ['sh'], provider = 'claude', event = 'PreToolUse', guards = false, env = {}, home } = run;
  const text = hookCommand({ system: 'posix', home }, provider, event, guards);
  const [program, ...options] = shell;
  const child = spawn(findProgram(program) ?? program, [...options, '-c', text], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Else an agent's start in a test could start the editor of whoever runs it.
    env: { PATH: process.env['PATH'] ?? '', HOME: path.dirname(home), CI: 'true', ...env },
    ...(run.cwd !== undefined && { cwd: run.cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (said: string) => (stdout += said));
  child.stderr.setEncoding('utf8').on('data', (said: string) => (stderr += said));
  // One that never reads closes its end.
  child.stdin.on('error', () => undefined);
  if (run.input !== undefined) child.stdin.end(run.input);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

export function runHook(run: HookRun): StartedHook['ended'] {
  return startHook({ input: '', ...run }).ended;
}

export interface Left {
  readonly name: string;
  readonly mode: number;
  readonly text: string;
  readonly handOver: HandOver | undefined;
}

/** What lies in the spool, dots and all. */
export function leftIn(home: string): readonly Left[] {
  const folder = path.join(home, 'spool');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(folder);
  const found = names.map((name) => leftAs(folder, name));
  const whole = found.filter((each) => each !== undefined);
  // What is gone may have been taken in, or be there under another name.
  return whole.length === found.length ? whole : leftIn(home);
}

function leftAs(folder: string, name: string): Left | undefined {
  try {
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8');
    return { name, mode: statSync(file).mode & 0o777, text, handOver: parseHandOver(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export const quiet = { code: 0, stdout: '', stderr: '' };
