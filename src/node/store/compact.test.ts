import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { compactImage, NotWrittenError, type Compact } from './compact.ts';
import { compactInThread } from './compactThread.ts';
import { loadSqlite } from './database.ts';
import type { OpenedStore } from './eventStore.ts';
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
  wasm,
} from './store.testkit.ts';

const worker = path.join(import.meta.dirname, 'compactWorker.ts');
const inThread = async (): Promise<Compact> => compactInThread(worker, await wasm);

async function contentOf({ store }: OpenedStore) {
  return {
    events: ['s', 'other', 'gone'].map((session) => store.events(session)),
    sayings: ['s', 'other', 'gone'].map((id) => store.sayings(id, { limit: 100 }).items.map((event) => event.id)),
    sessions: store.sessions({ limit: 100 }).items,
    keys: Array.from({ length: 40 }, (_, number) => store.lookup(`delivery/${number}`, 's')),
    count: store.eventCount(),
  };
}

/** Everything that can happen to a store between two images. */
async function livedThrough({ store }: OpenedStore): Promise<void> {
  await store.append(records(0, 5));
  store.saveSessions([sessionRow('s', '2026-01-01')]);
  await store.checkpoint();
  await store.append([
    record(10, { session: 'other', type: 'user_prompt', text: 'NUL \0 half \ud800' }),
    record(10, { session: 'other' }),
  ]);
  await store.append([record(20, { session: 'gone' })]);
  store.saveSessions([
    sessionRow('s', '2026-01-02'),
    sessionRow('other', '2026-01-03'),
    sessionRow('gone', '2026-01-04'),
  ]);
  await store.trim({ sessionId: 's', remove: ['evt-1', 'evt-20'], strip: ['evt-2'], forget: true });
  await store.trim({ sessionId: 'gone', forget: true });
  await store.append([record(21, { session: 'other' })]);
  await store.checkpoint();
  await store.append([record(22)]);
}

