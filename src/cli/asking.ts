import { join } from 'node:path';
import { type Collector, findCollector, isCollector } from '../../forwarder/collector.ts';
import { readVariables } from '../../forwarder/environment.ts';
import { homeFolder, readOwnFile } from '../../forwarder/home.ts';
import { ownerLives } from '../../forwarder/owner.ts';
import { parseObject } from '../../forwarder/payload.ts';
import { proves, readProofKey } from '../../forwarder/proof.ts';
import type { Reply } from '../../forwarder/reply.ts';
import { type Request, send } from '../../forwarder/request.ts';
import {
  AGENT_HEADER,
  parsePortFile,
  PERSON_HEADER,
  PERSON_KEY_FILE_NAME,
  PORT_FILE_NAME,
} from '../protocol/discovery.ts';
import { type Answer, textIn } from './answers.ts';
import type { Call } from './command.ts';
import { exitCodes, MascotError } from './failure.ts';
import { printable, printableText } from './text.ts';

/** A person waits longer than a hook, and the answer may be long. */
const ANSWER_DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

export interface AskedCollector extends Collector {
  /** The process behind it, where the port file names it. */
  readonly process?: string | undefined;
  /** The calling agent, sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export async function collectorOf(
  { world, agent }: Call,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): Promise<AskedCollector> {
  const variables = readVariables(world.env);
  const found = await findCollector(variables, deadlineMs, (why) => world.terminal.complain(`mascot: ${why}`));
  if (!isCollector(found)) throw new MascotError(exitCodes.noCollector, noCollectorMessage(found.why));
  const home = homeFolder(variables);
  const process = processAt(found.url, home);
  if (agent && process === undefined && !(await isOurs(found.url, home, deadlineMs)))
    throw new MascotError(exitCodes.noCollector, `what MASCOT_COLLECTOR_URL names does not know the key in ${home}`);
  // The person's token is for the home's own collector alone.
  const isPerson = world.terminal.isInteractive && process !== undefined;
  const headers = agent ? { [AGENT_HEADER]: agent.claim } : isPerson ? personHeaders(home) : undefined;
  return { ...found, process, headers };
}

/** GRD-5: an item made at a terminal without an agent is the person's. Empty if an older version made the home. */
function personHeaders(home: string): Readonly<Record<string, string>> {
  const file = readOwnFile(join(home, PERSON_KEY_FILE_NAME));
  const token = file.kind === 'text' ? file.text.trim() : '';
  return /^[\w-]+$/.test(token) ? { [PERSON_HEADER]: token } : {};
}

/**
 * SEC-8: may an agent read answers from this address? A project's variables can name any program on this machine; the home's key shows
 * which one is the home's collector. A container's home has no key, and there the variable is the only way to a collector.
 */
async function isOurs({ hostname, port }: URL, home: string, deadlineMs: number): Promise<boolean> {
  const { key, why } = readProofKey(home);
  if (key === undefined) return why === undefined;
  return /^(?:127\.0\.0\.1|localhost)$/.test(hostname) && proves(Number(port) || 80, key, deadlineMs);
}

/** The process that runs the home's collector, if it lives and is at this address. */
function processAt(url: URL, home: string): string | undefined {
  const file = readOwnFile(join(home, PORT_FILE_NAME));
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return portFile?.url === url.origin && ownerLives(portFile)
    ? `${portFile.pid} (${printable(portFile.app)})`
    : undefined;
}

export async function ask(
  collector: AskedCollector,
  path: string,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): Promise<Answer> {
  return answerOf(collector, { method: 'GET', path, deadlineMs });
}

/** Has something done; the collector's own sentence says why it would not. */
export async function tell(collector: AskedCollector, path: string, body: Answer): Promise<Answer> {
  return answerOf(collector, { method: 'POST', path, deadlineMs: ANSWER_DEADLINE_MS, json: JSON.stringify(body) });
}

/** A text rather than JSON, cleared of what a terminal would obey. */
export async function askText(collector: AskedCollector, path: string, deadlineMs: number): Promise<string> {
  const { body } = await replyOf(collector, { method: 'GET', path, deadlineMs });
  return printableText(body);
}

type Asked = Pick<Request, 'method' | 'path' | 'deadlineMs' | 'json'>;

async function answerOf(collector: AskedCollector, asked: Asked): Promise<Answer> {
  const { status, body } = await replyOf(collector, asked);
  return parseObject(body) ?? failed(strangeAnswer(collector, status));
}

async function replyOf(collector: AskedCollector, asked: Asked): Promise<Reply> {
  const { url, token, process, headers } = collector;
  const reply = await send({ ...asked, url, token, headers, replyMaxBytes: ANSWER_MAX_BYTES });
  const where = `the collector at ${url.origin}`;
  if (process !== undefined && (reply === 'timeout' || reply === 'connect-timeout')) {
    failed(
      `process ${process} does not answer at ${url.origin}: if it hangs, another window takes over within ten seconds; else reload or end it`,
    );
  }
  if (reply === 'refused' || reply === 'unreachable' || reply === 'connect-timeout') {
    throw new MascotError(exitCodes.noCollector, noCollectorMessage(`${where} can't be reached`));
  }
  if (typeof reply === 'string') return failed(`${where} gave no usable answer (${reply})`);
  if (reply.status === 200) return reply;
  const answer = parseObject(reply.body);
  const error = printable(textIn(answer ?? {}, 'error'));
  if (reply.status === 401 || (reply.status === 403 && /^(?:$|forbidden)/.test(error))) {
    return failed(`${where} refused: set MASCOT_TOKEN to its token, or reload the VS Code window`);
  }
  if (answer && isUnknownRoute(reply.status, error)) {
    failed(
      `${where} is older than this command and can't do this: update the Agent Mascot extension of the editor that runs it, then reload its window`,
    );
  }
  return failed(error || strangeAnswer(collector, reply.status));
}

function failed(message: string): never {
  throw new MascotError(exitCodes.failed, message);
}

function strangeAnswer({ url }: AskedCollector, status: number): string {
  return `the collector at ${url.origin} answered ${status}; is it Agent Mascot, and of this version?`;
}

/** A collector says so of what it has never heard of; whatever else it can't find it names. */
function isUnknownRoute(status: number, error: string): boolean {
  return status === 405 || (status === 404 && error === 'not found');
}

function noCollectorMessage(why: string | undefined): string {
  return why ?? 'no collector is running; open VS Code with Agent Mascot, or run headless.js, and try again';
}
