import { cutText } from './plainText.ts';

const COMMAND_MAX = 80;

interface Place {
  readonly project: string;
  readonly cwd: string;
}

/** What an agent works on, short enough for a line: a file by its name and folder, a page without its protocol, a command cut. */
export function shortTarget(target: string, place: Place): string {
  if (/^https?:\/\//i.test(target)) return cut(target.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, ''));
  if (isPath(target)) return shortPath(target, place);
  return cut(target);
}

function isPath(target: string): boolean {
  return /^(\/|~\/|\.{1,2}\/|[a-z]:[\\/]|\\\\)\S/i.test(target) && !/[|;&<>]|\s-/.test(target);
}

function shortPath(target: string, place: Place): string {
  const file = target.replaceAll('\\', '/').replace(/\/$/, '');
  for (const folder of [place.cwd, place.project]) {
    const base = folder.replaceAll('\\', '/').replace(/\/$/, '');
    if (base !== '' && file.startsWith(`${base}/`)) return lastTwo(file.slice(base.length + 1));
  }
  return lastTwo(file);
}

function lastTwo(file: string): string {
  const steps = file.split('/').filter((step) => step !== '');
  return steps.slice(-2).join('/') || file;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return cutText(line, COMMAND_MAX);
}

/** The folder's own name, whichever slashes its machine uses. */
export function folderName(path: string): string {
  return lastTwo(path.replaceAll('\\', '/')).split('/').at(-1) ?? path;
}
