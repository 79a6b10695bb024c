import { readFileSync, readlinkSync } from 'node:fs';
import type { Process } from './processes.ts';

/** The kernel's USER_HZ, in which it reports start times; 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** What `/proc/<pid>/stat` says. The name is in brackets and may itself hold brackets and spaces. */
export function parseStat(
  text: string,
): { name: string; parent: number; ttyNumber: number; startTicks: number } | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  const [parent, ttyNumber, startTicks] = [Number(fields[1]), Number(fields[4]), Number(fields[19])];
  if (!Number.isInteger(parent) || !Number.isInteger(ttyNumber) || !Number.isInteger(startTicks)) return undefined;
  return { name: text.slice(open + 1, close), parent, ttyNumber, startTicks };
}

/** The kernel's device number as the name below /dev. */
export function ttyName(deviceNumber: number): string | undefined {
  const major = (deviceNumber >> 8) & 0xfff;
  const minor = (deviceNumber & 0xff) | ((deviceNumber >> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 256 + minor}`;
  if (major === 4) return minor < 64 ? `tty${minor}` : `ttyS${minor - 64}`;
  return undefined;
}

/** Seconds since the epoch; what the kernel adds start times to. */
export function readBootTime(): number | undefined {
  const line = /^btime (\d+)$/m.exec(readText('/proc/stat') ?? '');
  return line ? Number(line[1]) : undefined;
}

export function readProcess(pid: number, bootTime: number | undefined): Process | undefined {
  const stat = parseStat(readText(`/proc/${pid}/stat`) ?? '');
  if (!stat) return undefined;
  return {
    pid,
    parent: stat.parent,
    name: stat.name,
    tty: ttyName(stat.ttyNumber),
    startedAt: bootTime === undefined ? undefined : startedAt(bootTime, stat.startTicks),
    readArguments: () => (readText(`/proc/${pid}/cmdline`) ?? '').split('\0'),
  };
}

/** The port file's way to name a start: boot and ticks, which stay the same when the clock is set. */
export function readKernelStart(pid: number): string | undefined {
  const stat = parseStat(readText(`/proc/${pid}/stat`) ?? '');
  return stat && `${readText('/proc/sys/kernel/random/boot_id')?.trim()}:${stat.startTicks}`;
}

export function startedAt(bootTime: number, startTicks: number): string {
  return new Date(Math.round((bootTime + startTicks / TICKS_PER_SECOND) * 1000)).toISOString();
}

export function readPidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