describe('STO-4 an image that is made beside the main thread', () => {
  it('STO-4 holds what the live database holds, after every kind of change', async () => {
    await using folder = await temporaryFolder();
    const log = logLines();
    const opened = await openIn(folder.path, { ...(await beside()), log });
    await livedThrough(opened);
    await opened.store.checkpoint();
    const live = await contentOf(opened);
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    for (const name of await filesIn(killed.path, /journal/)) await writeFile(path.join(killed.path, name), '');
    const fromImage = await openIn(killed.path, { generation: 2 });
    expect(await contentOf(fromImage)).toEqual(live);
    // Nobody reduced what came last.
    expect([fromImage.unreduced, log.lines]).toEqual([['other', 's'], []]);
    expect(live.events.map((events) => events.map(({ id, raw_removed: stripped }) => [id, stripped === true]))).toEqual(
      [
        [
          ['evt-0', false],
          ['evt-2', true],
          ['evt-3', false],
          ['evt-4', false],
          ['evt-22', false],
        ],
        [
          ['evt-10', false],
          ['evt-21', false],
        ],
        [],
      ],
    );
    await fromImage.store.close();
    await opened.store.close();
  });

  it('STO-4 in a real thread, of some megabytes, while events go on coming', async () => {
    await using folder = await temporaryFolder();
    const log = logLines();
    const compact = await inThread();
    const opened = await openIn(folder.path, { compact, imageHereUpToBytes: 0, log });
    const text = 'x'.repeat(2_000);
    for (let batch = 0; batch < 10; batch++)
      await opened.store.append(Array.from({ length: 100 }, (_, index) => record(batch * 100 + index, { text })));
    const checkpoint = opened.store.checkpoint();
    for (let number = 1000; number < 1030; number++) await opened.store.append([record(number)]);
    await checkpoint;
    await opened.store.checkpoint();
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    const reopened = await openIn(killed.path, { generation: 2 });
    expect([idsIn(reopened).length, await filesIn(folder.path, /sqlite/), log.lines]).toEqual([
      1030,
      ['agent-mascot-1-000001.sqlite', 'agent-mascot-1-000002.sqlite'],
      [],
    ]);
    await reopened.store.close();
    await opened.store.close();
  });

  it('STO-4 pages that retention emptied are given back', async () => {
    await using folder = await temporaryFolder();
    const opened = await openIn(folder.path, await beside());
    const text = 'x'.repeat(5_000);
    await opened.store.append(Array.from({ length: 200 }, (_, index) => record(index, { text })));
    await opened.store.checkpoint();
    const before = opened.store.usedBytes();
    await opened.store.trim({ sessionId: 's', remove: idsOf(records(0, 190)) });
    expect(opened.store.usedBytes()).toBeLessThan(before / 5);
    await opened.store.checkpoint();
    const sizes = await Promise.all(
      (await filesIn(folder.path, /sqlite/)).map(async (name) => (await stat(path.join(folder.path, name))).size),
    );
    expect((sizes[1] ?? 0) / (sizes[0] ?? 1)).toBeLessThan(0.4);
    await opened.store.close();
  });

  it('STO-4 what retention forgot while an image failed does not come back', async () => {
    await using folder = await temporaryFolder();
    const wait = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const compact: Compact = async () => {
      begun.resolve();
      await wait.promise;
      throw new NotWrittenError('ENOSPC');
    };
    const opened = await openIn(folder.path, { compact, imageHereUpToBytes: 0 });
    await opened.store.append([record(1, { session: 'old' }), record(2)]);
    opened.store.saveSessions([sessionRow('old', '1'), sessionRow('s', '2')]);
    const failing = opened.store.checkpoint();
    await begun.promise;
    await opened.store.trim({ sessionId: 's', remove: ['evt-1'] });
    await opened.store.trim({ sessionId: 'old', forget: true });
    wait.resolve();
    await expect(failing).rejects.toThrow('ENOSPC');
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    const again = await openIn(killed.path, { generation: 2, ...(await beside()) });
    await again.store.checkpoint();
    expect([again.store.session('old'), again.store.events('old')]).toEqual([undefined, []]);
    await again.store.close();
    await opened.store.checkpoint().catch(() => undefined);
    await opened.store.close();
  });

  it('STO-3 a disk that does not take the image is not asked for it again from the main thread', async () => {
    await using folder = await temporaryFolder();
    const log = logLines();
    const full: FileSystem = {
      ...nodeFileSystem,
      open: async (file, flags, mode) => {
        if (file.endsWith('.tmp')) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        return nodeFileSystem.open(file, flags, mode);
      },
    };
    const opened = await openIn(folder.path, { ...(await beside(full)), log });
    await opened.store.append(records(1, 3));
    await expect(opened.store.checkpoint()).rejects.toThrow('no space left');
    expect(log.lines).toEqual([]);
    await opened.store.close();
  });

  it('STO-2 a trimmed session’s row is in the journal: killed before an image, it is there', async () => {
    await using folder = await temporaryFolder();
    const opened = await openIn(folder.path);
    await opened.store.append([record(1), record(2, { type: 'user_prompt' })]);
    opened.store.saveSessions([sessionRow('s', '2026')]);
    await opened.store.trim({ sessionId: 's', keepRow: true, remove: ['evt-1'] });
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    const again = await openIn(killed.path, { generation: 2 });
    expect([again.store.session('s'), again.unreduced]).toEqual([{ ...sessionRow('s', '2026'), trimmed: true }, []]);
    await again.store.close();
    await opened.store.close();
  });

  async function reading(flipped: RegExp): Promise<Compact> {
    const sqlite = await loadSqlite(await wasm);
    const readFile = async (file: string) => {
      const bytes = Buffer.from(await nodeFileSystem.readFile(file));
      if (flipped.test(file)) bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 0xff;
      return bytes;
    };
    return (job) => compactImage({ ...nodeFileSystem, readFile }, sqlite, job);
  }
  const broken: Readonly<Record<string, () => Promise<Compact>>> = {
    'the thread can’t be started': async () => compactInThread('/none.js', await wasm),
    'the image in place is damaged': () => reading(/sqlite$/),
    'a journal is not what was written': () => reading(/journal/),
    'events are missing': async () => {
      const compact = await reading(/nothing/);
      return (job) => compact({ ...job, segments: [] });
    },
  };
  for (const [what, compactFor] of Object.entries(broken)) {
    it(`STO-4 ${what}: the image is made here, is whole, and the log says so`, async () => {
      await using folder = await temporaryFolder();
      const log = logLines();
      const opened = await openIn(folder.path);
      await opened.store.append(records(0, 30));
      await opened.store.close();
      const again = await openIn(folder.path, {
        generation: 2,
        compact: await compactFor(),
        imageHereUpToBytes: 0,
        log,
      });
      await again.store.append(records(30, 3));
      await again.store.checkpoint();
      await again.store.close();
      const reopened = await openIn(folder.path, { generation: 3 });
      expect([idsIn(reopened), reopened.damage]).toEqual([idsOf(records(0, 33)), []]);
      expect(log.lines).toEqual([expect.stringMatching(/^warn store: an image is made on the main thread/)]);
      await reopened.store.close();
    });
  }
});
