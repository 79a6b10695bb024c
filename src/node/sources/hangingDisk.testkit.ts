import { type Disk, nodeDisk } from './disk.ts';
import type { After } from './gate.ts';

export type DiskCall = 'stat' | 'lstat' | 'open' | 'opendir' | 'file.stat' | 'file.read' | 'folder.read';

/** The real disk, but for calls that were told to hang. Closing is not counted. */
export interface HangingDisk extends Disk {
  /** From now on, each such call for a path with this in it is made only when `back` is called. */
  hang(call: DiskCall | 'all', part: string): void;
  back(): void;
  readonly calls: readonly { readonly call: DiskCall; readonly path: string }[];
  readonly hanging: () => number;
  readonly pending: () => number;
  readonly mostPending: () => number;
  /** Files and folders that were opened and not closed. */
  readonly unclosed: () => number;
  /**
   * The gate's time. It passes, all at once, when only hanging calls are left: however busy the machine is, no other call
   * is ever late, and none that hangs is waited for.
   */
  readonly after: After;
}

export function createHangingDisk(): HangingDisk {
  const calls: { call: DiskCall; path: string }[] = [];
  let hung: { call: DiskCall | 'all'; part: string } | undefined;
  let waiting: (() => void)[] = [];
  let pending = 0;
  let most = 0;
  let opened = 0;
  const timers = new Set<() => void>();

  /** Once those who waited for an answer have had their turn. */
  const passSoon = () => void setImmediate(pass);
  function pass(): void {
    if (pending > waiting.length) return;
    const due = [...timers];
    timers.clear();
    due.forEach((then) => then());
  }

  async function made<T>(call: DiskCall, path: string, make: () => Promise<T>): Promise<T> {
    calls.push({ call, path });
    most = Math.max(most, ++pending);
    try {
      if (hung && (hung.call === 'all' || hung.call === call) && path.includes(hung.part))
        await new Promise<void>((resolve) => waiting.push(resolve));
      return await make();
    } finally {
      pending--;
      passSoon();
    }
  }

  const closing = (close: () => Promise<void>) => () => {
    opened--;
    return close();
  };

  return {
    calls,
    hanging: () => waiting.length,
    pending: () => pending,
    mostPending: () => most,
    unclosed: () => opened,
    after(_ms, then) {
      timers.add(then);
      passSoon();
      return () => timers.delete(then);
    },
    hang: (call, part) => void (hung = { call, part }),
    back() {
      hung = undefined;
      waiting.forEach((go) => go());
      waiting = [];
    },
    stat: (folder) => made('stat', folder, () => nodeDisk.stat(folder)),
    lstat: (file) => made('lstat', file, () => nodeDisk.lstat(file)),
    async open(path, flags) {
      const file = await made('open', path, () => nodeDisk.open(path, flags));
      opened++;
      return {
        stat: () => made('file.stat', path, () => file.stat()),
        read: (...where) => made('file.read', path, () => file.read(...where)),
        close: closing(() => file.close()),
      };
    },
    async opendir(path) {
      const folder = await made('opendir', path, () => nodeDisk.opendir(path));
      opened++;
      return {
        read: () => made('folder.read', path, () => folder.read()),
        close: closing(() => folder.close()),
      };
    },
  };
}
