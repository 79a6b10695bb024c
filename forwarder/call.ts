import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { handOverId, handOverMade, parseHandOver } from '../src/protocol/handOver.ts';
import { readVariables, toldNames } from './environment.ts';
import type { Variables } from './environment.ts';
import { homeFolder } from './home.ts';
import { INPUT_MAX_BYTES, InputError, parsePayload, readInput } from './input.ts';
import type { Options } from './options.ts';
import type { Payload } from './payload.ts';
import { dropInTurn, spool } from './spool.ts';
import type { SpooledEvent } from './spool.ts';

/** One call of a hook, whichever way its payload came to us. */
export interface Call {
  readonly payload: Payload;
  readonly variables: Variables;
  /** Of the hook's own process. */
  readonly parent: number;
  readonly host: string;
  readonly cwd?: string | undefined;
  readonly provider?: string | undefined;
  readonly event?: string | undefined;
  readonly collectedAt: string;
  readonly deliveryId: string;
  /** For the next collector. Throws what the file system throws. */
  keep(event: SpooledEvent): void;
  /** The collector has it, or will never take it. */
  finish(): void;
}

export async function callFromInput({ provider, event, cwd }: Options, variables: Variables): Promise<Call> {
  const text = await readInput();
  const collectedAt = new Date().toISOString();
  return {
    payload: parsePayload(text),
    variables,
    parent: process.ppid,
    host: hostname(),
    cwd: cwd ?? currentFolder(),
    provider,
    event,
    collectedAt,
    deliveryId: await randomId(),
    keep: (kept) => spool(homeFolder(variables), kept),
    finish: () => undefined,
  };
}

/** The entry keeps the file until we have removed or renamed it, so an error here loses nothing. */
export function callFromFile(file: string, environment: Variables): Call {
  const stats = statSync(file);
  const written = stats.size <= 2 * INPUT_MAX_BYTES ? parseHandOver(readFileSync(file, 'utf8')) : undefined;
  if (!written?.whole) throw new InputError('a hook’s file was not whole');
  const { head, payload } = written;
  const name = basename(file);
  const made = handOverMade(stats);
  return {
    payload: parsePayload(payload),
    variables: { ...environment, ...readVariables(head, toldNames) },
    parent: Number(head['ppid']) || process.ppid,
    host: hostname(),
    cwd: head['cwd'],
    provider: head['provider'],
    event: head['event'],
    collectedAt: new Date(made).toISOString(),
    deliveryId: handOverId(name, made),
    keep: () => {
      renameSync(file, join(dirname(file), name.replace(/^\./, '')));
      dropInTurn(dirname(file));
    },
    finish: () => rmSync(file, { force: true }),
  };
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

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
