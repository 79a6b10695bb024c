import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { spool } from '../../forwarder/spool.ts';
import { parsePortFile, type PortFile } from '../../src/protocol/discovery.ts';
import type { Snapshot } from '../../src/protocol/state.ts';

const root = path.join(import.meta.dirname, '../..');

export interface WindowOptions {
  readonly home: string;
  readonly storage: string;
  readonly assets: string;
  readonly app: string;
  readonly version: string;
  readonly tickMs: number;
}

export interface Line {
  readonly kind: string;
  readonly at: number;
  readonly status?: string;
  readonly instance?: string;
  readonly generation?: number;
  readonly owns?: boolean;
  readonly revision?: number;
  readonly state?: Snapshot;
  readonly sessions?: number;
  readonly message?: string;
}

export interface Window {
  readonly child: ChildProcess;
  readonly lines: readonly Line[];
  readonly options: WindowOptions;
  order(text: string): void;
  /** Resolves with the first line from that one on which is what is meant. */
  until(is: (line: Line) => boolean, from?: number): Promise<Line>;
  state(): Promise<Line>;
  /** The same without the state itself, which takes as long to say as all the rest of a round. */
  standing(): Promise<Line>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process has gone. */
  end(name: NodeJS.Signals): Promise<void>;
}

/** The product's is a second. With less than this, five windows on two busy processors take each other's work for a hang. */
export const TICK_MS = 150;

/** A takeover after a hang takes ten at most. */
const SILENCE_MS = 20_000;

/** Those that a test has opened, so that none is left when it fails. */
const opened = new Set<ChildProcess>();
const started = new Set<Agents>();

export async function endAll(): Promise<void> {
  await Promise.all([...started].map((agents) => agents.rest()));
  started.clear();
  const running = [...opened].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const gone = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(gone);
  opened.clear();
}

/** The child as one file: twenty times as many starts fit into the same time. */
export async function buildWindow(folder: string): Promise<string> {
  const program = path.join(folder, 'window.cjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, 'windowChild.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
  });
  return program;
}

export function openWindow(program: string, folder: string, changes: Partial<WindowOptions> = {}): Window {
  const options: WindowOptions = {
    home: path.join(folder, 'home'),
    storage: path.join(folder, 'storage'),
    assets: path.join(root, 'dist'),
    app: 'test',
    version: '1.0.0',
    tickMs: TICK_MS,
    ...changes,
  };
  const child = spawn(
    process.execPath,
    [program, JSON.stringify(options)],
    // Its own HOME: the sessions of whoever runs the tests are none of a test's.
    { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] ?? '', HOME: folder } },
  );
  opened.add(child);
  const lines: Line[] = [];
  let wake = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = whole(text);
    if (line) lines.push(line);
    wake.resolve();
    wake = Promise.withResolvers();
  });
  child.stdin.on('error', () => undefined);
  child.once('exit', () => wake.resolve());
  const gone = once(child, 'exit');

  const told = () => JSON.stringify(lines.slice(-8).map((line) => ({ ...line, state: undefined })));
  async function until(is: (line: Line) => boolean, from = 0): Promise<Line> {
    for (let at = from; ; at++) {
      while (at >= lines.length) {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`the window has ended: ${told()}`);
        }
        const late = wait(SILENCE_MS, undefined, { ref: false }).then(() =>
          Promise.reject(new Error(`nothing is said any more: ${told()}`)),
        );
        await Promise.race([wake.promise, late]);
      }
      const line = lines[at];
      if (line && is(line)) return line;
    }
  }
  function asked(what: 'state' | 'standing'): Promise<Line> {
    const from = lines.length;
    child.stdin.write(`${what}\n`);
    return until(({ kind }) => kind === what, from);
  }
  return {
    child,
    lines,
    options,
    order: (text) => void child.stdin.write(`${text}\n`),
    until,
    state: () => asked('state'),
    standing: () => asked('standing'),
    signal: (name) => void child.kill(name),
    async end(name) {
      child.kill(name);
      await gone;
      opened.delete(child);
    },
  };
}

