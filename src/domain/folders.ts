/** The ways of file systems: their separators, and whether capital letters make a difference. */
export type FolderSystem = 'linux' | 'windows' | 'mac';

const FOLDER_MAX = 4_096;

/** Whether a folder is the other one or lies somewhere below it. Both are absolute; nothing is looked up. */
export function isWithin(folder: string, root: string, system: FolderSystem): boolean {
  const [inner, outer] = [comparable(folder, system), comparable(root, system)];
  return outer !== '' && (inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`));
}

/** Whether one of these folders is one of those, or lies below or above it. */
export function areRelated(these: readonly string[], those: readonly string[], system: FolderSystem): boolean {
  return these.some((one) => those.some((other) => isWithin(one, other, system) || isWithin(other, one, system)));
}

/** What a file or folder is called, whichever slashes its machine uses; the path itself where that is all there is. */
export function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** As it is called inside the first of these folders that holds it; unchanged where none does, or it is no full path. */
export function pathWithin(path: string, folders: readonly string[]): string {
  const slashes = path.replaceAll('\\', '/');
  const isDrive = /^[a-z]:\//i.test(slashes);
  for (const folder of folders) {
    const root = `${trimEnd(folder.replaceAll('\\', '/'))}/`;
    const head = slashes.slice(0, root.length);
    const isInside = isDrive ? head.toLowerCase() === root.toLowerCase() : head === root;
    if (root.length > 2 && isInside && slashes.length > root.length) return slashes.slice(root.length);
  }
  return path;
}

function comparable(folder: string, system: FolderSystem): string {
  const slashes = system === 'windows' ? folder.replaceAll('\\', '/') : folder;
  const tidy = trimEnd(slashes);
  // Windows and macOS find a folder however its letters are cased, and macOS however its accents are put together.
  return system === 'linux' ? tidy : tidy.normalize('NFC').toLowerCase();
}

function trimEnd(folder: string): string {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === '/') end--;
  return folder.slice(0, end);
}

/** A folder as people write it in settings: `~` for their home. Undefined: it is none that could be meant. */
export function writtenFolder(text: string, home: string, system: FolderSystem): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > FOLDER_MAX) return undefined;
  if (trimmed === '~') return home;
  const isBelowHome = trimmed.startsWith('~/') || (system === 'windows' && trimmed.startsWith('~\\'));
  if (isBelowHome) return `${trimEnd(home)}/${trimmed.slice(2)}`;
  return isAbsolute(trimmed, system) ? trimmed : undefined;
}

function isAbsolute(folder: string, system: FolderSystem): boolean {
  if (system !== 'windows') return folder.startsWith('/');
  return /^[a-z]:[\\/]/i.test(folder) || /^[\\/]{2}[^\\/]/.test(folder);
}
