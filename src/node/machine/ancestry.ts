import { listProcesses } from '../../../forwarder/listedProcesses.ts';
import { readBootTime, readProcess } from '../../../forwarder/linuxProcesses.ts';
import { ancestorsOf, type Process } from '../../../forwarder/processes.ts';
import type { Ancestry } from '../../app/windowPorts.ts';

/** The same rows as forwarders read, so both mean the same process. */
export function createAncestry(platform = process.platform): Ancestry {
  return {
    async of(pid, startedAt) {
      const chain = ancestorsOf(pid, await lookupOn(platform));
      return isAnother(chain[0], startedAt) ? [] : chain.map((each) => each.pid);
    },
  };
}

/** The kernel counts from boot, which is rounded; and the clock may have been set a little since. */
const START_TOLERANCE_MS = 3_000;

function isAnother(found: Process | undefined, startedAt: string | undefined): boolean {
  if (found?.startedAt === undefined || startedAt === undefined) return false;
  return Math.abs(Date.parse(found.startedAt) - Date.parse(startedAt)) > START_TOLERANCE_MS;
}

async function lookupOn(platform: string): Promise<(pid: number) => Process | undefined> {
  if (platform === 'linux') {
    const bootTime = readBootTime();
    return (pid) => readProcess(pid, bootTime);
  }
  const byPid = new Map((await listProcesses(platform, process.env)).map((each) => [each.pid, each]));
  return (pid) => byPid.get(pid);
}
