import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { encodeHeader, JOURNAL_FORMAT, scanSegment } from './journalFormat.ts';
import { nameOfImage, parseImageName } from './storeFiles.ts';
import {
  beside,
  filesIn,
  idsIn,
  idsOf,
  openIn,
  record,
  records,
  sessionRow,
  snapshotOf,
  temporaryFolder,
} from './store.testkit.ts';

/** A disk under a process that is stopped in the middle of a call, and goes on when it is let. */
function stoppedAt(operation: 'rename' | 'write' | 'datasync' | 'unlink') {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let armed = false;
  async function pass(call: typeof operation): Promise<void> {
    if (!armed || call !== operation) return;
    armed = false;
    reached.resolve();
    await goOn.promise;
  }
  const fs: FileSystem = {
    ...nodeFileSystem,
    async open(file, flags, mode) {
      const handle = await nodeFileSystem.open(file, flags, mode);
      return {
        ...handle,
        async write(bytes, position) {
          await pass('write');
          return handle.write(bytes, position);
        },
        async datasync() {
          await handle.datasync();
          await pass('datasync');
        },
      };
    },
    async rename(from, to) {
      await pass('rename');
      await nodeFileSystem.rename(from, to);
    },
    async unlink(file) {
      await pass('unlink');
      await nodeFileSystem.unlink(file);
    },
  };
  return { fs, stop: () => (armed = true), reached: reached.promise, goOn: goOn.resolve };
}

const fenced = expect.objectContaining({ name: 'StoreFencedError' });

describe('MWN-2 an owner that was stopped in the middle of a write, deposed, and goes on', () => {
  for (const operation of ['rename', 'unlink'] as const) {
    it(`MWN-2 in a checkpoint, at ${operation}: what its successor stored since is there, whichever image is lost`, async () => {
      await using folder = await temporaryFolder();
      const old = stoppedAt(operation);
      let holds = true;
      const { store } = await openIn(folder.path, { fs: old.fs, mayWrite: () => holds });
      for (const number of [1, 2]) {
        await store.append([record(number)]);
        await store.checkpoint();
      }
      await store.append([record(3)]);
      old.stop();
      const stale = store.checkpoint().catch((error: unknown) => error);
      await old.reached;
      holds = false;

      const successor = await openIn(folder.path, { generation: 2 });
      for (const number of [4, 5, 6]) {
        await successor.store.append([record(number)]);
        await successor.store.checkpoint();
      }
      await successor.store.append([record(7)]);
      old.goOn();
      await stale;
      await store.close();

      const left = await filesIn(folder.path, /sqlite$/);
      for (const lost of [undefined, left.at(-1)]) {
        await using killed = await temporaryFolder();
        await snapshotOf(folder.path, killed.path);
        if (lost !== undefined) await rm(path.join(killed.path, lost));
        const reopened = await openIn(killed.path, { generation: 3 });
        expect(idsIn(reopened), String(lost)).toEqual(idsOf(records(1, 7)));
        await reopened.store.close();
      }
      await successor.store.close();
    });
  }

  for (const operation of ['write', 'datasync'] as const) {
    it(`MWN-2 in an append, at ${operation}: it is not acknowledged, and stored once when it is sent again`, async () => {
      await using folder = await temporaryFolder();
      const old = stoppedAt(operation);
      let holds = true;
      const { store } = await openIn(folder.path, { fs: old.fs, mayWrite: () => holds });
      await store.append([record(1)]);
      old.stop();
      const late = store.append([record(2)]);
      await old.reached;
      holds = false;
      const successor = await openIn(folder.path, { generation: 2 });
      await successor.store.append([record(3)]);
      old.goOn();
      await expect(late).rejects.toThrow(fenced);
      await store.close();
      await successor.store.append([record(2)]);
      for (let round = 0; round < 3; round++) {
        await successor.store.append([record(4 + round)]);
        await successor.store.checkpoint();
      }
      await successor.store.close();
      const reopened = await openIn(folder.path, { generation: 3 });
      expect(idsIn(reopened)).toEqual(idsOf(records(1, 6)));
      await reopened.store.close();
    });
  }

  it('MWN-2 removes a covered segment while its successor reads the folder: the successor starts with all events', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append([record(1)]);
    await using earlier = await temporaryFolder();
    await snapshotOf(folder.path, earlier.path);
    for (const number of [2, 3, 4]) {
      await store.append([record(number)]);
      await store.checkpoint();
    }
    await store.close();
    const [covered = ''] = await filesIn(earlier.path, /journal/);
    await writeFile(path.join(folder.path, covered), await readFile(path.join(earlier.path, covered)));
    let removals = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      async readFile(file) {
        if (path.basename(file) === covered && removals++ === 0) await rm(file);
        return nodeFileSystem.readFile(file);
      },
    };
    const successor = await openIn(folder.path, { generation: 2, fs });
    expect([removals, idsIn(successor)]).toEqual([1, idsOf(records(1, 4))]);
    await successor.store.close();
  });

  it('STO-2 fails to open, with the reason, if a listed segment can never be read', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append([record(1)]);
    await store.close();
    const fs: FileSystem = {
      ...nodeFileSystem,
      readdir: async (name) => [...(await nodeFileSystem.readdir(name)), 'journal-1-99.bin'],
    };
    await expect(openIn(folder.path, { generation: 2, fs })).rejects.toThrow(/ENOENT.*journal-1-99/);
  });

  it('MWN-2 after a close during a large checkpoint nothing in the folder changes', async () => {
    await using folder = await temporaryFolder();
    const old = stoppedAt('rename');
    const { store } = await openIn(folder.path, { fs: old.fs, imageHereUpToBytes: 0, ...(await beside(old.fs)) });
    for (const number of [1, 2]) {
      await store.append([record(number)]);
      await store.checkpoint();
    }
    await store.append([record(3)]);
    old.stop();
    const running = store.checkpoint();
    await old.reached;
    await store.close();
    const left = await filesIn(folder.path, /journal|sqlite$/);
    old.goOn();
    await running.catch(() => undefined);
    const image = (names: readonly string[]) => names.filter((name) => name.endsWith('journal') || /bin$/.test(name));
    expect(image(await filesIn(folder.path, /journal|sqlite$/))).toEqual(image(left));
  });

  it('MWN-2 long after its last write it writes nothing at all', async () => {
    await using folder = await temporaryFolder();
    let holds = true;
    const { store } = await openIn(folder.path, { mayWrite: () => holds, fenceFreshMs: 0 });
    await store.append([record(1)]);
    const bytes = await readFile(path.join(folder.path, 'journal-1-000001.bin'));
    holds = false;
    await expect(store.append([record(2)])).rejects.toThrow(fenced);
    await expect(store.trim({ sessionId: 's', remove: ['evt-1'] })).rejects.toThrow(fenced);
    expect([
      await readFile(path.join(folder.path, 'journal-1-000001.bin')),
      idsIn({ store, unreduced: [], damage: [] }),
    ]).toEqual([bytes, ['evt-1']]);
    await store.close();
  });
});

