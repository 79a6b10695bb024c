import { join } from 'node:path';
import {
  HOME_SETTINGS_FILE_NAME,
  parseHomeSettings,
  parsePortFile,
  PORT_FILE_NAME,
  PROOF_KEY_FILE_NAME,
} from '../src/protocol/discovery.ts';
import type { PortFile } from '../src/protocol/discovery.ts';
import { DEFAULT_PORT } from '../src/protocol/limits.ts';
import type { Variables } from './environment.ts';
import { homeFolder, readOwnFile } from './home.ts';
import { ownerLives } from './owner.ts';
import { isProofKey, proves } from './proof.ts';
import { isToken } from './request.ts';

export interface Collector {
  readonly url: URL;
  readonly token?: string | undefined;
}

/** `why`: what a person would have to put right; absent when simply nothing runs. */
export interface NoCollector {
  readonly why?: string | undefined;
}

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
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return {
      why: 'MASCOT_COLLECTOR_URL must begin with https:// (http:// only with 127.0.0.1, localhost or [::1]: it would show prompts to the network)',
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
  const file = readOwnFile(join(home, PORT_FILE_NAME));
  if (file.kind === 'unsafe') return file;
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return { portFile: portFile && isToken(portFile.token) ? portFile : undefined };
}

/** Nothing is sent here but a question that only the owner of the key can answer; there is no token to send later either. */
async function provenCollector(home: string, deadlineMs: number): Promise<Collector | NoCollector> {
  const keyFile = readOwnFile(join(home, PROOF_KEY_FILE_NAME));
  if (keyFile.kind === 'unsafe') return keyFile;
  const key = keyFile.kind === 'text' ? keyFile.text.trim() : '';
  if (!isProofKey(key)) return {};
  const settings = readOwnFile(join(home, HOME_SETTINGS_FILE_NAME));
  if (settings.kind === 'unsafe') return settings;
  const port = (settings.kind === 'text' ? parseHomeSettings(settings.text)?.collectorPort : undefined) ?? DEFAULT_PORT;
  return (await proves(port, key, deadlineMs)) ? { url: new URL(`http://127.0.0.1:${port}`) } : {};
}

/** `URL` has written every spelling of an IPv4 address as four numbers. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
