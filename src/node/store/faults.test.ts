import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough } from '../../../test/thorough.testkit.ts';
import { faultyFileSystem, type FaultyFileSystem } from '../files/faultyFs.testkit.ts';
import type { EventStoreOptions } from './eventStore.ts';
import {
  beside,
  damageFile,
  filesIn,
  idsIn,
  idsOf,
  openIn,
  record,
  records,
  sessionRow,
  sideBySide,
  snapshotOf,
  temporaryFolder,
  unsyncedFileSystem,
} from './store.testkit.ts';

/** What a run told its caller. */
interface Told {
  readonly acknowledged: string[];
  readonly refused: string[];
  /** Steps that rejected, with the code or name of the error. */
  readonly failures: string[];
}

const before = records(0, 6);

/** A store that has lived: image, backup, a journal behind both and one without an image. */
async function livedIn(folder: string): Promise<void> {
  const { store } = await openIn(folder);
  for (const from of [0, 2]) {
    await store.append(before.slice(from, from + 2));
    await store.checkpoint();
  }
  await store.append(before.slice(4));
  await using killed = await temporaryFolder();
  await snapshotOf(folder, killed.path);
  await store.close();
  await rm(folder, { recursive: true });
  await snapshotOf(killed.path, folder);
}

/** Open, append, checkpoint, append, checkpoint, append, close: each step whatever became of the one before. */
async function live(folder: string, fs: FaultyFileSystem, options: Partial<EventStoreOptions>): Promise<Told> {
  const told: Told = { acknowledged: [], refused: [], failures: [] };
  async function attempt(step: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      told.failures.push(`${step}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
  let opened = await openIn(folder, { ...options, fs, generation: 2 }).catch((error: unknown) => {
    told.failures.push(`open: ${String(error)}`);
    return undefined;
  });
  opened ??= await openIn(folder, { ...options, fs, generation: 2 }).catch(() => undefined);
  if (!opened) return told;
  const { store } = opened;
  for (const from of [10, 13, 16]) {
    const batch = records(from, 3);
    const stored = await attempt('append', () => store.append(batch));
    (stored ? told.acknowledged : told.refused).push(...idsOf(batch));
    expect(batch.map(({ event }) => store.lookup(`delivery/${event.id.slice(4)}`, 's'))).toEqual(
      batch.map(({ event }) => (stored ? event.id : undefined)),
    );
    store.saveSessions([sessionRow('s', String(from))]);
    if (from === 13) await attempt('trim', () => store.trim({ sessionId: 's', strip: ['evt-10'] }));
    if (from < 16) await attempt('checkpoint', () => store.checkpoint());
  }
  await attempt('close', () => store.close());
  return told;
}

function missing(expected: readonly string[], found: readonly string[]): string[] {
  return expected.filter((id) => !found.includes(id));
}

const beginnings: Readonly<Record<string, (folder: string) => Promise<readonly string[]>>> = {
  'a new store': async () => [],
  'a store that has lived': async (folder) => {
    await livedIn(folder);
    return idsOf(before);
  },
  'a damaged image and a torn journal': async (folder) => {
    await livedIn(folder);
    await damageFile(path.join(folder, 'agent-mascot-1-000002.sqlite'), 5000);
    const [last = ''] = (await filesIn(folder, /journal/)).slice(-1);
    await damageFile(path.join(folder, last), -3);
    // The torn record is the last of the six; it was cut by the damage, not by the store.
    return idsOf(before.slice(0, 5));
  },
};

const faults = [
  { code: 'ENOSPC', lasting: 'once', where: 'here' },
  { code: 'EIO', lasting: 'onward', where: 'here' },
  { code: 'EIO', lasting: 'once', where: 'beside' },
  { code: 'EACCES', lasting: 'once', where: 'beside' },
] as const;

/**
 * Every other call fails, and the calls between with the next fault: each call fails under two of the four. A new store makes so
 * few calls that all of them fail under each.
 */
function callsToFail(beginning: string, fault: number, calls: number): readonly number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  return isThorough || beginning === 'a new store' ? all : all.filter((nth) => nth % 2 === fault % 2);
}

describe('STO-3 every call to the disk fails', () => {
  for (const [beginning, prepare] of Object.entries(beginnings)) {
    for (const [fault, { code, lasting, where }] of faults.entries()) {
      it(`STO-2 ${beginning}, ${code} ${lasting}, images made ${where}: what was acknowledged is there, once`, async () => {
        await using template = await temporaryFolder();
        const had = await prepare(template.path);
        const how = (fs: FaultyFileSystem) => (where === 'beside' ? beside(fs) : Promise.resolve({}));
        const calm = faultyFileSystem({ disk: unsyncedFileSystem });
        await using rehearsal = await temporaryFolder();
        await snapshotOf(template.path, rehearsal.path);
        expect((await live(rehearsal.path, calm, await how(calm))).failures).toEqual([]);

        const silent: string[] = [];
        const failing = callsToFail(beginning, fault, calm.calls.length);
        await sideBySide(failing.length, async (index) => {
          const nth = failing[index] ?? 0;
          await using folder = await temporaryFolder();
          await snapshotOf(template.path, folder.path);
          const fs = faultyFileSystem({ disk: unsyncedFileSystem });
          fs.arm({ nth, code, lasting });
          const told = await live(folder.path, fs, await how(fs));
          if (told.failures.length === 0) silent.push(fs.calls[nth - 1] ?? '');

          const reopened = await openIn(folder.path, { generation: 3, fs: unsyncedFileSystem });
          const ids = idsIn(reopened);
          const call = `call ${nth} of ${calm.calls.length}: ${fs.calls[nth - 1]}`;
          expect(new Set(ids).size, `${call}: twice`).toBe(ids.length);
          expect(missing([...had, ...told.acknowledged], ids), `${call}: lost`).toEqual([]);
          expect(await filesIn(folder.path, /tmp/), call).toEqual([]);
          await reopened.store.close();
        });
        // Tidying up and the last checkpoint may fail unheard; a batch that was not stored may not.
        expect(silent).not.toContain('datasync');
      });
    }
  }
});

describe('STO-3 after a failure', () => {
  for (const operation of ['write', 'datasync'] as const) {
    it(`STO-3 the disk is full once at ${operation}: the batch is refused, the next one is stored behind the last good one`, async () => {
      await using folder = await temporaryFolder();
      const fs = faultyFileSystem();
      const { store } = await openIn(folder.path, { fs });
      await store.append([record(1)]);
      fs.arm({ nth: 1, operation, code: 'ENOSPC' });
      await expect(store.append([record(2, { text: 'long '.repeat(500) })])).rejects.toThrow('ENOSPC');
      await store.append([record(3)]);
      await using killed = await temporaryFolder();
      await snapshotOf(folder.path, killed.path);
      await store.close();
      const reopened = await openIn(killed.path);
      expect([idsIn(reopened), reopened.damage]).toEqual([['evt-1', 'evt-3'], []]);
      await reopened.store.close();
    });
  }

  it('STO-3 a journal that can not be cut back is left behind: the next batch begins another file, and nothing is lost or twice', async () => {
    await using folder = await temporaryFolder();
    const fs = faultyFileSystem();
    const { store } = await openIn(folder.path, { fs });
    await store.append([record(1)]);
    fs.arm({ nth: 1, operation: 'datasync', code: 'EIO' });
    const dying = store.append([record(2)]);
    fs.arm({ nth: 2, code: 'EIO', lasting: 'onward' });
    await expect(dying).rejects.toThrow('EIO');
    fs.arm(undefined);
    // As its sender does with what was refused.
    await store.append([record(2)]);
    await store.append([record(3)]);
    expect(await filesIn(folder.path, /journal/)).toEqual(['journal-1-000001.bin', 'journal-1-000002.bin']);
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    await store.close();
    for (const path of [killed.path, folder.path]) {
      const reopened = await openIn(path);
      expect(idsIn(reopened).toSorted()).toEqual(['evt-1', 'evt-2', 'evt-3']);
      await reopened.store.close();
    }
  });

  it('STO-3 a checkpoint that failed is made good by the next, with no event in between', async () => {
    await using folder = await temporaryFolder();
    const fs = faultyFileSystem();
    const { store } = await openIn(folder.path, { fs });
    await store.append([record(1)]);
    fs.arm({ nth: 1, operation: 'sync', code: 'ENOSPC' });
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    expect(await filesIn(folder.path, /./)).toEqual(['journal-1-000001.bin']);
    await store.checkpoint();
    expect(await filesIn(folder.path, /./)).toEqual(['agent-mascot-1-000002.sqlite', 'journal-1-000001.bin']);
    await store.close();
  });
});
