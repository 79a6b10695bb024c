import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GUARD_FILE_NAME } from '../src/protocol/handOver.ts';
import type { HookMeta, ProviderId } from '../src/protocol/hook.ts';
import { DELIVERY_DEADLINE_MS, GUARD_DEADLINE_MS, SESSION_START_DEADLINE_MS } from '../src/protocol/limits.ts';
import { callFromFile, callFromInput } from './call.ts';
import type { Call } from './call.ts';
import { findCollector, isCollector } from './collector.ts';
import { fitPayload } from './cut.ts';
import { deliver } from './deliver.ts';
import type { Outcome } from './deliver.ts';
import { readVariables } from './environment.ts';
import { homeFolder } from './home.ts';
import { logToHome } from './hookLog.ts';
import { InputError } from './input.ts';
import { considerStart, launchApart, launchEditor, projectsOf } from './launch.ts';
import { isLaunchRightTaken, takeLaunchRight } from './launchRight.ts';
import { startsAgent } from './launchWhen.ts';
import { buildMeta } from './meta.ts';
import { readOptions } from './options.ts';
import { findOrigin } from './origin.ts';
import type { Origin } from './origin.ts';
import { complain, printOutput } from './output.ts';
import { startsSession } from './payload.ts';
import { providerOf } from './provider.ts';
import { tellSession } from './sessionEnvironment.ts';
import { dropInTurn, SPOOL_FOLDER_NAME } from './spool.ts';
import type { SpooledEvent } from './spool.ts';

declare const __PRODUCT_VERSION__: string;

const NOT_RUNNING = 'VS Code with Agent Mascot is not running';

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const environment = readVariables(process.env);
const home = homeFolder(environment);
const options = readOptions(process.argv.slice(2));
const report = options.installed ? (message: string) => logToHome(home, message) : complain;

// Whatever breaks, the agent must not: Node would end with 1 and a stack for the agent to read.
process.on('uncaughtException', giveUp);
process.on('unhandledRejection', giveUp);
try {
  await run();
  process.exit(0);
} catch (error) {
  giveUp(error);
}

async function run(): Promise<void> {
  // FWD-6: the entry starts this now and then, for it can't count.
  if (options.sweepSpool) return dropInTurn(join(home, SPOOL_FOLDER_NAME), {}, 0);
  if (options.tellLost) return tellLost();
  if (options.launch === 'decide') return launchIfNobodyRuns();
  if (options.launch === 'start') return launchHere();
  return options.guard ? ask() : forward();
}

function giveUp(error: unknown): never {
  report(
    error instanceof InputError
      ? error.message
      : `${unforeseen(error)}; ${options.launch ? 'no editor was started' : 'the event may be lost'}.`,
  );
  process.exit(error instanceof InputError && !options.installed ? 1 : 0);
}

/** What an error says may quote what it choked on, and a log is kept. */
function unforeseen(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException;
  return `an unexpected error (${options.installed ? [name, code].filter(Boolean).join(' ') : String(error)}), please report it`;
}

async function forward(): Promise<void> {
  const file = options.handOver;
  const call = keptOnce(
    file === undefined ? await callFromInput(options, environment) : callFromFile(file, environment),
  );
  const isStart = startsSession(call.payload);
  const until = performance.now() + (isStart ? SESSION_START_DEADLINE_MS : DELIVERY_DEADLINE_MS);
  if (isStart && environment.CLAUDE_ENV_FILE !== undefined) {
    tellSession(environment.CLAUDE_ENV_FILE, call.payload, home);
  }
  const origin = await originOf(call, isStart);
  const event = await complete(call, isStart, origin);
  keepWhenInterrupted(call, event);
  const outcome = await bring(event, until).catch((error: unknown): Outcome => ({
    kind: 'undelivered',
    why: unforeseen(error),
  }));
  await conclude(outcome, call, event, origin);
}

/**
 * The same event reaches the collector by the hook that tells, and no answer means yes. Only that nobody answered is kept:
 * whoever collects next says so (GRD-3).
 */
async function ask(): Promise<void> {
  if (!existsSync(join(home, GUARD_FILE_NAME))) return;
  for (const signal of endings) process.on(signal, () => process.exit(0));
  const until = performance.now() + GUARD_DEADLINE_MS;
  const call = await callFromInput(options, environment);
  const event = await complete(call, false, await originOf(call, false), 'asks');
  const outcome = await bring(event, until);
  if (outcome.kind !== 'delivered') keep(call, event, NOT_RUNNING);
  else if (outcome.output) printOutput(outcome.output);
}

/** FWD-6. Standard input was read by then, so nobody can say what was in it. */
function tellLost(): void {
  report(
    `an event (${options.event ?? 'unnamed'}) could not be written whole to ${join(home, SPOOL_FOLDER_NAME)} and is lost: make room`,
  );
}

