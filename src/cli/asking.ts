import { type Collector, findCollector, isCollector } from '../../forwarder/collector.ts';
import { readVariables } from '../../forwarder/environment.ts';
import { parseObject } from '../../forwarder/payload.ts';
import { send } from '../../forwarder/request.ts';
import type { Answer } from './answers.ts';
import type { MascotWorld } from './command.ts';
import { exitCodes, MascotError } from './failure.ts';

/** A person waits longer than a hook, and the answer may be long. */
const ANSWER_DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

export async function collectorOf({ env }: MascotWorld): Promise<Collector> {
  const found = await findCollector(readVariables(env), ANSWER_DEADLINE_MS);
  if (!isCollector(found)) throw new MascotError(exitCodes.noCollector, noCollectorMessage(found.why));
  return found;
}

export async function ask({ url, token }: Collector, path: string): Promise<Answer> {
  const deadlineMs = ANSWER_DEADLINE_MS;
  const reply = await send({ url, method: 'GET', path, token, deadlineMs, replyMaxBytes: ANSWER_MAX_BYTES });
  const where = `the collector at ${url.origin}`;
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
