import { createHash } from 'node:crypto';
import path from 'node:path';
import { atomicWrite } from '../files/atomicWrite.ts';
import { removeIfThere, type FileSystem } from '../files/fileSystem.ts';

/** Backups kept of each settings file: at most `most`; the newest `always` whatever their age, in case the clock is wrong. */
const KEPT = { most: 50, always: 5 };
/** Settings may hold keys, so older backups are deleted. */
const KEPT_MS = 90 * 86_400_000;
const NAME_MAX = 60;
const PRIVATE = 0o600;

/** `<time>-<what it is of>-<hash of its path>`; beside them `<hash>.path` holds the path. */
const backupName = /^\d{8}T\d{9}Z(?:\.\d+)?-.+-([0-9a-f]{12})$/;
const pathName = /^[0-9a-f]{12}\.path$/;

/** Whether the folder of backups has a file of this name from us. */
export function isBackupName(name: string): boolean {
  return backupName.test(name) || pathName.test(name);
}

/** HKI-2: backs a settings file up. Resolves to the backup's path; also deletes old backups of all files. */
export async function keepBackup(
  fs: FileSystem,
  folder: string,
  file: string,
  text: string,
  now: Date,
): Promise<string> {
  await fs.mkdir(folder, 0o700);
  const hash = createHash('sha256').update(path.resolve(file)).digest('hex').slice(0, 12);
  const there = await fs.readdir(folder);
  const name = freeName(there, now, `${readable(file)}-${hash}`);
  const backup = path.join(folder, name);
  await atomicWrite(backup, text, { mode: PRIVATE, fs });
  const origin = `${hash}.path`;
  if (!there.includes(origin)) await atomicWrite(path.join(folder, origin), `${file}\n`, { mode: PRIVATE, fs });
  await dropOld(fs, folder, [...there, name], now);
  return backup;
}

/** The end of the path, as far as every file system takes it: `claude-settings.json`. */
function readable(file: string): string {
  const end = path.resolve(file).split(path.sep).slice(-2).join('-');
  return end
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-NAME_MAX);
}

function freeName(there: readonly string[], now: Date, rest: string): string {
  const time = timeIn(now);
  let name = `${time}-${rest}`;
  for (let count = 2; there.includes(name); count++) name = `${time}.${count}-${rest}`;
  return name;
}

async function dropOld(fs: FileSystem, folder: string, names: readonly string[], now: Date): Promise<void> {
  const oldest = timeIn(new Date(now.getTime() - KEPT_MS));
  const hashes = new Set(names.flatMap((name) => backupName.exec(name)?.[1] ?? []));
  for (const hash of hashes) {
    const newestFirst = names.filter((name) => backupName.exec(name)?.[1] === hash).sort((a, b) => byTime(b, a));
    const isOld = (name: string, index: number) =>
      index >= KEPT.most || (index >= KEPT.always && (name.split(/[.-]/)[0] ?? '') < oldest);
    for (const name of newestFirst.filter(isOld)) {
      // Best effort: a stale backup is harmless, a failed write is not.
      await removeIfThere(fs, path.join(folder, name)).catch(() => undefined);
    }
  }
}

/** `20260228T010203004Z`: the beginning of a backup's name; sorts by time. */
function timeIn(moment: Date): string {
  return moment.toISOString().replaceAll(/[-:.]/g, '');
}

function byTime(a: string, b: string): number {
  const order = (name: string) => {
    const [time = '', count = '1'] = (name.split('-')[0] ?? '').split('.');
    return { time, count: Number(count) };
  };
  const [left, right] = [order(a), order(b)];
  if (left.time === right.time) return left.count - right.count;
  return left.time < right.time ? -1 : 1;
}
