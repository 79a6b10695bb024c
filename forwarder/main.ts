import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REMOTE_FILE_NAME } from '../src/protocol/discovery.ts';
import { GUARD_FILE_NAME } from '../src/protocol/handOver.ts';
import type { HookMeta } from '../src/protocol/hook.ts';
import { DELIVERY_DEADLINE_MS, GUARD_DEADLINE_MS, SESSION_START_DEADLINE_MS } from '../src/protocol/limits.ts';
import type { ProviderId } from '../src/protocol/providers.ts';
import { callFromFile, callFromInput } from './call.ts';
import type { Call } from './call.ts';
import { findCollector, isCollector } from './collector.ts';
import { fitPayload } from './cut.ts';
import { deliver } from './deliver.ts';
import type { Outcome } from './deliver.ts';
import { readVariables } from './environment.ts';
import type { Variables } from './environment.ts';
import { homeFolder, installedHome, readOwnFile } from './home.ts';
import { logToHome } from './hookLog.ts';
import { InputError } from './input.ts';
import { considerStart, launchApart, launchEditor, projectsOf } from './launch.ts';
import { isLaunchRightTaken, takeLaunchRight } from './launchRight.ts';
import { startsAgent } from './launchWhen.ts';
import { buildMeta } from './meta.ts';
import { readOptions } from './options.ts';
import { findOrigin } from './origin.ts';
import type { Origin } from './origin.ts';
import { complain, printOutput, tellsAgent } from './output.ts';
import { parseObject, startsSession, textOf } from './payload.ts';
import { projectOf } from './project.ts';
import { providerOf } from './provider.ts';
import type * as Remote from './remote.ts';
import { tellSession } from './sessionEnvironment.ts';
import { dropInTurn, SPOOL_FOLDER_NAME } from './spool.ts';
import type { SpooledEvent } from './spool.ts';

declare const __PRODUCT_VERSION__: string;

const NOT_RUNNING = 'VS Code with Agent Mascot is not running';

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const itsHome = installedHome(process.argv[1] ?? '');
if (itsHome !== undefined) process.env['AGENT_MASCOT_HOME'] = itsHome;
const environment = readVariables(process.env);
const home = homeFolder(environment);
/** SEC-8: read only from the home that this script lies in, which no variable can change. */
const remoteFile = itsHome === undefined ? undefined : join(itsHome, REMOTE_FILE_NAME);
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
  if (isExcluded(call)) return call.finish();
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
 * Asks the guard about an edit; another hook reports the edit itself. No answer allows the edit, and is noted in the spool (GRD-3). Asks
 * in an excluded folder too, because an agent can go there or name one, and only the collector knows its session's project (GRD-4).
 * Asks only the home's own collector: no other can prove its answer (SEC-8), and a variable could turn the guard off.
 */
async function ask(): Promise<void> {
  if (!existsSync(join(home, GUARD_FILE_NAME))) return;
  for (const signal of endings) process.on(signal, () => process.exit(0));
  const until = performance.now() + GUARD_DEADLINE_MS;
  const call = await callFromInput(options, environment);
  const isSecret = isExcluded(call);
  if (isSecret && namesRemote()) return;
  const event = await complete(call, false, await originOf(call, false), 'asks');
  const { MASCOT_COLLECTOR_URL: _named, ...variables } = environment;
  const outcome = await bring(event, until, variables);
  if (outcome.kind === 'delivered') show(outcome);
  else if (!isSecret) keep(call, event, NOT_RUNNING);
}

function show({ output, why }: Extract<Outcome, { kind: 'delivered' }>): void {
  if (output !== undefined && (!options.installed || tellsAgent(output))) printOutput(output);
  if (why !== undefined) report(why);
}

/** FWD-6. Standard input was read by then, so nobody can say what was in it. */
function tellLost(): void {
  report(
    `an event (${options.event ?? 'unnamed'}) could not be written whole to ${join(home, SPOOL_FOLDER_NAME)} and is lost: make room`,
  );
}

