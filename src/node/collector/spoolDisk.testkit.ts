import { nodeSpoolDisk, type SpoolDisk } from './spoolDisk.ts';

export interface SpoolFault {
  /** Counted from 1, among the calls of `operation` or, without it, among all. */
  readonly nth: number;
  readonly operation?: keyof SpoolDisk;
  readonly code: string;
  /** `once`: that call alone. `onward`: it and every later one. */
  readonly lasting: 'once' | 'onward';
}

export interface FaultySpoolDisk extends SpoolDisk {
  readonly calls: readonly (keyof SpoolDisk)[];
  /** How many calls have failed. */
  failed(): number;
  arm(fault: SpoolFault | undefined): void;
}

/** A real folder on which a chosen call fails. `beforeUnlink` sees every file that is about to go. */
export function faultySpoolDisk(beforeUnlink: (file: string) => void = () => undefined): FaultySpoolDisk {
  const calls: (keyof SpoolDisk)[] = [];
  let armed: SpoolFault | undefined;
  let count = 0;
  let failures = 0;

  function check(operation: keyof SpoolDisk): void {
    calls.push(operation);
    if (!armed || (armed.operation !== undefined && armed.operation !== operation)) return;
    count++;
    if (armed.lasting === 'once' ? count !== armed.nth : count < armed.nth) return;
    failures++;
    throw Object.assign(new Error(`${armed.code}: planted in call ${count} (${operation})`), { code: armed.code });
  }
  const guarded =
    <A extends unknown[], T>(operation: keyof SpoolDisk, work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      check(operation);
      return work(...args);
    };

  return {
    calls,
    failed: () => failures,
    arm(fault) {
      armed = fault;
      count = 0;
    },
    look: guarded('look', nodeSpoolDisk.look),
    names: guarded('names', nodeSpoolDisk.names),
    read: guarded('read', nodeSpoolDisk.read),
    readStart: guarded('readStart', nodeSpoolDisk.readStart),
    readEnd: guarded('readEnd', nodeSpoolDisk.readEnd),
    append: guarded('append', nodeSpoolDisk.append),
    rename: guarded('rename', nodeSpoolDisk.rename),
    unlink: guarded('unlink', (file: string) => {
      beforeUnlink(file);
      return nodeSpoolDisk.unlink(file);
    }),
    mkdir: guarded('mkdir', nodeSpoolDisk.mkdir),
    chmod: guarded('chmod', nodeSpoolDisk.chmod),
  };
}
