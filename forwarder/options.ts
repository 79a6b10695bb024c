/** How the forwarder was called. */
export interface Options {
  readonly provider?: string | undefined;
  readonly event?: string | undefined;
  /** The file in which the installed entry left the hook; else it is on standard input. */
  readonly handOver?: string | undefined;
  /** The agent's folder, where it is not this process's: the entry starts Node outside of the project. */
  readonly cwd?: string | undefined;
  /** By an installed hook: nobody reads its standard error, and an exit code would be shown to the person. */
  readonly installed: boolean;
  /** Asks whether an edit may go on. */
  readonly guard: boolean;
  /** Only holds the spool to its bounds. */
  readonly sweepSpool: boolean;
  /** Only says that the entry has lost an event, and has counted it. */
  readonly tellLost: boolean;
  /**
   * FWD-7, with no hook on standard input. `decide`: an agent starts below `parent`, and whether anybody runs is to be seen;
   * `start`: an editor is to be started, by a process that outlives the agent.
   */
  readonly launch?: 'decide' | 'start' | undefined;
  readonly parent?: number | undefined;
  /** With `start`: where the agent works. */
  readonly projects: readonly string[];
}

const PROJECT = '--project=';

export function readOptions(args: readonly string[]): Options {
  const has = (name: string) => args.includes(`--${name}`);
  return {
    provider: valueOf(args, 'provider'),
    event: valueOf(args, 'event'),
    handOver: valueOf(args, 'hand-over'),
    cwd: valueOf(args, 'cwd') || undefined,
    installed: has('installed'),
    guard: has('guard'),
    sweepSpool: has('sweep-spool'),
    tellLost: has('tell-lost'),
    launch: has('launch=decide') ? 'decide' : has('launch') ? 'start' : undefined,
    parent: Number(valueOf(args, 'parent')) || undefined,
    projects: args.flatMap((argument) => (argument.startsWith(PROJECT) ? [argument.slice(PROJECT.length)] : [])),
  };
}

function valueOf(args: readonly string[], name: string): string | undefined {
  const option = `--${name}`;
  const joined = args.find((argument) => argument.startsWith(`${option}=`));
  if (joined !== undefined) return joined.slice(option.length + 1);
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}
