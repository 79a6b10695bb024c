import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import { type Disk, type DiskFile, type DiskFolder, nodeDisk } from './disk.ts';
import { type After, createGate, type Gate } from './gate.ts';

/** Each call may reject with SetAside. A buffer whose reading was set aside may be written to at any later time: drop it. */
export interface GatedDisk extends Disk, Pick<Gate, 'onBack'> {}

/** One for all sources: together they hold two threads at most, whatever disks do. */
export function createGatedDisk(log: Log, disk: Disk = nodeDisk, after?: After): GatedDisk {
  const gate = createGate(log, after);

  // Closing passes: it waits for nothing that is not in memory, and a handle that waited at the gate could be lost there.
  const file = (folder: string, opened: DiskFile): DiskFile => ({
    stat: () => gate.run(folder, () => opened.stat()),
    read: (...where) => gate.run(folder, () => opened.read(...where)),
    close: () => opened.close(),
  });

  return {
    stat: (folder) => gate.run(folder, () => disk.stat(folder)),
    lstat: (name) => gate.run(path.dirname(name), () => disk.lstat(name)),
    async open(name, flags) {
      const folder = path.dirname(name);
      return file(folder, await gate.run(folder, () => disk.open(name, flags), closeQuietly));
    },
    async opendir(folder) {
      const opened: DiskFolder = await gate.run(folder, () => disk.opendir(folder), closeQuietly);
      return { read: () => gate.run(folder, () => opened.read()), close: () => opened.close() };
    },
    onBack: gate.onBack,
  };
}

/** Nobody waits for it: what was read is good whatever the system says of the closing, and a disk may hang in it. */
export function closeQuietly(opened: { close(): Promise<void> }): void {
  opened.close().catch(() => undefined);
}
