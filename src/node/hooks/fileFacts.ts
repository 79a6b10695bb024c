import { constants, type Stats } from 'node:fs';
import { access, lstat, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, type FileSystem } from '../files/fileSystem.ts';

/** As many as Linux follows. */
const LINKS_MAX = 40;
const OWNER_WRITES = 0o200;

/** What stands behind the name by which a person knows a settings file. */
export interface FileFacts {
  /** The file itself, behind all links; the name of one that could be made when there is none. */
  readonly target: string;
  /** Where the file's or its folder's link leads, when there is one. */
  readonly linkTarget: string | undefined;
  /** Undefined: there is no such file. */
  readonly stats: Stats | undefined;
}

/** Throws what the system says, `ELOOP` for links in a circle, but not that the file is missing. */
export async function lookAt(file: string): Promise<FileFacts> {
  const isLink = (await isSymbolicLink(file)) || (await isSymbolicLink(path.dirname(file)));
  const target = isLink ? await behindLinks(file) : file;
  return { target, linkTarget: isLink ? target : undefined, stats: await statsOf(target) };
}

async function statsOf(target: string): Promise<Stats | undefined> {
  return stat(target).catch((error: unknown) => missing(error));
}

async function isSymbolicLink(file: string): Promise<boolean> {
  const stats = await lstat(file).catch((error: unknown) => missing(error));
  return stats?.isSymbolicLink() ?? false;
}

/** A dangling link leads somewhere too: what it names can be made. */
async function behindLinks(file: string): Promise<string> {
  const whole = await realpath(file).catch((error: unknown) => missing(error));
  if (whole !== undefined) return whole;
  let current = file;
  for (let links = 0; links < LINKS_MAX; links++) {
    const folder = path.dirname(current);
    // `..` in a link counts from where the link really is.
    current = path.join(
      (await realpath(folder).catch((error: unknown) => missing(error))) ?? folder,
      path.basename(current),
    );
    const next = await readlink(current).catch(() => undefined);
    if (next === undefined) return current;
    current = path.resolve(path.dirname(current), next);
  }
  throw Object.assign(new Error(`too many links: ${file}`), { code: 'ELOOP' });
}

function missing(error: unknown): undefined {
  const code = errorCode(error);
  // ENOTDIR: something that is no folder stands where one of its folders would be; making it will tell.
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  return undefined;
}

/** The system's word for why the file may not be replaced; undefined when it may. Nothing is written to find out. */
export async function whyNotWritable({ target, stats }: FileFacts): Promise<string | undefined> {
  if (stats) {
    // A rename would replace it all the same. Who took the right away meant it.
    if ((stats.mode & OWNER_WRITES) === 0) return 'EACCES';
    const code = await refusedAccess(target);
    // A file with two names is written in place: it stays whose it is, and its folder as it is.
    if (code !== undefined || stats.nlink > 1) return code;
    if (!mayKeepOwner(stats)) return 'EPERM';
  }
  const code = await refusedAccess(path.dirname(target));
  return code === 'ENOENT' ? undefined : code;
}

async function refusedAccess(place: string): Promise<string | undefined> {
  return access(place, constants.W_OK).then(
    () => undefined,
    (error: unknown) => errorCode(error) ?? 'EACCES',
  );
}

/** A file that is replaced belongs to whoever replaces it; only the superuser can give it back. */
function mayKeepOwner({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || own === uid || own === 0;
}

/** The same disk, on which what takes the place of a file gets its owner and group too. */
export function keepingOwner(fs: FileSystem, stats: Stats | undefined): FileSystem {
  if (!stats || process.getuid === undefined) return fs;
  const isOurs = stats.uid === process.getuid();
  return {
    ...fs,
    async open(path, flags, mode) {
      const file = await fs.open(path, flags, mode);
      return {
        ...file,
        async chmod(bits) {
          await file.chown(stats.uid, stats.gid).catch((error: unknown) => {
            // A group that we are not in can't be given; the file stays ours and private enough by its mode.
            if (!isOurs) throw error;
          });
          await file.chmod(bits);
        },
      };
    },
  };
}
