import type { Variables } from './environment.ts';
import { listProcesses } from './listedProcesses.ts';
import { readBootTime, readPidNamespace, readProcess } from './linuxProcesses.ts';
import { agentProcess, ancestorsOf } from './processes.ts';
import type { Lookup, Process } from './processes.ts';

/** Where a hook came from, as the process table tells. */
export interface Origin {
  readonly agent?: Process | undefined;
  readonly ancestors: readonly number[];
  /** The terminal of the nearest ancestor that has one. */
  readonly tty?: string | undefined;
  readonly pidNamespace?: string | undefined;
}

export interface Self {
  readonly platform: string;
  readonly parent: number;
  /** Milliseconds since the epoch: a parent that is younger has only come by the pid. Told where its hook is over. */
  readonly bornBefore?: number | undefined;
}

export async function findOrigin(self: Self, variables: Variables, sessionStarts: boolean): Promise<Origin> {
  const claimed = Number(variables.CLAUDE_PID) || undefined;
  if (self.platform === 'linux') {
    const bootTime = readBootTime();
    const chain = ancestorsOf(self.parent, (pid) => readProcess(pid, bootTime));
    const isAnother = Date.parse(chain[0]?.startedAt ?? '') > (self.bornBefore ?? Number.POSITIVE_INFINITY);
    return { ...fromChain(isAnother ? [] : chain, claimed), pidNamespace: readPidNamespace() };
  }
  if (sessionStarts) {
    const listed = new Map((await listProcesses(self.platform, variables)).map((process) => [process.pid, process]));
    const lookup: Lookup = (pid) => listed.get(pid);
    const chain = ancestorsOf(self.parent, lookup);
    if (chain.length > 0) return fromChain(chain, claimed);
  }
  // The parent may be the agent or a shell that is about to end: naming it would make a living session look dead.
  return { ancestors: [self.parent], ...(claimed === self.parent && { agent: { pid: claimed, parent: 0, name: '' } }) };
}

function fromChain(chain: readonly Process[], claimed: number | undefined): Origin {
  const tty = chain.find((process) => process.tty !== undefined)?.tty;
  return { agent: agentProcess(chain, claimed), ancestors: chain.map(({ pid }) => pid), tty };
}