/** FWD-7. At a sub-agent's start the entry has left the event in the spool, and nobody waits for this. */
async function launchIfNobodyRuns(): Promise<void> {
  if (namesRemote()) return;
  const collector = await findCollector(environment, DELIVERY_DEADLINE_MS, report);
  if (isCollector(collector) || collector.why !== undefined) return;
  const origin = await originOf({ parent: options.parent ?? process.ppid, variables: environment }, false);
  await launchFor(origin, providerOf(options.provider, environment.MASCOT_PROVIDER, {}), options.cwd);
}

async function launchHere(): Promise<void> {
  const say = await launchEditor(home, process.env, options.projects);
  if (say !== undefined) report(say);
}

/** What is left to say. An installed hook says it in the log, and no more often than an editor may be started. */
async function launchFor(origin: Origin, provider: ProviderId, cwd?: string): Promise<string | undefined> {
  const { readArguments } = origin.agent ?? {};
  // Run by hand, the forwarder has the shell's terminal; an installed hook has its agent's.
  const tty = options.installed ? origin.agent?.tty : origin.tty;
  const start = { platform: process.platform, provider, tty, commandLine: readArguments?.() };
  const consideration = considerStart(home, start, process.env);
  if (consideration.kind === 'leave') {
    const { why, isNews } = consideration;
    if (options.installed && isNews && takeLaunchRight(home, Date.now())) report(why);
    return why;
  }
  const projects = projectsOf(process.env, cwd);
  if (!options.installed) return launchEditor(home, process.env, projects);
  if (!isLaunchRightTaken(home, Date.now())) await launchApart(process.argv[1] ?? '', process.env, projects);
  return undefined;
}

/**
 * HKI-9: nothing of an excluded project is kept or sent, whether or not a collector runs (but see `ask`). The collector checks again,
 * because only it knows which folders belong to one repository.
 */
function isExcluded({ payload, variables, cwd }: Call): boolean {
  const projects = ['', '-setting'].flatMap((ending) => {
    const file = readOwnFile(join(home, `excluded${ending}.json`));
    const list = file.kind === 'text' && parseObject(file.text)?.['projects'];
    return Array.isArray(list) ? list.map(String) : [];
  });
  const isInOne = projectOf(projects);
  return [variables.CLAUDE_PROJECT_DIR, textOf(payload, 'cwd'), cwd].some((folder) => folder && isInOne(folder));
}

function originOf({ parent, variables }: Pick<Call, 'parent' | 'variables'>, isStart: boolean): Promise<Origin> {
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

async function bring(event: SpooledEvent, until: number, variables: Variables = environment): Promise<Outcome> {
  if (remoteFile !== undefined && namesRemote()) return bringMasked(remoteFile, event.json, until);
  const collector = await findCollector(variables, until - performance.now(), report);
  return isCollector(collector)
    ? deliver(collector, event.json, until, home)
    : { kind: 'undelivered', why: collector.why };
}

function namesRemote(): boolean {
  return remoteFile !== undefined && existsSync(remoteFile);
}

/** Masking is as large as the rest of the forwarder and rarely needed, so it is a file of its own. Without it nothing is sent. */
async function bringMasked(file: string, json: string, until: number): Promise<Outcome> {
  const beside = './remote.mjs';
  try {
    const { deliverMasked } = (await import(beside)) as typeof Remote;
    return await deliverMasked(file, json, until);
  } catch (error) {
    return { kind: 'undelivered', why: `nothing was sent to the collector in ${file}: ${unforeseen(error)}` };
  }
}

async function conclude(outcome: Outcome, call: Call, event: SpooledEvent, origin: Origin): Promise<void> {
  switch (outcome.kind) {
    case 'delivered':
      call.finish();
      show(outcome);
      return;
    case 'rejected':
      call.finish();
      report(options.installed ? outcome.why : `${outcome.why}: ${outcome.said}`);
      return;
    case 'undelivered':
      if (outcome.why === undefined) await waitForEditor(call, event, origin);
      else keepForLater(call, event, outcome.why);
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

function keepForLater(call: Call, event: SpooledEvent, why: string): void {
  if (keep(call, event, why)) report(`${why}; the event is kept and shown later.`);
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
    keepForLater(call, event, why);
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
