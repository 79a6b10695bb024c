import { join } from 'node:path';
import {
  HEALTH_TEXT,
  HOME_SETTINGS_FILE_NAME,
  parseHomeSettings,
  parsePortFile,
  PORT_FILE_NAME,
  PRODUCT_HEADER,
} from '../src/protocol/discovery.ts';
import type { PortFile } from '../src/protocol/discovery.ts';
import { DEFAULT_PORT } from '../src/protocol/limits.ts';
import type { Variables } from './environment.ts';
import { homeFolder, readOwnFile } from './home.ts';
import { readBootTime, readKernelStart, readProcess } from './linuxProcesses.ts';
import { isToken, send } from './request.ts';

export interface Collector {
  readonly url: URL;
  readonly token?: string | undefined;
}

/** `why`: what a person would have to put right; absent when simply nothing runs. */
export interface NoCollector {
  readonly why?: string | undefined;
}

/** The kernel counts a start in hundredths and the boot in whole seconds, and the clock may have been set since. */
const START_TOLERANCE_MS = 2_000;
const HEALTH_MAX_BYTES = 4 * 1024;

export function isCollector(found: Collector | NoCollector): found is Collector {
  return 'url' in found;
}

/** FWD-3: the person's word, else the port file of a living owner, else whoever proves to be ours on the usual port. */
export async function findCollector(variables: Variables, deadlineMs: number): Promise<Collector | NoCollector> {
  const home = homeFolder(variables);
  if (variables.MASCOT_COLLECTOR_URL !== undefined)
    return namedCollector(variables.MASCOT_COLLECTOR_URL, variables, home);
  const { portFile, why } = readPortFile(home);
  if (why !== undefined) return { why };
  if (portFile && ownerLives(portFile)) return { url: new URL(portFile.url), token: portFile.token };
  return provenCollector(home, deadlineMs);
}

function namedCollector(text: string, variables: Variables, home: string): Collector | NoCollector {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    return {
      why: `MASCOT_COLLECTOR_URL must be an address alone, like http://127.0.0.1:${DEFAULT_PORT} (a token goes into MASCOT_TOKEN)`,
    };
  }
  if (variables.MASCOT_TOKEN !== undefined) {
    return isToken(variables.MASCOT_TOKEN)
      ? { url, token: variables.MASCOT_TOKEN }
      : { why: 'MASCOT_TOKEN holds characters that no token has; copy it again' };
  }
  const { portFile } = readPortFile(home);
  const isOurs = portFile && parseUrl(portFile.url)?.href === url.href && ownerLives(portFile);
  return { url, token: isOurs ? portFile.token : undefined };
}

function readPortFile(home: string): { readonly portFile?: PortFile | undefined; readonly why?: string } {
  const path = join(home, PORT_FILE_NAME);
  const file = readOwnFile(path);
  if (file.kind === 'unsafe') return { why: `the port file ${path} ${file.why}` };
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return { portFile: portFile && isToken(portFile.token) ? portFile : undefined };
}

/** A pid alone proves nothing: it may be someone else's by now, and so may the port. */
export function ownerLives({
  pid,
  startedAt,
  kernelStart,
}: Pick<PortFile, 'pid' | 'startedAt' | 'kernelStart'>): boolean {
  if (process.platform === 'linux') {
    if (kernelStart !== undefined) return readKernelStart(pid) === kernelStart;
    const owner = readProcess(pid, readBootTime());
    const apart = Date.parse(owner?.startedAt ?? '') - Date.parse(startedAt);
    return Math.abs(apart) <= START_TOLERANCE_MS;
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Nothing is sent here but the question; there is no token to send later either. */
async function provenCollector(home: string, deadlineMs: number): Promise<Collector | NoCollector> {
  const settings = readOwnFile(join(home, HOME_SETTINGS_FILE_NAME));
  const port = (settings.kind === 'text' ? parseHomeSettings(settings.text)?.collectorPort : undefined) ?? DEFAULT_PORT;
  const url = new URL(`http://127.0.0.1:${port}`);
  const reply = await send({ url, method: 'GET', path: '/health', deadlineMs, replyMaxBytes: HEALTH_MAX_BYTES });
  const isOurs =
    typeof reply === 'object' &&
    reply.status === 200 &&
    reply.body.trim() === HEALTH_TEXT &&
    reply.headers.has(PRODUCT_HEADER);
  return isOurs ? { url } : {};
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
