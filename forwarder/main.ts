import { readFileSync } from 'node:fs';
import { DELIVERY_DEADLINE_MS, SESSION_START_DEADLINE_MS } from '../src/protocol/limits.ts';
import { findCollector, isCollector } from './collector.ts';
import { fitPayload } from './cut.ts';
import { deliver } from './deliver.ts';
import type { Outcome } from './deliver.ts';
import { readVariables } from './environment.ts';
import type { Variables } from './environment.ts';
import { homeFolder } from './home.ts';
import { InputError, parsePayload, readInput } from './input.ts';
import { buildMeta } from './meta.ts';
import { findOrigin } from './origin.ts';
import { complain, printOutput } from './output.ts';
import { startsSession } from './payload.ts';
import { spool } from './spool.ts';
import type { SpooledEvent } from './spool.ts';

declare const __PRODUCT_VERSION__: string;

const NOT_RUNNING = 'VS Code with Agent Mascot is not running';

// Whatever breaks, the agent must not: Node would end with 1 and a stack for the agent to read.
process.on('uncaughtException', giveUp);
process.on('unhandledRejection', giveUp);
try {
  await forward(process.argv.slice(2), readVariables(process.env));
  process.exit(0);
} catch (error) {
  giveUp(error);
}

function giveUp(error: unknown): never {
  complain(error instanceof InputError ? error.message : `${unforeseen(error)}; the event may be lost.`);
  process.exit(error instanceof InputError ? 1 : 0);
}

function unforeseen(error: unknown): string {
  return `an unexpected error (${String(error)}), please report it`;
}

async function forward(args: readonly string[], variables: Variables): Promise<void> {
  const text = await readInput();
  const collectedAt = new Date().toISOString();
  const payload = parsePayload(text);
  const isStart = startsSession(payload);
  const until = performance.now() + (isStart ? SESSION_START_DEADLINE_MS : DELIVERY_DEADLINE_MS);

  const deliveryId = await randomId();
  const self = { platform: process.platform, parent: process.ppid };
  const meta = buildMeta(
    payload,
    variables,
    await findOrigin(self, variables, isStart),
    {
      id: deliveryId,
      collectedAt,
      forwarderVersion: __PRODUCT_VERSION__,
      providerArgument: optionValue(args, '--provider'),
      eventArgument: optionValue(args, '--event'),
      cwd: currentFolder(),
    },
    isStart ? await sha256() : undefined,
  );
  const event = { json: fitPayload({ ...payload, _meta: meta }), collectedAt, deliveryId };

  keepWhenInterrupted(event, variables);
  const outcome = await bring(event, variables, until).catch((error: unknown): Outcome => ({
    kind: 'undelivered',
    why: unforeseen(error),
  }));
  conclude(outcome, event, variables);
}

async function bring(event: SpooledEvent, variables: Variables, until: number): Promise<Outcome> {
  const collector = await findCollector(variables, until - performance.now());
  return isCollector(collector) ? deliver(collector, event.json, until) : { kind: 'undelivered', why: collector.why };
}

function conclude(outcome: Outcome, event: SpooledEvent, variables: Variables): void {
  switch (outcome.kind) {
    case 'delivered':
      if (outcome.output) printOutput(outcome.output);
      return;
    case 'rejected':
      complain(outcome.why);
      return;
    case 'undelivered':
      complain(
        outcome.why === undefined
          ? `${NOT_RUNNING}; ${keep(event, variables, 'when it starts')}`
          : `${outcome.why}; ${keep(event, variables, 'later')}`,
      );
  }
}

/** Says in words what became of the event. */
function keep(event: SpooledEvent, variables: Variables, when: 'when it starts' | 'later'): string {
  const home = homeFolder(variables);
  try {
    spool(home, event);
    return `the event is kept and shown ${when}.`;
  } catch (error) {
    return `and the event could not be kept in ${home} (${(error as NodeJS.ErrnoException).code}): make room or make it writable`;
  }
}

/**
 * An agent that ends, or loses patience, ends its hooks by a signal and asks again 1.5 s later by SIGKILL: enough to keep
 * the event. So is what an error leaves in a socket's handler, where nobody catches it. Should the collector have taken
 * the event after all, the delivery_id tells.
 */
function keepWhenInterrupted(event: SpooledEvent, variables: Variables): void {
  const keepAndEnd = (why: string) => {
    complain(`${why}; ${keep(event, variables, 'later')}`);
    process.exit(0);
  };
  const stop = () => keepAndEnd('stopped by the agent before the collector answered');
  const fail = (error: unknown) => keepAndEnd(unforeseen(error));
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, stop);
  // Before those that know of no event.
  process.prependListener('uncaughtException', fail);
  process.prependListener('unhandledRejection', fail);
}

/** Loading node:crypto takes 5 ms of each hook; the kernel has the same at hand. */
async function randomId(): Promise<string> {
  try {
    return readFileSync('/proc/sys/kernel/random/uuid', 'latin1').trim();
  } catch {
    const { randomUUID } = await import('node:crypto');
    return randomUUID();
  }
}

async function sha256(): Promise<(text: string) => string> {
  const { createHash } = await import('node:crypto');
  return (text) => createHash('sha256').update(text).digest('hex');
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function optionValue(args: readonly string[], name: string): string | undefined {
  const joined = args.find((argument) => argument.startsWith(`${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 1);
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}
