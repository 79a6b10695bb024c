import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from './payload.ts';
import type { Payload } from './payload.ts';

/** What stands in the line must be as harmless unquoted, whatever reads the file. */
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/**
 * OUT-2: tells the shells of a session which session they are of, and where `mascot` is. The agent runs the file before each
 * of its commands, and others write to it too, so it is only ever added to.
 */
export function tellSession(file: string, payload: Payload, home: string): void {
  const session = textOf(payload, 'session_id') ?? '';
  if (!PLAIN_WORD.test(session)) return;
  try {
    appendFileSync(file, sessionLines(session, join(home, 'bin')), { mode: 0o600 });
  } catch {
    // A comfort: the session goes on without it.
  }
}

/** The leading line end is for a file whose last line has none. */
export function sessionLines(session: string, bin: string): string {
  return `\nexport MASCOT_SESSION_ID='${session}'\n${pathLine(shellPath(bin))}`;
}

/** Last on the PATH, so that it hides nobody's program; once, for a session that starts, resumes and compacts. */
function pathLine(bin: string): string {
  if (!bin.startsWith('/') || /[:\n]/.test(bin)) return '';
  const quoted = `'${bin.replaceAll("'", "'\\''")}'`;
  return `case ":$PATH:" in *:${quoted}:*) ;; *) export PATH="$PATH":${quoted} ;; esac\n`;
}

/** The shells of an agent on Windows are Git's: `C:\x` is `/c/x` there. */
function shellPath(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path)?.[1];
  return drive ? `/${drive.toLowerCase()}/${path.slice(3).replaceAll('\\', '/')}` : path;
}
