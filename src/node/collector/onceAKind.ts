import type { Log } from '../../app/ports.ts';

/** More kinds than this are noise of one kind. */
const KINDS_MAX = 50;

/**
 * Says an internal error once for its kind. Its message stays out of the log: what a parser complains about quotes what it
 * was given, and that may be anybody's secret.
 */
export function createOnceAKind(log: Pick<Log, 'error'>): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const kind = kindOf(error);
    if (told.has(kind) || told.size >= KINDS_MAX) return;
    told.add(kind);
    log.error(`A request failed inside: ${kind}. Others like it are not told again.`);
  };
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  const frame = error.stack?.split('\n').find((line) => line.startsWith('    at '));
  // The function and where in its file, without the folders that it is installed in.
  const place =
    frame === undefined
      ? ''
      : frame
          .trim()
          .slice(0, 500)
          .replace(/[^ (]*[\\/]/g, '');
  return [error.name, code, place].filter((part) => typeof part === 'string' && part !== '').join(' ');
}
