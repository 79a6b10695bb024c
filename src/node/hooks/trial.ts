import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Cost, TrialRun } from '../../app/hooks/doctorPorts.ts';
import { TRIAL_EVENT, TRIAL_FIELD } from '../../protocol/handOver.ts';
import { killGroup } from './runProgram.ts';

/** An agent gives a hook of ours 10 s. */
const RUN_LIMIT_MS = 10_000;
const SAID_MAX = 200;
const LAST_WORDS_MS = 200;
const ARRIVAL_SECONDS = 3;
const ARRIVAL_POLL_MS = 50;
const COST_RUNS = 20;

export interface TrialParts {
  /** The person's own folder and the way to programs: all that a hook of ours may count on. */
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  /** Milliseconds from its making to its being taken in; undefined: not yet. */
  readonly arrivalOf: (id: string) => Promise<number | undefined>;
}

interface Ran {
  readonly code: number | string;
  readonly said: string;
  readonly ms: number;
}

/** Runs an installed command as an agent does, and waits until the collector has what it handed over. */
export async function runTrial(command: string, parts: TrialParts): Promise<TrialRun> {
  const id = randomUUID();
  const { code, said } = await run(command, trialPayload(id, parts.cwd), parts);
  return { arrivedMs: await arrival(id, parts), seconds: ARRIVAL_SECONDS, code, said };
}

/** Turn by turn, so that whatever else the machine does weighs on both. */
export async function timeCost(command: string, parts: TrialParts): Promise<Cost> {
  const payload = trialPayload(randomUUID(), parts.cwd);
  const ours: number[] = [];
  const nothing: number[] = [];
  for (let turn = 0; turn < COST_RUNS; turn++) {
    nothing.push((await run('true', payload, parts)).ms);
    ours.push((await run(command, payload, parts)).ms);
  }
  return { p50: quantile(ours, 0.5), p95: quantile(ours, 0.95), nothing: quantile(nothing, 0.5) };
}

function trialPayload(id: string, cwd: string): string {
  return JSON.stringify({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: id, session_id: `trial-${id}`, cwd });
}

async function arrival(id: string, { arrivalOf }: TrialParts): Promise<number | null> {
  const until = performance.now() + ARRIVAL_SECONDS * 1_000;
  while (performance.now() < until) {
    const ms = await arrivalOf(id);
    if (ms !== undefined) return Math.max(0, Math.round(ms));
    await wait(ARRIVAL_POLL_MS);
  }
  return null;
}

async function run(command: string, input: string, { environment, platform, cwd }: TrialParts): Promise<Ran> {
  const begin = performance.now();
  const windows = platform === 'win32';
  const options = { env: environment, cwd, detached: !windows } as const;
  const child = windows ? spawn(command, { ...options, shell: true }) : spawn('sh', ['-c', command], options);
  let said = '';
  const hear = (text: Buffer) => {
    if (said.length < SAID_MAX) said += text.toString('utf8');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  // A hook that reads nothing closes its end first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const closed = once(child, 'close').catch(() => undefined);
  const code = await ending(child);
  const ms = performance.now() - begin;
  // What it printed last may still be on its way; what it left running in the background may hold the pipes for ever.
  await Promise.race([closed, wait(LAST_WORDS_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return { code, said: said.trim().slice(0, SAID_MAX), ms };
}

async function ending(child: ChildProcess): Promise<number | string> {
  const limit = setTimeout(() => killGroup(child), RUN_LIMIT_MS);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return code ?? signal ?? 'unknown';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code ?? error);
  } finally {
    clearTimeout(limit);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return Math.round(value * 10) / 10;
}
