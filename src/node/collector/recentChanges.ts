import type { OwnerInfo } from '../../protocol/state.ts';

/** Some seconds of the busiest machine: what a reader misses while it connects again. */
const COUNT_MAX = 1_000;

/** As much as one stuck reader may hold up; who missed more is served better by a snapshot. */
const BYTES_MAX = 8 * 1024 * 1024;

const idPattern = /^(\d{1,15})-\d{1,15}-(\d{1,15})-([A-Za-z0-9]{0,8})(?:-(\d{1,15}))?$/;

/**
 * The latest changes, each whole, by their running number. An id says after which change its reader stands:
 * `<generation>-<revision>-<number>-<instance>-<record>`. The number counts on where the revision stands still; the record is that of the
 * store's log up to which its reader knows what happened in the sessions, and holds for every later owner, too.
 */
export interface RecentChanges {
  /** The id of whoever has seen all so far. */
  id(): string;
  /** Makes the next id before what carries it. */
  add(make: (id: string) => string, revision: number): Buffer;
  /** What came after; undefined when that can't be told: too old, of another owner, of the future, or no id of ours. */
  since(id: string): readonly Buffer[] | undefined;
  /** From here on every id so far is too old. */
  forget(): void;
}

/** The record of the log in an id that this owner or an earlier one gave. */
export function recordIn(id: string): number | undefined {
  const record = idPattern.exec(id)?.[4];
  return record === undefined ? undefined : Number(record);
}

export function createRecentChanges(
  owner: () => Pick<OwnerInfo, 'generation' | 'instance'> | null,
  record: () => number,
): RecentChanges {
  let changes: Buffer[] = [];
  let bytes = 0;
  let last = 0;
  let revision = 0;

  function id(): string {
    const { generation = 0, instance = '' } = owner() ?? {};
    return `${generation}-${revision}-${last}-${tagOf(instance)}-${record()}`;
  }

  function trim(): void {
    let drop = Math.max(0, changes.length - COUNT_MAX);
    for (const each of changes.slice(0, drop)) bytes -= each.length;
    while (bytes > BYTES_MAX && drop < changes.length) bytes -= changes[drop++]?.length ?? 0;
    if (drop > 0) changes = changes.slice(drop);
  }

  return {
    id,
    add(make, at) {
      last++;
      revision = at;
      const text = Buffer.from(make(id()));
      changes.push(text);
      bytes += text.length;
      trim();
      return text;
    },
    since(given) {
      const [, generation, number, tag] = idPattern.exec(given) ?? [];
      const { generation: ours = 0, instance = '' } = owner() ?? {};
      if (Number(generation) !== ours || tag !== tagOf(instance)) return undefined;
      const missed = last - Number(number);
      if (missed < 0 || missed > changes.length) return undefined;
      return changes.slice(changes.length - missed);
    },
    forget() {
      changes = [];
      bytes = 0;
      last++;
    },
  };
}

/** Two homes count their owners by themselves, so the generation alone may be another's. */
function tagOf(instance: string): string {
  return instance.replace(/[^A-Za-z0-9]/g, '').slice(0, 8);
}
