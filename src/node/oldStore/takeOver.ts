import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlJsStatic } from 'sql.js';
import type { Log } from '../../app/ports.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { TakeOverProgress } from '../../protocol/state.ts';
import { writeDurably } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, removeIfThere, syncFolder } from '../files/fileSystem.ts';
import type { RecordDraft } from '../log/segmentFormat.ts';
import { encodeHeader, nameOfSegment, parseSegmentName } from './journalFormat.ts';
import { DAMAGED_FOLDER } from '../log/setAside.ts';
import { parseImageName } from './imageNames.ts';
import { OWN_SHELF } from '../store/documents.ts';
import type { LogStore } from '../store/logStore.ts';
import { isMereSign, type OldMarks, OldStore } from './oldStore.ts';
import { type EraseBody, eraseDraft, hashOfKey, noteDraft, trimDraft, workDraft } from '../store/storedRecords.ts';

export interface TakeOverParts {
  readonly folder: string;
  readonly fs: FileSystem;
  readonly sqlite: SqlJsStatic;
  readonly store: LogStore;
  readonly log: Log;
  readonly now: () => number;
}

/** In the shelf `store`: `began` when all but the events is taken over, `done` when the events are too. */
interface Standing {
  readonly state: 'began' | 'done';
  /** The number of the last erasure when it began: what was erased since is not taken over. */
  readonly erasures: number;
  /** Milliseconds that owners of this store had run when it was done. */
  readonly uptime: number;
}

const KEY = 'takenOver';
/** The earlier store left it while its files still held something that was erased. */
const ERASING_SIGN = 'erasing';
const EVENTS_AT_ONCE = 100;
/** Sessions with events within this time of the newest may be on the stage, so their events are taken over first. */
const RECENT_MS = 24 * 3_600_000;
/** The files of the earlier store stay for so many days of running. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/**
 * Takes over the store of a release before the log. All but the events, and the events of recent sessions, is there when `begin`
 * resolves; `finish` takes the rest while the store is used. Both go on after a crash: what is there already is not taken again.
 * The earlier store's files are only read, and stay until they have not been needed for 30 days of use, or something is erased.
 */
export class TakeOver {
  readonly #parts: TakeOverParts;
  readonly #old: OldStore;
  readonly #erasures: number;
  readonly #taken = new Set<string>();
  #progress: TakeOverProgress;

  private constructor(parts: TakeOverParts, old: OldStore, erasures: number) {
    this.#parts = parts;
    this.#old = old;
    this.#erasures = erasures;
    this.#progress = { done: 0, of: old.countEvents() };
  }

  /**
   * Undefined if there is nothing to take over. Rejects, with nothing changed, if a later release wrote the earlier store. The events
   * of the sessions in `first` are taken over before it resolves: an earlier start may have ended in the middle of them, and reduced
   * from half of its events a session would be another.
   */
  static async begin(parts: TakeOverParts, first: readonly string[] = []): Promise<TakeOver | undefined> {
    const { folder, fs, sqlite, store } = parts;
    const standing = standingOf(store);
    if (standing?.state === 'done') return undefined;
    const old = await OldStore.open(fs, folder, sqlite);
    if (old === undefined) return undefined;
    try {
      const takeOver = new TakeOver(parts, old, standing?.erasures ?? (await takeDocuments(parts, old)));
      await takeOver.#begin(first);
      return takeOver;
    } catch (error) {
      old.close();
      throw error;
    }
  }

