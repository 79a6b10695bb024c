import path from 'node:path';
import { readVariables, toldNames } from '../../../forwarder/environment.ts';
import { thisAccount } from '../../../forwarder/home.ts';
import { buildMeta } from '../../../forwarder/meta.ts';
import { parseObject, type Payload } from '../../../forwarder/payload.ts';
import { sessionIdOf } from '../../domain/normalize.ts';
import { readHook } from '../../domain/readHook.ts';
import { type HandOver, handOverMade, parseHandOver } from '../../protocol/handOver.ts';
import { createBreather } from './breathe.ts';
import { completed } from './handOver.ts';
import { eventAtStart } from './payloadStart.ts';
import { unbegun } from './spoolBegun.ts';
import { isRemoved, nodeSpoolDisk, type SpoolDisk, type SpoolStats } from './spoolDisk.ts';
import { HAND_OVER_MAX_BYTES, isSpooled } from './spoolFiles.ts';

/** Of a larger one its session stands before what makes it large. */
const START_BYTES = 1024 * 1024;

/** CNV-4: names of the session's files in the spool, or of all files without an id; `left`: paths that could not be read. */
export async function findSpooled(
  folder: string,
  sessionId: string | undefined,
  disk: SpoolDisk = nodeSpoolDisk,
): Promise<{ readonly names: readonly string[]; readonly left: readonly string[] }> {
  const there = await disk.names(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const breathe = createBreather();
  const [names, left]: [string[], string[]] = [[], []];
  for (const name of there.filter(isOurs)) {
    const file = path.join(folder, name);
    const verdict = await isIn(disk, file, sessionId);
    if (verdict === 'unread') left.push(file);
    else if (verdict) names.push(...namesOf(name));
    await breathe();
  }
  return { names, left };
}

/** Returns the paths of files that could not be removed. */
export async function removeSpooled(
  folder: string,
  names: readonly string[],
  disk: SpoolDisk = nodeSpoolDisk,
): Promise<readonly string[]> {
  const breathe = createBreather();
  const left: string[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    if ((await isRemoved(disk, file)) !== true) left.push(file);
    await breathe();
  }
  return left;
}

/** With those that it will have once it is whole, and that it had before it was begun. */
function namesOf(name: string): readonly string[] {
  const whole = name.startsWith('.') ? name.slice(1).replace(/\.tmp$/, '') : name;
  return [...new Set([name, whole, unbegun(name)])];
}

/** A draft is taken in or removed within a minute; what is in it by then is of before. */
function isOurs(name: string): boolean {
  return isSpooled(name) || (name.startsWith('.') && /\.(?:tmp|hook)$/.test(name));
}

async function isIn(disk: SpoolDisk, file: string, sessionId: string | undefined): Promise<boolean | 'unread'> {
  const stats = await disk.look(file).catch(() => undefined);
  const self = thisAccount();
  if (stats?.kind !== 'file' || (self !== 'any' && stats.uid !== self)) return false;
  if (sessionId === undefined) return true;
  try {
    const isLarge = stats.size > HAND_OVER_MAX_BYTES;
    const text = isLarge ? await disk.readStart(file, START_BYTES) : await disk.read(file, HAND_OVER_MAX_BYTES);
    const found = await sessionIn(text, path.basename(file), stats);
    return found === undefined ? text.includes(told(sessionId)) : found === sessionId;
  } catch {
    // Taken in meanwhile: then the store has it, or has refused it.
    return (await disk.look(file).catch(() => undefined)) ? 'unread' : false;
  }
}

/** As the collector would take it in. Undefined: it never could, or is not whole yet. */
async function sessionIn(text: string, name: string, stats: SpoolStats): Promise<string | undefined> {
  const handOver = parseHandOver(text);
  const json = handOver?.payload ?? text;
  const payload = stats.size > HAND_OVER_MAX_BYTES ? eventAtStart(json, stats.size) : parseObject(json);
  if (!payload) return undefined;
  if (!handOver) return idIn(payload);
  const found = idIn(withHead(payload, handOver.head));
  // What stands for a session that none was named of is told by the agent's process.
  if (!found?.startsWith('unknown:')) return found;
  return idIn(await completed(handOver, { name, made: handOverMade(stats) }));
}

function idIn(body: unknown): string | undefined {
  const read = readHook(body);
  return read.ok ? sessionIdOf(read.hook) : undefined;
}

/** What tells whose payload it is, without looking for the process that sent it. */
function withHead(payload: Payload, head: HandOver['head']): Payload {
  const delivery = { id: '', collectedAt: '', providerArgument: head['provider'], eventArgument: head['event'] };
  const meta = buildMeta(payload, readVariables(head, toldNames), { ancestors: [] }, delivery);
  return { ...payload, _meta: { ...meta, collected_at: undefined, delivery_id: undefined } };
}

/** As it stands in JSON: whole, or as much of it as was not made here. */
function told(sessionId: string): string {
  const own = sessionId.replace(/^unknown:/, '');
  const cut = /^([^]*)…[0-9a-f]+$/.exec(own)?.[1];
  return cut === undefined ? JSON.stringify(own) : JSON.stringify(cut).slice(0, -1);
}