/** FWD-7. At a sub-agent's start the entry has left the event in the spool, and nobody waits for this. */
async function launchIfNobodyRuns(): Promise<void> {
  const collector = await findCollector(environment, DELIVERY_DEADLINE_MS);
  if (isCollector(collector) || collector.why !== undefined) return;
  const parent = options.parent ?? process.ppid;
  const origin = await findOrigin({ platform: process.platform, parent }, environment, false);
  await launchFor(origin, providerOf(options.provider, environment.MASCOT_PROVIDER, {}), options.cwd);
}

async function launchHere(): Promise<void> {
  const say = await launchEditor(home, process.env, options.projects);
  if (say !== undefined) report(say);
}

/** What is left to say. An installed hook says it in the log, and no more often than an editor may be started. */
async function launchFor(origin: Origin, provider: ProviderId, cwd?: string): Promise<string | undefined> {
  const { tty, readArguments } = origin.agent ?? {};
  const start = { platform: process.platform, provider, tty, commandLine: readArguments?.() };
  const consideration = considerStart(home, start, process.env);
  if (consideration.kind === 'leave') {
    const { say } = consideration;
    if (options.installed && say !== undefined && takeLaunchRight(home, Date.now())) report(say);
    return say;
  }
  const projects = projectsOf(process.env, cwd);
  if (!options.installed) return launchEditor(home, process.env, projects);
  if (!isLaunchRightTaken(home, Date.now())) await launchApart(process.argv[1] ?? '', process.env, projects);
  return undefined;
}

function originOf({ parent, variables }: Call, isStart: boolean): Promise<Origin> {
  return findOrigin({ platform: process.platform, parent }, variables, isStart);
}

async function complete(
  call: Call,
  isStart: boolean,
  origin: Origin,
  guard?: HookMeta['guard'],
): Promise<SpooledEvent> {
  const { payload, variables, host, cwd, collectedAt, deliveryId } = call;
  const meta = buildMeta(
    payload,
    variables,
    origin,
    {
      id: deliveryId,
      collectedAt,
      forwarderVersion: __PRODUCT_VERSION__,
      providerArgument: call.provider,
      eventArgument: call.event,
      cwd,
      host,
    },
    isStart ? await sha256() : undefined,
  );
  return { json: fitPayload({ ...payload, _meta: { ...meta, guard } }), collectedAt, deliveryId };
}

async function bring(event: SpooledEvent, until: number): Promise<Outcome> {
  const collector = await findCollector(environment, until - performance.now());
  return isCollector(collector) ? deliver(collector, event.json, until) : { kind: 'undelivered', why: collector.why };
}

async function conclude(outcome: Outcome, call: Call, event: SpooledEvent, origin: Origin): Promise<void> {
  switch (outcome.kind) {
    case 'delivered':
      call.finish();
      if (outcome.output) printOutput(outcome.output);
      return;
    case 'rejected':
      call.finish();
      report(options.installed ? outcome.why : `${outcome.why}: ${outcome.said}`);
      return;
    case 'undelivered':
      if (outcome.why === undefined) await waitForEditor(call, event, origin);
      else if (keep(call, event, outcome.why)) report(`${outcome.why}; the event is kept and shown later.`);
  }
}

/** Nobody listens: nothing that a log would need. The event waits; what starts an agent starts the editor too. */
async function waitForEditor(call: Call, event: SpooledEvent, origin: Origin): Promise<void> {
  if (!keep(call, event, NOT_RUNNING)) return;
  const provider = providerOf(call.provider, call.variables.MASCOT_PROVIDER, call.payload);
  const say = startsAgent(call.payload, call.event) ? await launchFor(origin, provider, call.cwd) : undefined;
  if (options.installed) return;
  report([NOT_RUNNING, 'the event is kept and shown when it starts', say].filter(Boolean).join('; ').concat('.'));
}

function keep(call: Call, event: SpooledEvent, why: string): boolean {
  try {
    call.keep(event);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    report(`${why}; and the event could not be kept in ${home} (${code}): make room or make it writable`);
    return false;
  }
}

/** An agent's signal may come after the event was kept, and the collector may have it by then. */
function keptOnce(call: Call): Call {
  let isKept = false;
  return {
    ...call,
    keep(event) {
      if (!isKept) call.keep(event);
      isKept = true;
    },
  };
}

/**
 * An agent that ends, or loses patience, ends its hooks by a signal and asks again 1.5 s later by SIGKILL: enough to keep
 * the event. So is what an error leaves in a socket's handler, where nobody catches it. Should the collector have taken
 * the event after all, the delivery_id tells.
 */
function keepWhenInterrupted(call: Call, event: SpooledEvent): void {
  const keepAndEnd = (why: string) => {
    if (keep(call, event, why)) report(`${why}; the event is kept and shown later.`);
    process.exit(0);
  };
  const stop = () => keepAndEnd('stopped by the agent before the collector answered');
  const fail = (error: unknown) => keepAndEnd(unforeseen(error));
  for (const signal of endings) process.on(signal, stop);
  // Before those that know of no event.
  process.prependListener('uncaughtException', fail);
  process.prependListener('unhandledRejection', fail);
}

async function sha256(): Promise<(text: string) => string> {
  const { createHash } = await import('node:crypto');
  return (text) => createHash('sha256').update(text).digest('hex');
}
