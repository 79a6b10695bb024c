import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import type { Home } from './home.ts';

const VERSION_FILE = 'version.json';

/** The same for a window that has just become the owner: told in the log, whatever comes of it. */
export async function keepBinFresh(home: Home, built: string, version: string, log: Log): Promise<void> {
  try {
    log.info(`The forwarder in ${home.bin}: ${await refreshBin(home, built, version)}.`);
  } catch (error) {
    log.error(`The forwarder could not be copied to ${home.bin}: ${String(error)}`);
  }
}

/**
 * FWD-8: copies the forwarder to where hooks find it whatever becomes of the extension's own folder. An older extension
 * beside a newer one leaves the newer one's forwarder alone.
 */
export async function refreshBin(
  home: Home,
  built: string,
  version: string,
): Promise<'refreshed' | 'current' | 'newer'> {
  const there = await installedVersion(home);
  if (there !== undefined && compareVersions(there, version) > 0) return 'newer';
  const names = (await readdir(built)).filter((name) => name.endsWith('.mjs'));
  const changed = await Promise.all(
    names.map((name) => copyIfOther(path.join(built, name), path.join(home.bin, name))),
  );
  if (there !== version)
    await atomicWrite(path.join(home.bin, VERSION_FILE), `${JSON.stringify({ version })}\n`, { mode: 0o600 });
  return changed.includes(true) ? 'refreshed' : 'current';
}

async function copyIfOther(from: string, to: string): Promise<boolean> {
  const [source, target] = await Promise.all([readFile(from), readFile(to).catch(() => undefined)]);
  if (target?.equals(source)) return false;
  await atomicWrite(to, source, { mode: 0o700 });
  return true;
}

async function installedVersion(home: Home): Promise<string | undefined> {
  try {
    const { version } = JSON.parse(await readFile(path.join(home.bin, VERSION_FILE), 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** By their three numbers; anything that is not a version is older than everything. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbers(version: string): readonly number[] {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match ? match.slice(1).map(Number) : [];
}
