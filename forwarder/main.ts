import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GUARD_FILE_NAME } from '../src/protocol/handOver.ts';
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
import { buildMeta } from './meta.ts';
import { readOptions } from './options.ts';
import { findOrigin } from './origin.ts';
import { complain, printOutput } from './output.ts';
import { startsSession } from './payload.ts';
import { tellSession } from './sessionEnvironment.ts';
import type { SpooledEvent } from './spool.ts';

declare const __PRODUCT_VERSION__: string;

const NOT_RUNNING = 'VS Code with Agent Mascot is not running';

const environment = readVariables(process.env);
const home = homeFolder(environment);
const options = readOptions(process.argv.slice(2));
const report = options.installed ? (message: string) => logToHome(home, message) : complain;

// Whatever breaks, the agent must not: Node would end with 1 and a stack for the agent to read.
process.on('uncaughtException', giveUp);
process.on('unhandledRejection', giveUp);
try {
  await (options.guard ? ask() : forward());
  process.exit(0);
} catch (error) {
  giveUp(error);
}

function giveUp(error: unknown): never {
  report(error instanceof InputError ? error.message : `${unforeseen(error)}; the event may be lost.`);
  process.exit(error instanceof InputError && !options.installed ? 1 : 0);
}

/** What an error says may quote what it choked on, and a log is kept. */
function unforeseen(error: unknown): string {
  const { name, code } = error as NodeJS.ErrnoException;
  return `an unexpected error (${options.installed ? [name, code].filter(Boolean).join(' ') : String(error)}), please report it`;
}

async function forward(): Promise<void> {
  const file = options.handOver;
  const call = file === undefined ? await callFromInput(options, environment) : callFromFile(file, environment);
  const isStart = startsSession(call.payload);
  const until = performance.now() + (isStart ? SESSION_START_DEADLINE_MS : DELIVERY_DEADLINE_MS);
  if (isStart && environment.CLAUDE_ENV_FILE !== undefined) {
    tellSession(environment.CLAUDE_ENV_FILE, call.payload, home);
  }
  const event = await complete(call, isStart);
  keepWhenInterrupted(call, event);
  const outcome = await bring(event, until).catch((error: unknown): Outcome => ({
    kind: 'undelivered',
    why: unforeseen(error),
  }));
  conclude(outcome, call, event);
}

/** The same event reaches the collector by the hook that tells, so this one is kept nowhere, and no answer means yes. */
async function ask(): Promise<void> {
  if (!existsSync(join(home, GUARD_FILE_NAME))) return;
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
  const until = performance.now() + GUARD_DEADLINE_MS;
  const call = await callFromInput(options, environment);
  const outcome = await bring(await complete(call, false), until);
  if (outcome.kind === 'delivered' && outcome.output) printOutput(outcome.output);
}

async function complete(call: Call, isStart: boolean): Promise<SpooledEvent> {
  const { payload, variables, parent, host, cwd, collectedAt, deliveryId } = call;
  const meta = buildMeta(
    payload,
    variables,
    await findOrigin({ platform: process.platform, parent }, variables, isStart),
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
  return { json: fitPayload({ ...payload, _meta: meta }), collectedAt, deliveryId };
}

async function bring(event: SpooledEvent, until: number): Promise<Outcome> {
  const collector = await findCollector(environment, until - performance.now());
  return isCollector(collector) ? deliver(collector, event.json, until) : { kind: 'undelivered', why: collector.why };
}

function conclude(outcome: Outcome, call: Call, event: SpooledEvent): void {
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
      keep(call, event, outcome.why ?? NOT_RUNNING, outcome.why === undefined);
  }
}

/** Says what became of the event. That nobody listens is nothing that a log would need. */
function keep(call: Call, event: SpooledEvent, why: string, isUsual = false): void {
  try {
    call.keep(event);
    if (isUsual && options.installed) return;
    report(`${why}; the event is kept and shown ${isUsual ? 'when it starts' : 'later'}.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    report(`${why}; and the event could not be kept in ${home} (${code}): make room or make it writable`);
  }
}

/**
 * An agent that ends, or loses patience, ends its hooks by a signal and asks again 1.5 s later by SIGKILL: enough to keep
 * the event. So is what an error leaves in a socket's handler, where nobody catches it. Should the collector have taken
 * the event after all, the delivery_id tells.
 */
function keepWhenInterrupted(call: Call, event: SpooledEvent): void {
  const keepAndEnd = (why: string) => {
    keep(call, event, why);
    process.exit(0);
  };
  const stop = () => keepAndEnd('stopped by the agent before the collector answered');
  const fail = (error: unknown) => keepAndEnd(unforeseen(error));
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, stop);
  // Before those that know of no event.
  process.prependListener('uncaughtException', fail);
  process.prependListener('unhandledRejection', fail);
}

async function sha256(): Promise<(text: string) => string> {
  const { createHash } = await import('node:crypto');
  return (text) => createHash('sha256').update(text).digest('hex');
}
