import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { absoluteFolders, restingFolder, type SafeProgram } from './programFiles.ts';

const OUTPUT_MAX_BYTES = 64 * 1024;

/** What a program of somebody else may see of our environment when we ask it something: none of the secrets in it. */
export function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'];
  const windows = ['Path', 'SYSTEMROOT', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'PATHEXT'];
  const kept = [...names, ...windows].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, name.toUpperCase() === 'PATH' ? withoutRelative(value) : value]];
  });
  return Object.fromEntries(kept) as NodeJS.ProcessEnv;
}

/** What a program starts itself must not come from a folder beside a project either. */
function withoutRelative(list: string): string {
  return absoluteFolders(list).join(path.delimiter);
}

/** With all that it started: a wrapper's own child would live on. */
export function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/**
 * What it printed; undefined when it could not be run, failed, or took longer than that. It sees a plain environment, and the
 * person's own folder whatever the project is. Never throws.
 */
export function outputOf(
  { real, file }: SafeProgram,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(real, args, {
      argv0: file,
      cwd: restingFolder(env),
      env: plainEnvironment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
    });
    const parts: Buffer[] = [];
    let size = 0;
    const end = (output: string | undefined) => {
      clearTimeout(timer);
      killGroup(child);
      child.stdout?.destroy();
      resolve(output);
    };
    const timer = setTimeout(end, limitMs, undefined);
    child.stdout?.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= OUTPUT_MAX_BYTES) parts.push(part);
      else end(undefined);
    });
    child.once('error', () => end(undefined));
    child.once('close', (code) => end(code === 0 ? Buffer.concat(parts).toString('utf8') : undefined));
  });
}
