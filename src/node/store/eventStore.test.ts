import { stat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventStoreContract } from '../../../test/unit/eventStoreContract.testkit.ts';
import {
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

eventStoreContract('the store on disk', async (use) => {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  try {
    await use(store);
  } finally {
    await store.close();
  }
});

describe('STO-1 what is on disk', () => {
  it('STO-1 a closed store is one image that opens with everything, and nobody else may read it', async () => {
    await using folder = await temporaryFolder();
    const first = await openIn(folder.path);
    await first.store.append(records(1, 3));
    first.store.saveSessions([sessionRow('s', '2026')]);
    await first.store.close();

    const again = await openIn(folder.path, { generation: 2 });
    expect([idsIn(again), again.store.session('s'), again.unreduced, again.damage]).toEqual([
      idsOf(records(1, 3)),
      sessionRow('s', '2026'),
      [],
      [],
    ]);
    await again.store.close();
    if (process.platform === 'win32') return;
    const modes = await Promise.all(
      ['.', ...(await filesIn(folder.path, /\./))].map(
        async (name) => (await stat(path.join(folder.path, name))).mode & 0o077,
      ),
    );
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it('STO-1 opening and closing without an event leaves the folder as it was', async () => {
    await using folder = await temporaryFolder();
    await (await openIn(folder.path)).store.close();
    expect(await filesIn(folder.path, /./)).toEqual([]);
  });

  it('STO-1 a damaged SQLite is an error that says what to do, and no reason to give up the folder', async () => {
    await using folder = await temporaryFolder();
    const half = (await wasm).subarray(0, 300_000);
    await expect(openIn(folder.path, { wasm: half })).rejects.toThrow('Install the extension again');
    await (await openIn(folder.path)).store.close();
  });

  it('STO-2 the name of a journal file carries the generation', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { generation: 7 });
    await store.append(records(1, 1));
    expect(await filesIn(folder.path, /./)).toEqual(['journal-7-000001.bin']);
    await store.close();
  });
});

describe('STO-2 the journal and the image', () => {
  it('STO-2 an acknowledged event survives without checkpoint or close; its session must be reduced anew', async () => {
    await using folder = await temporaryFolder();
    await using killed = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 2));
    store.saveSessions([sessionRow('s', '2026')]);
    await store.checkpoint();
    await store.append(records(3, 2));
    await snapshotOf(folder.path, killed.path);
    await store.close();

    const reopened = await openIn(killed.path, { generation: 2 });
    expect([idsIn(reopened), reopened.unreduced, reopened.damage]).toEqual([idsOf(records(1, 4)), ['s'], []]);
    await reopened.store.close();
  });

  it('STO-2 a session whose row was not saved before the checkpoint is named as unreduced', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 2));
    await store.close();
    const reopened = await openIn(folder.path);
    expect(reopened.unreduced).toEqual(['s']);
    await reopened.store.close();
  });

  it('STO-2 the journal is cut once both image and backup have it', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    const after: string[][] = [];
    for (const number of [1, 2, 3, 4]) {
      await store.append(records(number, 1));
      await store.checkpoint();
      after.push(await filesIn(folder.path, /./));
    }
    const image = (seq: number) => `agent-mascot-1-00000${seq}.sqlite`;
    expect(after).toEqual([
      [image(1), 'journal-1-000001.bin'],
      [image(1), image(2), 'journal-1-000002.bin'],
      [image(2), image(3), 'journal-1-000003.bin'],
      [image(3), image(4), 'journal-1-000004.bin'],
    ]);
    await store.close();
  });

  it('STO-2 a checkpoint comes by itself when the journal has grown', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { checkpointAfterBytes: 2_000 });
    for (let number = 0; number < 40; number++) await store.append(records(number, 1));
    await store.close();
    expect(await filesIn(folder.path, /sqlite/)).toEqual([expect.any(String), expect.any(String)]);
    const reopened = await openIn(folder.path);
    expect(idsIn(reopened).length).toBe(40);
    await reopened.store.close();
  });

  it('STO-4 appends go on while an image is written', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(0, 10));
    const checkpoint = store.checkpoint();
    const appends = Array.from({ length: 20 }, (_, index) => store.append(records(10 + index, 1)));
    await Promise.all([checkpoint, ...appends]);
    await using killed = await temporaryFolder();
    await snapshotOf(folder.path, killed.path);
    await store.close();
    const reopened = await openIn(killed.path);
    expect(idsIn(reopened)).toEqual(idsOf(records(0, 30)));
    await reopened.store.close();
  });

  it('STO-2 a checkpoint with nothing new writes nothing', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 1));
    await store.checkpoint();
    const before = await filesIn(folder.path, /./);
    await store.checkpoint();
    await store.close();
    expect(await filesIn(folder.path, /./)).toEqual(before);
  });

  it('STO-2 what a killed writer left half written is swept', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 1));
    await store.close();
    await snapshotOf(
      path.join(folder.path, 'agent-mascot-1-000001.sqlite'),
      path.join(folder.path, 'agent-mascot-1-000002.sqlite.0123456789ab.tmp'),
    );
    await (await openIn(folder.path)).store.close();
    expect(await filesIn(folder.path, /tmp/)).toEqual([]);
  });
});

