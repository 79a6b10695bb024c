import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { ENTRY_NAME } from '../../domain/hooks/command.ts';
import { RUNTIME_FILE_NAME } from '../../protocol/handOver.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { type Home, prepareHome } from './home.ts';
import { UNTRUSTED_ENDING } from './openedFiles.ts';

export const VERSION_FILE = 'version.json';
const PRIVATE = 0o600;
const RUNNABLE = 0o700;

/** The same for a window that has just become the owner: told in the log, whatever comes of it. */
export async function keepBinFresh(
  home: Home,
  built: string,
  version: string,
  log: Log,
  runtime?: string,
  mayWrite?: MayWrite,
): Promise<void> {
  try {
    // What it finds open is told here; the same is done below without a log.
    await prepareHome(home, log);
    log.info(`The forwarder in ${home.bin}: ${await refreshBin(home, built, version, runtime, mayWrite)}.`);
  } catch (error) {
    log.error(`The forwarder could not be copied to ${home.bin}: ${String(error)}`);
  }
}

/** False once another window, maybe a newer one, is the owner. */
type MayWrite = () => Promise<boolean>;

/** What hooks run was set aside, for others could have written it (see `prepareHome`), and nobody has written it anew. */
export async function lacksItsFiles({ bin }: Home): Promise<boolean> {
  const isThere = (name: string) => lstat(name).then(Boolean, () => false);
  return (await isThere(`${bin}${UNTRUSTED_ENDING}`)) && !(await isThere(path.join(bin, VERSION_FILE)));
}

interface BinFile {
  /** In the build. */
  readonly from: string;
  /** In `<home>/bin`. */
  readonly to: string;
  readonly mode: number;
}

/** What the build has for `<home>/bin`. The entry is read by a shell, never run. */
export async function binFiles(built: string): Promise<readonly BinFile[]> {
  const names = await readdir(built);
  return names.flatMap((name): BinFile[] => {
    if (name.endsWith('.mjs')) return [{ from: name, to: name, mode: RUNNABLE }];
    if (name === ENTRY_NAME) return [{ from: name, to: name, mode: PRIVATE }];
    return name === 'mascot.sh' ? [{ from: name, to: 'mascot', mode: RUNNABLE }] : [];
  });
}

/**
 * FWD-8: copies the entry, the forwarder and `mascot` to where hooks find them whatever becomes of the extension's own
 * folder. An older extension beside a newer one leaves the newer one's files alone. `runtime`: the program that runs this,
 * when that is an editor's, for machines without Node.
 */
export async function refreshBin(
  home: Home,
  built: string,
  version: string,
  runtime?: string,
  mayWrite: MayWrite = () => Promise.resolve(true),
): Promise<'refreshed' | 'current' | 'newer'> {
  // Without a collector nobody else has made the home private yet.
  await prepareHome(home);
  const there = await installedVersion(home);
  if (there !== undefined && compareVersions(there, version) > 0) return 'newer';
  const files = await binFiles(built);
  // A `mascot` that runs from there has nothing else to copy than what was set aside.
  if (files.length === 0)
    throw new Error(`There is nothing in ${built} that hooks could run. Open an editor with Agent Mascot to mend it.`);
  const copied = await Promise.allSettled(
    files.map(({ from, to, mode }) => copyIfOther(path.join(built, from), path.join(home.bin, to), mode, mayWrite)),
  );
  // Once all have ended: nothing is written after it was said that it failed.
  const changed = copied.map((copy) => {
    if (copy.status === 'rejected') throw copy.reason as Error;
    return copy.value;
  });
  if (runtime !== undefined)
    await writeIfOther(path.join(home.bin, RUNTIME_FILE_NAME), Buffer.from(`${runtime}\n`), PRIVATE, mayWrite);
  // Last: what was interrupted before is begun again, whoever comes next.
  if (there !== version)
    await atomicWrite(path.join(home.bin, VERSION_FILE), `${JSON.stringify({ version })}\n`, {
      mode: PRIVATE,
      beforeReplace: () => mustBeAllowed(mayWrite),
    });
  return changed.includes(true) ? 'refreshed' : 'current';
}

async function copyIfOther(from: string, to: string, mode: number, mayWrite: MayWrite): Promise<boolean> {
  return writeIfOther(to, await readFile(from), mode, mayWrite);
}

async function writeIfOther(to: string, content: Buffer, mode: number, mayWrite: MayWrite): Promise<boolean> {
  const target = await readFile(to).catch(() => undefined);
  if (target?.equals(content) && (await isReadable(to))) return false;
  await atomicWrite(to, content, { mode, beforeReplace: () => mustBeAllowed(mayWrite) });
  return true;
}

async function mustBeAllowed(mayWrite: MayWrite): Promise<void> {
  if (!(await mayWrite())) throw new Error('another window runs the collector now');
}

/** A mode that was taken away would end every hook in silence; as the superuser reading it tells nothing. */
async function isReadable(file: string): Promise<boolean> {
  return process.platform === 'win32' || ((await stat(file)).mode & 0o400) !== 0;
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
