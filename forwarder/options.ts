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

export function readOptions(args: readonly string[]): Options {
  const valuesOf = (name: string) =>
    args.flatMap((argument) => (argument.startsWith(`--${name}=`) ? [argument.slice(name.length + 3)] : []));
  const valueOf = (name: string) => {
    const at = args.indexOf(`--${name}`);
    return valuesOf(name)[0] ?? (at < 0 ? undefined : args[at + 1]);
  };
  const has = (name: string) => args.includes(`--${name}`);
  return {
    provider: valueOf('provider'),
    event: valueOf('event'),
    handOver: valueOf('hand-over'),
    cwd: valueOf('cwd') || undefined,
    installed: has('installed'),
    guard: has('guard'),
    sweepSpool: has('sweep-spool'),
    tellLost: has('tell-lost'),
    launch: has('launch=decide') ? 'decide' : has('launch') ? 'start' : undefined,
    parent: Number(valueOf('parent')) || undefined,
    projects: valuesOf('project'),
  };
}