/** Undefined for a line that its process was killed in. */
function whole(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

export function portFileIn(home: string): PortFile | undefined {
  try {
    return parsePortFile(readFileSync(path.join(home, 'collector.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Resolves when exactly one of them owns and all show the same; gives what they show. */
export async function agreed(windows: readonly Window[], deadlineMs = 20_000): Promise<Snapshot> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    const alike = isAgreed(await Promise.all(windows.map((window) => window.standing())));
    const answers = alike || Date.now() > until ? await Promise.all(windows.map((window) => window.state())) : [];
    const [first, ...others] = answers.map(({ state }) => JSON.stringify(state));
    const state = answers[0]?.state;
    if (isAgreed(answers) && state && others.every((other) => other === first)) return state;
    if (Date.now() > until) {
      const told = answers.map(({ status, owns, state: seen }) => [status, owns, seen?.owner, seen?.revision]);
      throw new Error(
        `no agreement: ${JSON.stringify(told)} ${JSON.stringify(windows.map(({ lines }) => lines.filter(({ kind }) => kind !== 'state').slice(-6)))}`,
      );
    }
    await wait(20);
  }
}

function isAgreed(answers: readonly Line[]): boolean {
  const live = answers.every(({ status }) => status === 'live');
  const shown = new Set(answers.map(({ revision, instance }) => `${revision} ${instance}`));
  return answers.filter(({ owns }) => owns).length === 1 && live && shown.size === 1;
}

export interface Agents {
  /** Prompts that were acknowledged or spooled, with their session. */
  readonly kept: ReadonlyMap<string, string>;
  /** Resolves when what was sent has ended, one way or the other. */
  rest(): Promise<void>;
  goOn(): void;
}

/** One project's sessions go on for a while, then others begin. */
const AT_ONCE = 4;
const EVENTS_EACH = 500;

/**
 * Events at a steady pace, every other one by HTTP as a forwarder would (else into the spool), the rest as files. They pause after
 * so many seconds' worth, until they are told to go on: what never pauses gives a machine the more to do the slower it is.
 */
export function startAgents(home: string, perSecond: number, seconds = Infinity): Agents {
  const kept = new Map<string, string>();
  const sending = new Set<Promise<void>>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  async function send(number: number): Promise<void> {
    const prompt = `prompt ${number}`;
    const deliveryId = randomUUID();
    const collectedAt = new Date().toISOString();
    const meta = { delivery_id: deliveryId, collected_at: collectedAt, provider: 'claude' };
    const session_id = `session-${Math.floor(number / AT_ONCE / EVENTS_EACH)}-${number % AT_ONCE}`;
    const json = JSON.stringify({
      hook_event_name: 'UserPromptSubmit',
      session_id,
      prompt,
      cwd: '/nowhere',
      _meta: meta,
    });
    const answered = number % 2 === 0 && (await post(home, json));
    if (!answered) spool(home, { json, collectedAt, deliveryId });
    kept.set(prompt, session_id);
  }

  function goOn(): void {
    const began = Date.now();
    const before = count;
    timer ??= setInterval(() => {
      const due = before + Math.min(seconds, (Date.now() - began) / 1000) * perSecond;
      for (; count < due; count++) {
        const sent = send(count);
        sending.add(sent);
        void sent.finally(() => sending.delete(sent));
      }
    }, 10);
  }

  goOn();
  const agents: Agents = {
    kept,
    goOn,
    async rest() {
      clearInterval(timer);
      timer = undefined;
      await Promise.all(sending);
    },
  };
  started.add(agents);
  return agents;
}

async function post(home: string, body: string): Promise<boolean> {
  const found = portFileIn(home);
  if (!found) return false;
  try {
    const headers = { authorization: `Bearer ${found.token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${found.url}/ingest`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(2_000),
    });
    return reply.status === 200;
  } catch {
    return false;
  }
}

/** What of that is not stored exactly once, once the spool is empty. */
export async function notOnce(
  home: string,
  kept: ReadonlyMap<string, string>,
  deadlineMs = 20_000,
): Promise<readonly string[]> {
  const until = Date.now() + deadlineMs;
  const files = () => readdirSync(path.join(home, 'spool')).filter((name) => name.endsWith('.json'));
  while (files().length > 0 && Date.now() < until) await wait(20);
  const counts = new Map<string, number>();
  for (const session of new Set(kept.values())) {
    for (const prompt of await promptsOf(home, session)) counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
  }
  return [...kept.keys()].flatMap((prompt) =>
    counts.get(prompt) === 1 ? [] : [`${prompt}: ${counts.get(prompt) ?? 0} times`],
  );
}

async function promptsOf(home: string, session: string): Promise<readonly string[]> {
  const found = portFileIn(home);
  const prompts: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const headers = { authorization: `Bearer ${found?.token ?? ''}` };
    const reply = await fetch(`${found?.url ?? ''}/api/sessions/${session}/events?limit=500${more}`, { headers });
    const page = (await reply.json()) as { items?: { payload: { prompt?: string } }[]; next?: string | null };
    prompts.push(...(page.items ?? []).flatMap(({ payload }) => payload.prompt ?? []));
    cursor = page.next ?? null;
  }
  return prompts;
}

/** Every file below a folder with its bytes and its time, but for those that others write there. */
export function filesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name): [string, string][] => {
      const file = path.join(folder, name);
      const facts = statSync(file, { throwIfNoEntry: false });
      return facts?.isFile() ? [[name, `${facts.mtimeMs} ${facts.size} ${readFileSync(file, 'base64')}`]] : [];
    }),
  );
}