describe('STO-1 the fence', () => {
  it('STO-1 a deposed owner writes neither journal nor image', async () => {
    await using folder = await temporaryFolder();
    let owner = true;
    const { store } = await openIn(folder.path, { mayWrite: () => owner, fenceFreshMs: 0 });
    await store.append(records(1, 1));
    const bytes = await readFile(path.join(folder.path, 'journal-1-000001.bin'));
    owner = false;
    const fenced = expect.objectContaining({ name: 'StoreFencedError' });
    await expect(store.append(records(2, 1))).rejects.toThrow(fenced);
    await expect(store.checkpoint()).rejects.toThrow(fenced);
    expect(idsIn({ store, unreduced: [], damage: [] })).toEqual(['evt-1']);
    await store.close();
    expect(await filesIn(folder.path, /./)).toEqual(['journal-1-000001.bin']);
    expect(await readFile(path.join(folder.path, 'journal-1-000001.bin'))).toEqual(bytes);
    await expect(openIn(folder.path, { mayWrite: () => false })).rejects.toThrow(fenced);
  });

  it('STO-1 an owner deposed while its image is being written leaves the old one', async () => {
    await using folder = await temporaryFolder();
    let answers: boolean[] = [];
    const { store } = await openIn(folder.path, { mayWrite: () => answers.shift() ?? true });
    await store.append(records(1, 1));
    answers = [true, false];
    await expect(store.checkpoint()).rejects.toThrow(expect.objectContaining({ name: 'StoreFencedError' }));
    expect(await filesIn(folder.path, /./)).toEqual(['journal-1-000001.bin']);
    await store.close();
  });

  it('STO-2 what a deposed owner still acknowledged is taken in before its journal is cut', async () => {
    await using folder = await temporaryFolder();
    const deposed = await openIn(folder.path, { generation: 1 });
    await deposed.store.append(records(1, 1));
    const { store } = await openIn(folder.path, { generation: 2 });
    await deposed.store.append(records(2, 1));
    for (const number of [3, 4, 5, 6]) {
      await store.append(records(number, 1));
      await store.checkpoint();
    }
    await store.close();
    const reopened = await openIn(folder.path, { generation: 3 });
    expect(idsIn(reopened)).toEqual(idsOf(records(1, 6)));
    expect(await filesIn(folder.path, /journal-1/)).toEqual([]);
    await reopened.store.close();
  });
});

describe('COL-6 reading does not hold up the others', () => {
  it('COL-6 a page of large events ends early, and goes on where it ended', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    const large = 'x'.repeat(400_000);
    await store.append(Array.from({ length: 7 }, (_, index) => record(index, { type: 'user_prompt', text: large })));
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page = store.sayings('s', { limit: 50, cursor });
      sizes.push(page.items.length);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(sizes).toEqual([3, 3, 1]);
    await store.close();
  });
});
