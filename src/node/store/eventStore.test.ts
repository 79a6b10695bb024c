import { cpSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeHeader, LOG_FORMAT } from '../log/segmentFormat.ts';
import { refuseNewer } from './newer.ts';
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

async function logFilesIn(folder: string): Promise<string[]> {
  return (await filesIn(path.join(folder, 'log'), /./)).map((name) => path.join('log', name));
}

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
  it('STO-1 a closed store opens with everything, and nobody else may read it', async () => {
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
    const names = ['.', 'log', ...(await filesIn(folder.path, /\./)), ...(await logFilesIn(folder.path))];
    const modes = await Promise.all(names.map(async (name) => (await stat(path.join(folder.path, name))).mode & 0o077));
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it('STO-1 opening and closing without an event leaves only what keeps earlier releases away', async () => {
    await using folder = await temporaryFolder();
    await (await openIn(folder.path)).store.close();
    expect([await filesIn(folder.path, /./), await logFilesIn(folder.path)]).toEqual([
      ['journal-1-000001.bin', 'log'],
      [],
    ]);
    await (await openIn(folder.path, { generation: 2 })).store.close();
    expect(await filesIn(folder.path, /./)).toEqual(['journal-1-000001.bin', 'log']);
  });

  it('STO-1 a damaged SQLite is an error that says what to do, and no reason to give up the folder', async () => {
    await using folder = await temporaryFolder();
    const half = (await wasm).subarray(0, 300_000);
    await expect(openIn(folder.path, { wasm: half })).rejects.toThrow('Install the extension again');
    await (await openIn(folder.path)).store.close();
  });

  it('STO-1 a log of a newer release is refused by reading alone, and left as it is', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 1));
    await store.close();
    const [name = ''] = (await logFilesIn(folder.path)).filter((each) => each.endsWith('.seg'));
    const file = path.join(folder.path, name);
    const newer = Buffer.from(encodeHeader({ state: 'plain', generation: 1, firstSeq: 1 }));
    newer.writeUInt32LE(LOG_FORMAT + 1, 8);
    newer.writeUInt32LE(crc32(newer.subarray(0, 32)), 32);
    await writeFile(file, newer);
    await expect(refuseNewer(folder.path)).rejects.toThrow(/Update the extension/);
    await expect(openIn(folder.path)).rejects.toThrow(/Update the extension/);
    expect(await readFile(file)).toEqual(newer);
  });
});

describe('STO-2 after an end without a word', () => {
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

  it.each([4_000_000, 1])(
    'STO-2 a session whose row was not saved is named as unreduced, sealed after %i bytes',
    async (sealAfterBytes) => {
      await using folder = await temporaryFolder();
      const { store } = await openIn(folder.path, { sealAfterBytes });
      await store.append(records(1, 2));
      await store.checkpoint();
      await store.close();
      const reopened = await openIn(folder.path, { generation: 2, sealAfterBytes });
      expect(reopened.unreduced).toEqual(['s']);
      reopened.store.saveSessions([sessionRow('s', '2026')]);
      await reopened.store.close();
      const third = await openIn(folder.path, { generation: 3, sealAfterBytes });
      expect(third.unreduced).toEqual([]);
      await third.store.close();
    },
  );

  it('STO-2 what a killed writer left half written is swept', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    await store.append(records(1, 1));
    await store.close();
    for (const name of ['index-g1.db', 'log/000000000001-g1.sealed'])
      await writeFile(path.join(folder.path, `${name}.0123456789ab.tmp`), 'half');
    await (await openIn(folder.path, { generation: 2 })).store.close();
    expect(
      [...(await filesIn(folder.path, /tmp/)), ...(await logFilesIn(folder.path))].filter((each) =>
        each.endsWith('.tmp'),
      ),
    ).toEqual([]);
  });

  it('STO-4 appends go on while segments are compressed and the index is written', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { sealAfterBytes: 2_000 });
    await store.append(records(0, 10));
    const checkpoint = store.checkpoint();
    const appends = Array.from({ length: 20 }, (_, index) => store.append(records(10 + index, 1)));
    await Promise.all([checkpoint, ...appends]);
    await using killed = await temporaryFolder();
    cpSync(folder.path, path.join(killed.path, 'store'), { recursive: true });
    await store.close();
    const reopened = await openIn(path.join(killed.path, 'store'), { generation: 2 });
    expect(idsIn(reopened)).toEqual(idsOf(records(0, 30)));
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
