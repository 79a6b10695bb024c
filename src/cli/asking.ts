import { join } from 'node:path';
import { type Collector, findCollector, isCollector } from '../../forwarder/collector.ts';
import { readVariables } from '../../forwarder/environment.ts';
import { homeFolder, readOwnFile } from '../../forwarder/home.ts';
import { parseObject } from '../../forwarder/payload.ts';
import { send } from '../../forwarder/request.ts';
import { parsePortFile, PORT_FILE_NAME } from '../protocol/discovery.ts';
import type { Answer } from './answers.ts';
import type { MascotWorld } from './command.ts';
import { exitCodes, MascotError } from './failure.ts';
import { printable } from './text.ts';

/** A person waits longer than a hook, and the answer may be long. */
const ANSWER_DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

export interface AskedCollector extends Collector {
  /** The process behind it, where the port file names it. */
  readonly process?: string | undefined;
}

export async function collectorOf(
  { env }: MascotWorld,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): Promise<AskedCollector> {
  const variables = readVariables(env);
  const found = await findCollector(variables, deadlineMs);
  if (!isCollector(found)) throw new MascotError(exitCodes.noCollector, noCollectorMessage(found.why));
  return { ...found, process: processAt(found.url, homeFolder(variables)) };
}

function processAt(url: URL, home: string): string | undefined {
  const file = readOwnFile(join(home, PORT_FILE_NAME));
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return portFile?.url === url.origin ? `${portFile.pid} (${printable(portFile.app)})` : undefined;
}

export async function ask(
  { url, token, process }: AskedCollector,
  path: string,
  deadlineMs: number = ANSWER_DEADLINE_MS,
): Promise<Answer> {
  const reply = await send({ url, method: 'GET', path, token, deadlineMs, replyMaxBytes: ANSWER_MAX_BYTES });
  const where = `the collector at ${url.origin}`;
  if (process !== undefined && (reply === 'timeout' || reply === 'connect-timeout')) {
    throw new MascotError(
      exitCodes.failed,
      `process ${process} does not answer at ${url.origin}: if it hangs, another window takes over within ten seconds; else reload or end it`,
    );
  }
  if (reply === 'refused' || reply === 'unreachable' || reply === 'connect-timeout') {
    throw new MascotError(exitCodes.noCollector, noCollectorMessage(`${where} can't be reached`));
  }
  if (typeof reply === 'string') throw new MascotError(exitCodes.failed, `${where} gave no usable answer (${reply})`);
  if (reply.status === 401 || reply.status === 403) {
    throw new MascotError(
      exitCodes.failed,
      `${where} refused: set MASCOT_TOKEN to its token, or reload the VS Code window`,
    );
  }
  const answer = parseObject(reply.body);
  if (reply.status !== 200 || !answer) {
    throw new MascotError(
      exitCodes.failed,
      `${where} answered ${reply.status}; is it Agent Mascot, and of this version?`,
    );
  }
  return answer;
}

function noCollectorMessage(why: string | undefined): string {
  return why ?? 'no collector is running; open VS Code with Agent Mascot, or run headless.js, and try again';
}
