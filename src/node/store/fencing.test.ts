import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { filesIn, idsIn, idsOf, openIn, record, records, temporaryFolder } from './store.testkit.ts';

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
    it(`MWN-2 while it compresses, at ${operation}: its successor has every event, once`, async () => {
      await using folder = await temporaryFolder();
      const old = stoppedAt(operation);
      let holds = true;
      const { store } = await openIn(folder.path, { fs: old.fs, mayWrite: () => holds, sealAfterBytes: 1 });
      await store.append([record(1)]);
      old.stop();
      const late = store.checkpoint().catch((error: unknown) => error);
      await old.reached;
      holds = false;
      const successor = await openIn(folder.path, { generation: 2 });
      await successor.store.append([record(2)]);
      old.goOn();
      await late;
      await store.close();
      await successor.store.append([record(3)]);
      expect(idsIn(successor)).toEqual(idsOf(records(1, 3)));
      await successor.store.close();
      const reopened = await openIn(folder.path, { generation: 3 });
      expect(idsIn(reopened)).toEqual(idsOf(records(1, 3)));
      await reopened.store.close();
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

  it('MWN-2 removes a compressed segment while its successor reads the folder: the successor starts with all events', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append([record(1)]);
    await store.close();
    const [name = ''] = await filesIn(path.join(folder.path, 'log'), /seg$/);
    const plain = path.join(folder.path, 'log', name);
    const kept = await readFile(plain);
    const former = await openIn(folder.path, { generation: 2, sealAfterBytes: 1 });
    await former.store.checkpoint();
    await former.store.close();
    await writeFile(plain, kept);
    let removals = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      readPart(file, position, length) {
        if (file === plain && removals++ === 0) rmSync(file);
        return nodeFileSystem.readPart(file, position, length);
      },
    };
    const successor = await openIn(folder.path, { generation: 3, fs });
    expect([removals, idsIn(successor)]).toEqual([1, ['evt-1']]);
    await successor.store.close();
  });

  it('STO-2 fails to open, with the reason, if a listed segment can never be read', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append([record(1)]);
    await store.close();
    const gone = '000000000099-g9.seg';
    const fs: FileSystem = {
      ...nodeFileSystem,
      readdir: async (name) => [...(await nodeFileSystem.readdir(name)), ...(name.endsWith('log') ? [gone] : [])],
    };
    await expect(openIn(folder.path, { generation: 2, fs })).rejects.toThrow(/ENOENT.*g9/);
  });

  it('MWN-2 long after its last write it writes nothing at all', async () => {
    await using folder = await temporaryFolder();
    let holds = true;
    const { store } = await openIn(folder.path, { mayWrite: () => holds, fenceFreshMs: 0 });
    await store.append([record(1)]);
    const names = async () => [
      ...(await filesIn(folder.path, /./)),
      ...(await filesIn(path.join(folder.path, 'log'), /./)),
    ];
    const before = await names();
    holds = false;
    await expect(store.append([record(2)])).rejects.toThrow(fenced);
    await expect(store.trim({ sessionId: 's', remove: ['evt-1'] })).rejects.toThrow(fenced);
    await expect(store.erase({ sessions: 'all' })).rejects.toThrow(fenced);
    await store.close();
    expect(await names()).toEqual(before);
    await expect(openIn(folder.path, { mayWrite: () => false })).rejects.toThrow(fenced);
  });
});
