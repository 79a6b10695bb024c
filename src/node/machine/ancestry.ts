import { listProcesses } from '../../../forwarder/listedProcesses.ts';
import { readBootTime, readProcess } from '../../../forwarder/linuxProcesses.ts';
import { ancestorsOf, type Process } from '../../../forwarder/processes.ts';
import type { Ancestry } from '../../app/windowPorts.ts';

/** The same rows as forwarders read, so both mean the same process. */
export function createAncestry(platform = process.platform): Ancestry {
  return {
    async of(pid) {
      return ancestorsOf(pid, await lookupOn(platform)).map((each) => each.pid);
    },
  };
}

async function lookupOn(platform: string): Promise<(pid: number) => Process | undefined> {
  if (platform === 'linux') {
    const bootTime = readBootTime();
    return (pid) => readProcess(pid, bootTime);
  }
  const byPid = new Map((await listProcesses(platform, process.env)).map((each) => [each.pid, each]));
  return (pid) => byPid.get(pid);
}
