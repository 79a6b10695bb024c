import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { readPidNamespace } from '../../../forwarder/linuxProcesses.ts';
import type { Machine } from '../../app/windowPorts.ts';
import { createAncestry } from './ancestry.ts';
import { folderSystem } from './exclusions.ts';

/** As hooks tell of the machine that they run on, so that the two can be compared. */
export function thisMachine(): Machine {
  return {
    ancestry: createAncestry(),
    realFolder: (folder) => realpath(folder).catch(() => folder),
    host: hostname(),
    pidNamespace: readPidNamespace(),
    folders: folderSystem(process.platform),
  };
}
