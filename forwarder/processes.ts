/** One process, as far as a process table tells. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly tty?: string | undefined;
  /** ISO-8601. */
  readonly startedAt?: string | undefined;
  /** Its arguments, asked for only to tell a launcher that is a Node script, and never sent. */
  readonly readArguments?: (() => readonly string[]) | undefined;
}

export type Lookup = (pid: number) => Process | undefined;

/** Deeper chains exist only where something loops. */
const CHAIN_MAX = 32;

const shells = /^(sh|bash|dash|zsh|fish|ksh|mksh|ash|busybox|cmd|powershell|pwsh|tcsh|csh|nu)$/;
const launchers =
  /^(env|setsid|nohup|timeout|nice|ionice|chrt|taskset|stdbuf|time|sudo|doas|npx|npm|pnpm|yarn|bunx|agent-mascot.*|forward-to-mascot.*)$/;
/** Who takes in processes whose parent is gone: what stands below one of these is nobody's any more. */
const orphanages = /^(init|systemd|launchd|tini|dumb-init|docker-init|catatonit)$/;
/** Node names its main thread itself since version 24, and that is what the process table shows. */
const nodeNames = /^(node|nodejs|node-?MainThread|MainThread|bun|deno)$/;

/** From the parent upwards; pid 1 ends the chain and is part of it. */
export function ancestorsOf(parent: number, lookup: Lookup): readonly Process[] {
  const chain: Process[] = [];
  for (let pid = parent; pid > 0 && chain.length < CHAIN_MAX;) {
    const process = lookup(pid);
    if (!process || chain.some((seen) => seen.pid === pid)) break;
    chain.push(process);
    pid = process.parent;
  }
  return chain;
}

/**
 * The agent's own process: the one it names itself, if that is an ancestor (an agent started by another inherits its
 * variable), else the nearest ancestor that only stands between an agent and its hook.
 */
export function agentProcess(chain: readonly Process[], claimedPid: number | undefined): Process | undefined {
  const nearest = chain.find(({ pid }) => pid === claimedPid) ?? chain.find((process) => !standsBetween(process));
  return nearest && orphanages.test(plainName(nearest.name)) ? undefined : nearest;
}

function standsBetween(process: Process): boolean {
  const name = plainName(process.name);
  if (shells.test(name) || launchers.test(name)) return true;
  if (!nodeNames.test(name)) return false;
  const script = process
    .readArguments?.()
    .slice(1)
    .find((argument) => !argument.startsWith('-'));
  return script !== undefined && launchers.test(plainName(script).replace(/-cli$/, ''));
}

/** `-bash` is a login shell, `/bin/sh` a path, `cmd.exe` and `npx-cli.js` carry an ending. */
export function plainName(name: string): string {
  return name.replace(/^.*[\\/]|^-/, '').replace(/\.(exe|cmd|js|cjs|mjs)$/i, '');
}
