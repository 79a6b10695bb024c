import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** Linux follows no more either. */
const LINKS_MAX = 40;
/** `admin` on macOS: its people may become root, and the system lets them write to /Applications and Homebrew to its folders. */
const MAC_ADMIN = 80;

/** What a path leads through: each folder, link and at last the file, every one by a name without links above it. */
export interface Step {
  readonly path: string;
  readonly kind: 'folder' | 'link' | 'file';
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** As the kernel walks it; undefined: it is not there, or goes in circles. POSIX only. */
export function stepsTo(file: string): readonly Step[] | undefined {
  const steps = new Map<string, Step>();
  const look = (path: string): Step['kind'] => {
    const stats = lstatSync(path);
    const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'file';
    // What is passed twice counts where it is passed last.
    steps.delete(path);
    steps.set(path, { path, kind, uid: stats.uid, gid: stats.gid, mode: stats.mode });
    return kind;
  };
  try {
    let at = '/';
    let links = 0;
    look(at);
    const left = partsOf(file);
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      // Up from where the links before it led to, so no path is shortened before it is walked.
      const here = part === '..' ? posix.dirname(at) : posix.join(at, part);
      if (look(here) !== 'link') at = here;
      else {
        if (++links > LINKS_MAX) return undefined;
        const target = readlinkSync(here);
        if (target.startsWith('/')) at = '/';
        left.unshift(...partsOf(target));
      }
    }
    return [...steps.values()];
  } catch {
    return undefined;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

export interface Trust {
  readonly uid: number;
  /** Whether nobody but the person, and who is root anyway, is in that group. */
  readonly isPrivateGroup: (gid: number) => boolean;
}

/**
 * The first step that another account could turn into something else; undefined: there is none. Who owns a folder can change
 * its mode, so it counts like one who may write. In a sticky folder a name belongs to its owner, who is asked too.
 */
export function untrustedStep(steps: readonly Step[], { uid, isPrivateGroup }: Trust): Step | undefined {
  return steps.find((step, at) => {
    if (step.uid !== ROOT && step.uid !== uid) return true;
    // A link has no mode of its own.
    if (step.kind === 'link') return false;
    if (step.kind === 'file') return (step.mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0;
    // A bundle is what runs, and anybody could add to it.
    if ((step.mode & STICKY) !== 0 && at < steps.length - 1) return false;
    const byOthers = (step.mode & OTHERS_WRITE) !== 0;
    return byOthers || ((step.mode & GROUP_WRITES) !== 0 && !isPrivateGroup(step.gid));
  });
}

/** Of this process. Windows tells no modes and has no such accounts. */
export function ourTrust(platform: string = process.platform): Trust {
  const uid = process.getuid?.() ?? ROOT;
  const own = process.getgid?.();
  return {
    uid,
    // The first group of everybody on macOS is the same one.
    isPrivateGroup: (gid) =>
      gid === ROOT ||
      (platform === 'darwin'
        ? gid === MAC_ADMIN
        : gid === own && isAlone(uid, gid, textOf('/etc/group'), textOf('/etc/passwd'))),
  };
}

/**
 * Most Linux systems give each account a group of its own, and new folders in it are writable by that group. Whoever is in
 * no list of this machine, as in a company's directory, can't be told from a crowd.
 */
export function isAlone(uid: number, gid: number, groups: string, accounts: string): boolean {
  const people = rows(accounts);
  const names = people.flatMap(([name, , id]) => (id === String(uid) ? [name] : []));
  const ours = rows(groups).filter(([, , id]) => id === String(gid));
  const members = ours.flatMap(([, , , list = '']) => list.split(',').filter((name) => name !== ''));
  return (
    ours.length > 0 &&
    members.every((name) => names.includes(name)) &&
    people.every(([, , id, first]) => first !== String(gid) || id === String(uid))
  );
}

function rows(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.trim().split(':'));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
