import type { Variables } from './environment.ts';
import type { Process } from './processes.ts';

/** A session start waits a second for its answer in all; the table of processes may take a part of it. */
const LISTING_DEADLINE_MS = 600;
const LISTING_MAX_BYTES = 8 * 1024 * 1024;

/** Prints the same columns as `ps`. */
const powershellScript = `Get-CimInstance Win32_Process|%{"$($_.ProcessId) $($_.ParentProcessId) ? $($_.CreationDate.ToUniversalTime().ToString('o')) $($_.Name)"}`;

export type Listing = readonly [folder: string, program: string, ...args: string[]];

/** The system's own program, run in a folder of the system's: a bare name could be a file of the folder that the agent works in. */
export function listingOf(platform: string, { SystemRoot }: Variables): Listing {
  if (platform !== 'win32') return ['/', '/bin/ps', '-A', '-o', 'pid=,ppid=,tty=,lstart=,comm='];
  const root = /^[A-Za-z]:[\\/]/.test(SystemRoot ?? '') ? SystemRoot : 'C:\\Windows';
  const system = `${root}\\System32`;
  const program = `${system}\\WindowsPowerShell\\v1.0\\powershell.exe`;
  return [system, program, '-NoProfile', '-Command', powershellScript];
}

/** The process table where reading it takes a process of its own: macOS, BSD, Windows. Nothing found is no error. */
export async function listProcesses(platform: string, variables: Variables): Promise<readonly Process[]> {
  const [cwd, program, ...args] = listingOf(platform, variables);
  const { execFile } = await import('node:child_process');
  // The agent's environment holds secrets; a listing needs the way to its parts and a language to answer in.
  const env = { PATH: variables.PATH, SystemRoot: variables.SystemRoot, LC_ALL: 'C' };
  const options = { timeout: LISTING_DEADLINE_MS, maxBuffer: LISTING_MAX_BYTES, windowsHide: true, env, cwd };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error ? [] : parseListing(stdout)));
  });
}

/** Pid, parent, tty, start, name. `lstart` is local time in five words, `Wed Nov 18 14:20:20 2026`. */
export function parseListing(text: string): readonly Process[] {
  const line = /^\s*(\d+) +(\d+) +(\S+) +(\d{4}-\S+|\w+ +\w+ +\d+ +[\d:]+ +\d{4}) +(.+?)\s*$/;
  return text.split('\n').flatMap((row) => {
    const [, pid, parent, tty, started, name] = line.exec(row) ?? [];
    if (!tty || !started || !name) return [];
    const time = new Date(started);
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        name,
        tty: /^[?-]+$/.test(tty) ? undefined : tty,
        startedAt: Number.isNaN(time.getTime()) ? undefined : time.toISOString(),
      },
    ];
  });
}