  /** Sessions whose rows don't tell of all their events. */
  get unreduced(): readonly string[] {
    return [...this.#taken].filter((session) => !this.#old.isReduced(session) && !this.#isErased(session));
  }

  /** What of the earlier store could not be read: sentences for the person. */
  get damage(): readonly string[] {
    return this.#old.damage;
  }

  get progress(): TakeOverProgress {
    return this.#progress;
  }

  /** Takes over all other events, while others use the store. */
  async finish(onProgress: (progress: TakeOverProgress) => void = () => undefined): Promise<void> {
    try {
      await this.#finish(onProgress);
    } finally {
      this.#old.close();
    }
    await removeUnneeded(this.#parts);
  }

  async #finish(onProgress: (progress: TakeOverProgress) => void): Promise<void> {
    for (const session of this.#old.sessions()) {
      await this.#takeEvents(session);
      onProgress(this.#progress);
    }
    const { store, log } = this.#parts;
    await store.adopt([
      standingDraft({ state: 'done', erasures: this.#erasures, uptime: uptimeOf(store) }, this.#parts.now()),
    ]);
    log.info(`store: ${this.#progress.done} events of an earlier release were taken over.`);
  }

  async #begin(first: readonly string[]): Promise<void> {
    const { store } = this.#parts;
    store.saveSessions(this.#old.rows.filter(({ id }) => store.session(id) === undefined && !this.#isErased(id)));
    for (const session of [...first, ...this.#recent()]) await this.#takeEvents(session);
  }

  #isErased(session: string): boolean {
    return this.#parts.store.erased.of(session) > this.#erasures;
  }

  #recent(): readonly string[] {
    const rows = new Map(this.#old.rows.map((row) => [row.id, Date.parse(row.lastEventAt)]));
    const newest = Math.max(...[...rows.values()].filter(Number.isFinite), -Infinity);
    const isRecent = (id: string) => !this.#old.isReduced(id) || (rows.get(id) ?? 0) >= newest - RECENT_MS;
    return this.#old.sessions().filter(isRecent);
  }

  async #takeEvents(session: string): Promise<void> {
    if (this.#taken.has(session)) return;
    this.#taken.add(session);
    const { store } = this.#parts;
    for (const records of this.#old.eventsOf(session, EVENTS_AT_ONCE)) {
      await store.appendEarlier(records, this.#erasures);
      this.#progress = { ...this.#progress, done: this.#progress.done + records.length };
      await nextTurn();
    }
    if (this.#old.isReduced(session)) store.markReduced([session]);
  }
}

/** One append: marks of erasures, work items, documents, and rows that can't be made from events again. */
async function takeDocuments({ store, now }: TakeOverParts, old: OldStore): Promise<number> {
  const trimmed = old.rows.filter((row) => row.trimmed === true);
  const drafts = [
    ...markDrafts(old.marks, now()),
    ...(old.workItems.length > 0 ? [workDraft({ save: old.workItems }, now())] : []),
    ...old.documents.map(({ shelf, key, session, value }) => noteDraft({ shelf, key, value }, session, now())),
    ...trimmed.map((row) => trimDraft(row.id, {}, { row, isTrimmed: true }, now())),
  ];
  await store.adopt(drafts);
  const erasures = store.erased.count();
  await store.adopt([standingDraft({ state: 'began', erasures, uptime: 0 }, now())]);
  return erasures;
}

function markDrafts(
  { wasAllErased, sessions, had, transcripts, waiting, deliveries }: OldMarks,
  at: number,
): RecordDraft[] {
  const body: EraseBody = { sessions, transcripts, waiting, had, deliveries: deliveries.map(hashOfKey) };
  const hasOwn = [sessions, had, waiting, deliveries, Object.keys(transcripts)].some(({ length }) => length > 0);
  const all: EraseBody = { sessions: 'all', transcripts: {}, waiting: [], had: [], deliveries: [] };
  return [...(wasAllErased ? [eraseDraft({}, all, at)] : []), ...(hasOwn ? [eraseDraft({}, body, at)] : [])];
}

function standingDraft(standing: Standing, at: number): RecordDraft {
  return noteDraft({ shelf: OWN_SHELF, key: KEY, value: { ...standing } }, undefined, at);
}

function standingOf(store: LogStore): Standing | undefined {
  const value = store.shelf(OWN_SHELF).get(KEY)?.value;
  return isJsonObject(value) ? (value as JsonObject & Standing) : undefined;
}

/** As `ObservedTime` keeps it. */
function uptimeOf(store: LogStore): number {
  const value = store.shelf('retention').get('time')?.value;
  return isJsonObject(value) && typeof value['uptime'] === 'number' ? value['uptime'] : 0;
}

/** Removes the earlier store's files once they have not been needed for long enough, or something was erased since. */
export async function removeUnneeded({ store, fs, folder, log }: TakeOverParts): Promise<void> {
  const standing = standingOf(store);
  if (standing?.state !== 'done') return;
  const hasErased = store.erased.count() > standing.erasures || (await fs.readdir(folder)).includes(ERASING_SIGN);
  if (!hasErased && uptimeOf(store) - standing.uptime < KEPT_DAYS * DAY_MS) return;
  const removed = await removeOldFiles(fs, folder);
  if (removed > 0) log.info(`store: ${removed} files of an earlier release are removed, because they are not needed.`);
}

/** Is everything taken over, so that the earlier store's files are a mere copy? */
export function isTakenOver(store: LogStore): boolean {
  return standingOf(store)?.state === 'done';
}

/** Resolves to how many it removed. The empty journal that keeps earlier releases away stays. */
export async function removeOldFiles(fs: FileSystem, folder: string): Promise<number> {
  let removed = 0;
  for (const name of await oldFiles(fs, folder)) if (await removeIfThere(fs, path.join(folder, name))) removed++;
  return removed;
}

/** The names of the earlier store's files, and of damaged ones that it set aside. */
export async function oldFiles(fs: FileSystem, folder: string): Promise<readonly string[]> {
  const names = await fs.readdir(folder);
  const journals = names.filter((name) => parseSegmentName(name) !== undefined);
  const full: string[] = [];
  for (const name of journals) if (!(await isMereSign(fs, path.join(folder, name)))) full.push(name);
  const aside = await fs.readdir(path.join(folder, DAMAGED_FOLDER)).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return [
    ...full,
    ...names.filter((name) => parseImageName(name) !== undefined || name === ERASING_SIGN),
    ...aside.map((name) => path.join(DAMAGED_FOLDER, name)),
  ];
}

/** STO-1: a release from before the log knows journals, and leaves a folder alone that has one of a later format. */
export async function keepEarlierReleasesAway(fs: FileSystem, folder: string, generation: number): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    if (parseSegmentName(name) === undefined) continue;
    if (await isMereSign(fs, path.join(folder, name))) return;
  }
  const file = path.join(folder, nameOfSegment({ generation, seq: 1 }));
  await writeDurably(fs, file, encodeHeader(generation), 0o600).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await syncFolder(fs, folder);
}
