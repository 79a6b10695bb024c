import { mkdtemp, readdir, readFile, rm, cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventRecord, Log, SessionRow } from '../../app/ports.ts';
import { eventOf } from '../../protocol/event.ts';
import type { EventPayload, EventType } from '../../protocol/eventPayloads.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { loadSqlite } from './sqlite.ts';
import { openEventStore, openStoreWith, type EventStoreOptions, type OpenedStore } from './eventStore.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const wasm: Promise<Uint8Array> = readFile(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'));

const sqlite = wasm.then(loadSqlite);

export async function openIn(folder: string, options: Partial<EventStoreOptions> = {}): Promise<OpenedStore> {
  const rest = { folder, log: silentLog, generation: 1, mayWrite: () => true, ...options };
  return options.wasm ? openEventStore({ ...rest, wasm: options.wasm }) : openStoreWith(await sqlite, rest);
}

/** A folder that is gone when the test is over: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mascot-store-'));
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

export function record(
  number: number,
  changes: { session?: string; rank?: number; ts?: string; text?: string; type?: EventType; payload?: JsonObject } = {},
): EventRecord {
  const id = `evt-${number}`;
  return {
    event: eventOf(
      {
        id,
        version: '1.1',
        ts: changes.ts ?? new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
        source: 'hook',
        provider: 'claude',
        workspace_id: 'w',
        terminal_session_id: 't',
        session_id: changes.session ?? 's',
        agent_id: 'a',
        severity: 'info',
        raw: {},
      },
      changes.type ?? 'tool_started',
      (changes.payload ?? { text: changes.text ?? `number ${number}` }) as EventPayload,
    ),
    keys: [`delivery/${number}`, `fingerprint/${number}`],
    rank: changes.rank ?? 0,
  };
}

export function records(from: number, count: number): EventRecord[] {
  return Array.from({ length: count }, (_, index) => record(from + index));
}

export function sessionRow(id: string, lastEventAt: string): SessionRow {
  return { id, lastEventAt, reducer: 1, json: JSON.stringify({ id }) };
}

/** Ids of all that session `s` holds, twice if it is there twice. */
export function idsIn(opened: OpenedStore, session = 's'): string[] {
  return opened.store.events(session).map((event) => event.id);
}

export function idsOf(stored: readonly EventRecord[]): string[] {
  return stored.map(({ event }) => event.id);
}

const LANES = 6;

/** Cases that have nothing to do with each other, some at a time: half of what each needs is waiting for the disk. */
export async function sideBySide(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** For tests that open hundreds of stores and cut no power: the same disk without its slow part. */
export const unsyncedFileSystem: FileSystem = {
  ...nodeFileSystem,
  open: async (file, flags, mode) => ({
    ...(await nodeFileSystem.open(file, flags, mode)),
    sync: async () => {},
    datasync: async () => {},
  }),
};

/** What a SIGKILL at this instant would leave, as far as other processes can see. */
export async function snapshotOf(folder: string, target: string): Promise<void> {
  await cp(folder, target, { recursive: true });
}

export async function filesIn(folder: string, matching: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => matching.test(name)).sort();
}

/** Flips every bit of one byte; a negative position counts from the end. */
export async function damageFile(file: string, position: number): Promise<void> {
  const bytes = await readFile(file);
  const at = position < 0 ? bytes.length + position : position;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  await writeFile(file, bytes);
}
