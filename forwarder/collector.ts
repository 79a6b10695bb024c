import { join } from 'node:path';
import {
  HOME_SETTINGS_FILE_NAME,
  parseHomeSettings,
  parsePortFile,
  PORT_FILE_NAME,
  REMOTE_FILE_NAME,
} from '../src/protocol/discovery.ts';
import type { PortFile } from '../src/protocol/discovery.ts';
import { DEFAULT_PORT } from '../src/protocol/limits.ts';
import type { Variables } from './environment.ts';
import { homeFolder, readOwnFile } from './home.ts';
import { ownerLives } from './owner.ts';
import { proves, readProofKey } from './proof.ts';
import { isToken } from './request.ts';

export interface Collector {
  /** Always an address of this machine. */
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

/**
 * SEC-8: a repository can set variables (an agent's settings, .env), so a variable may only name this machine. The text itself is
 * matched, not what `URL` makes of it: unusual number spellings, user names before an @ and trailing dots can disguise an address.
 */
const onThisMachine = /^http:\/\/(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d{1,5})?(\/[^?#]*)?$/;

/**
 * FWD-3: finds the collector that the environment names, else the one in the port file of a living owner, else one on the usual
 * port that proves to know the home's key. Calls `ignored` with the reason if the named collector is not on this machine.
 */
export async function findCollector(
  variables: Variables,
  deadlineMs: number,
  ignored: (why: string) => void,
): Promise<Collector | NoCollector> {
  const home = homeFolder(variables);
  const { MASCOT_COLLECTOR_URL: named, MASCOT_TOKEN: token } = variables;
  const { portFile, why } = readPortFile(home);
  const living = portFile && ownerLives(portFile) ? portFile : undefined;
  if (named !== undefined) {
    const url = onThisMachine.test(named) ? parseUrl(named) : undefined;
    if (url && token !== undefined && !isToken(token))
      return { why: 'MASCOT_TOKEN contains characters that a token can’t have; copy it again' };
    if (url) return { url, token: token ?? (living && `${living.url}/` === url.href ? living.token : undefined) };
    ignored(
      `MASCOT_COLLECTOR_URL is ignored: it can only name this machine, like http://127.0.0.1:${DEFAULT_PORT} (name another machine in ~/.agent-mascot/${REMOTE_FILE_NAME})`,
    );
  }
  if (why !== undefined) return { why };
  return living ? { url: new URL(living.url), token: living.token } : provenCollector(home, deadlineMs);
}

function readPortFile(home: string): { readonly portFile?: PortFile | undefined; readonly why?: string } {
  const file = readOwnFile(join(home, PORT_FILE_NAME));
  if (file.kind === 'unsafe') return file;
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return { portFile: portFile && isToken(portFile.token) ? portFile : undefined };
}

/** Nothing is sent here but a question that only the owner of the key can answer; there is no token to send later either. */
async function provenCollector(home: string, deadlineMs: number): Promise<Collector | NoCollector> {
  const { key, why } = readProofKey(home);
  if (key === undefined) return { why };
  const settings = readOwnFile(join(home, HOME_SETTINGS_FILE_NAME));
  if (settings.kind === 'unsafe') return settings;
  const port = (settings.kind === 'text' ? parseHomeSettings(settings.text)?.collectorPort : undefined) ?? DEFAULT_PORT;
  return (await proves(port, key, deadlineMs)) ? { url: new URL(`http://127.0.0.1:${port}`) } : {};
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