describe('STO-1 the names of images', () => {
  it('STO-1 with the count of owners lost, what is written is newer than all that is there', async () => {
    await using folder = await temporaryFolder();
    for (const [round, generation] of [7, 1, 1].entries()) {
      const opened = await openIn(folder.path, { generation });
      await opened.store.append([record(round)]);
      await opened.store.close();
    }
    const reopened = await openIn(folder.path);
    expect([idsIn(reopened), await filesIn(folder.path, /sqlite/)]).toEqual([
      idsOf(records(0, 3)),
      [nameOfImage({ generation: 8, seq: 1 }), nameOfImage({ generation: 9, seq: 1 })],
    ]);
    await reopened.store.close();
  });

  it('STO-1 a store with the names of the first releases is read, backup included, and goes on with ours', async () => {
    await using folder = await temporaryFolder();
    const first = await openIn(folder.path);
    for (const number of [1, 2]) {
      await first.store.append([record(number)]);
      await first.store.checkpoint();
    }
    await first.store.append([record(3)]);
    for (const lost of [[], ['agent-mascot.sqlite']]) {
      await using old = await temporaryFolder();
      await snapshotOf(folder.path, old.path);
      const rename = (from: string, to: string) =>
        nodeFileSystem.rename(path.join(old.path, from), path.join(old.path, to));
      await rename('agent-mascot-1-000001.sqlite', 'agent-mascot.backup.sqlite');
      await rename('agent-mascot-1-000002.sqlite', 'agent-mascot.sqlite');
      for (const name of lost) await rm(path.join(old.path, name));
      const opened = await openIn(old.path, { generation: 2 });
      expect([idsIn(opened), opened.damage]).toEqual([idsOf(records(1, 3)), []]);
      await opened.store.append([record(4)]);
      await opened.store.checkpoint();
      await opened.store.append([record(5)]);
      await opened.store.close();
      expect(await filesIn(old.path, /sqlite/)).toEqual([
        'agent-mascot-2-000001.sqlite',
        'agent-mascot-2-000002.sqlite',
      ]);
    }
    await first.store.close();
  });

  it('STO-1 whatever is saved, a segment stays whose format keeps older releases away', async () => {
    await using folder = await temporaryFolder();
    const formats = async () =>
      Promise.all(
        (await filesIn(folder.path, /journal/)).map(
          async (name) => scanSegment(await readFile(path.join(folder.path, name))).format,
        ),
      );
    const first = await openIn(folder.path);
    first.store.saveSessions([sessionRow('s', '2026')]);
    await first.store.checkpoint();
    await first.store.append([record(1)]);
    await first.store.close();
    for (let generation = 2; generation < 6; generation++) {
      const opened = await openIn(folder.path, { generation });
      opened.store.saveSessions([sessionRow('s', String(generation))]);
      await opened.store.close();
      expect((await formats()).at(-1)).toBe(JOURNAL_FORMAT);
    }
    await using old = await temporaryFolder();
    await writeFile(path.join(old.path, 'journal-1-000001.bin'), encodeHeader(1, 1));
    const opened = await openIn(old.path, { generation: 2 });
    opened.store.saveSessions([sessionRow('s', '2026')]);
    await opened.store.checkpoint();
    expect(await filesIn(old.path, /journal/)).toEqual(['journal-1-000001.bin', 'journal-2-000002.bin']);
    await opened.store.close();
  });

  it.each([
    ['agent-mascot-12-000003.sqlite', { generation: 12, seq: 3 }],
    ['agent-mascot.sqlite', { generation: 0, seq: 2 }],
    ['agent-mascot.backup.sqlite', { generation: 0, seq: 1 }],
    ['agent-mascot-12-000003.sqlite.0123456789ab.tmp', undefined],
    ['agent-mascot--1-3.sqlite', undefined],
    ['other.sqlite', undefined],
  ])('STO-1 %s', (name, id) => expect(parseImageName(name)).toEqual(id));
});
