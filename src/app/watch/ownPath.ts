/**
 * A path that a payload names: nothing but a transcript in an ordinary folder of this machine is ever opened for it. A share of
 * another machine would be handed the person's credentials by the mere look on Windows.
 */
export function isTranscriptPath(path: string): boolean {
  if (!path.endsWith('.jsonl') || path.includes('\0')) return false;
  if (/^[\\/]{2}/.test(path) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) return false;
  if (/^[A-Za-z]:[\\/]/.test(path)) return true;
  return path.startsWith('/') && !/^\/(?:proc|dev|sys)\//.test(path);
}
