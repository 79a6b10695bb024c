import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
import { encodeHeader } from './journalFormat.ts';
import { loadSqlite } from '../store/sqlite.ts';
import {
  damageFile,
  record,
  records,
  sessionRow,
  silentLog,
  temporaryFolder,
  unsyncedFileSystem,
  wasm,
} from '../store/store.testkit.ts';
import { idsIn, openStoreIn } from '../store/logStore.testkit.ts';
import type { LogStore } from '../store/logStore.ts';
import { contentOf } from '../store/storeModel.testkit.ts';
import { isTakenOver, removeUnneeded, TakeOver, type TakeOverParts } from './takeOver.ts';

const sqlite = wasm.then(loadSqlite);

async function partsOf(folder: string, store: LogStore): Promise<TakeOverParts> {
  return { folder, store, fs: unsyncedFileSystem, sqlite: await sqlite, log: silentLog, now: () => 0 };
}

const oldFilesIn = (folder: string) => readdirSync(folder).filter((name) => /^(?:agent-mascot|journal)-/.test(name));

/** Stores as the last release before the log left them, with everything that could be read of each. */
const recorded = path.join(import.meta.dirname, '../../../test/recordings/oldStores');

interface Recorded {
  /** By name, compressed, in base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly content: Partial<ReturnType<typeof contentOf>>;
}

/** A record of a journal, as the last release before the log wrote it. */
function journalRecord(value: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(value), 'utf8');
  const head = Buffer.alloc(8);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(crc32(payload, crc32(head.subarray(0, 4))), 4);
  return Buffer.concat([head, payload]);
}

describe('STO-6 taking over the store of an earlier release', () => {
  test.each(readdirSync(recorded))('STO-6 of the recorded store %s everything is there that was', async (name) => {
    const { files, content } = JSON.parse(readFileSync(path.join(recorded, name), 'utf8')) as Recorded;
    await using folder = await temporaryFolder();
    for (const [file, packed] of Object.entries(files))
      writeFileSync(path.join(folder.path, file), gunzipSync(Buffer.from(packed, 'base64')));
    const { store } = await openStoreIn(folder.path, { sealAfterBytes: 2_000 });
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    await takeOver?.finish();
    const found = contentOf(store);
    expect(found).toMatchObject(content);
    await store.close();
    const { store: again } = await openStoreIn(folder.path, { generation: 2 });
    expect(contentOf(again)).toEqual(found);
    await again.close();
  });

  /** Old store of a journal alone: 250 recent events, and one of years ago. */
  function oldStore(folder: string): void {
    const events: EventRecord[] = [...records(0, 250), record(900, { session: 'old', ts: '2020-01-01T00:00:00.000Z' })];
    const rows = [sessionRow('s', record(249).event.ts), sessionRow('old', '2020-01-01T00:00:00.000Z')];
    const entries = [...events, { trim: { remove: [], strip: [], forget: [], rows } }];
    writeFileSync(
      path.join(folder, 'journal-1-000001.bin'),
      Buffer.concat([encodeHeader(1, 4), ...entries.map(journalRecord)]),
    );
  }

  test('STO-6 recent sessions are there at once, the others after it, with progress', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    expect([idsIn(store).length, idsIn(store, 'old'), store.session('old')?.id]).toEqual([250, [], 'old']);
    expect([takeOver?.progress, takeOver?.unreduced]).toEqual([{ done: 250, of: 251 }, []]);
    const told: unknown[] = [];
    await takeOver?.finish((progress) => told.push(progress));
    expect([told.at(-1), idsIn(store, 'old'), isTakenOver(store)]).toEqual([{ done: 251, of: 251 }, ['evt-900'], true]);
    expect(await TakeOver.begin(await partsOf(folder.path, store))).toBeUndefined();
    await store.close();
  });

  test('STO-6 killed in the middle it goes on, and nothing is there twice; an event that came meanwhile stays', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const first = await openStoreIn(folder.path);
    await TakeOver.begin(await partsOf(folder.path, first.store));
    await first.store.append([record(901, { session: 'old' })]);
    await using other = await temporaryFolder();
    const killed = path.join(other.path, 'killed');
    cpSync(folder.path, killed, { recursive: true });
    const { store } = await openStoreIn(killed, { generation: 2 });
    const takeOver = await TakeOver.begin(await partsOf(killed, store));
    await takeOver?.finish();
    expect([idsIn(store).length, new Set(idsIn(store)).size, idsIn(store, 'old')]).toEqual([
      250,
      250,
      ['evt-900', 'evt-901'],
    ]);
    await store.close();
    await first.store.close();
  });

  test('STO-6 a session of which a killed start took half the events has all of them before its row is made again', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    // As a start leaves it that ended in the middle of this session, which is not a recent one.
    await store.append([record(910, { session: 'old' })]);
    await using other = await temporaryFolder();
    const killed = path.join(other.path, 'killed');
    cpSync(folder.path, killed, { recursive: true });
    await store.close();
    const { store: again, unreduced } = await openStoreIn(killed, { generation: 2 });
    await TakeOver.begin(await partsOf(killed, again), unreduced);
    expect([unreduced, idsIn(again, 'old')]).toEqual([['old'], ['evt-900', 'evt-910']]);
    await again.close();
  });

  test('CNV-5 what is erased before it is taken over does not come, and the old files go', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    await store.erase({ sessions: ['old'] });
    await takeOver?.finish();
    expect([idsIn(store, 'old'), idsIn(store).length, oldFilesIn(folder.path)]).toEqual([[], 250, []]);
    await store.close();
  });

  test('CNV-5 everything is erased after the take-over, or in its middle: the old store never comes back', async () => {
    for (const isFinished of [true, false]) {
      await using folder = await temporaryFolder();
      oldStore(folder.path);
      const { store } = await openStoreIn(folder.path);
      const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
      if (isFinished) await takeOver?.finish();
      await store.erase({ sessions: 'all' });
      await store.close();
      const { store: again } = await openStoreIn(folder.path, { generation: 2 });
      const parts = await partsOf(folder.path, again);
      await (await TakeOver.begin(parts))?.finish();
      await removeUnneeded(parts);
      expect([idsIn(again), idsIn(again, 'old'), oldFilesIn(folder.path)]).toEqual([[], [], []]);
      await again.close();
    }
  });

  test('CNV-5 an erasure that begins while a batch waits to be taken over takes that batch, and what others were told of it', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const erasures = store.erased.count();
    const telling = record(902, {
      session: 'later',
      type: 'context_loaded',
      payload: { text: 'words', told: ['old'] },
    });
    const erasing = store.erase({ sessions: ['old'] });
    await Promise.all([erasing, store.appendEarlier([record(903, { session: 'old' }), telling], erasures)]);
    expect([idsIn(store, 'old'), store.events('later').map(({ payload }) => payload)]).toEqual([
      [],
      [{ text: '', told: [] }],
    ]);
    await store.close();
  });

  test('STO-3 what retention removes leaves the old files, and damaged pieces, where they are', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    await (await TakeOver.begin(await partsOf(folder.path, store)))?.finish();
    await store.trim({ sessionId: 'old', remove: ['evt-900'], forget: true });
    await store.wipe();
    expect(oldFilesIn(folder.path).length).toBe(1);
    await store.close();
  });

  test('STO-3 of an old store whose newest image is damaged the one before and the journals are taken over, and the person is told', async () => {
    const name = 'killed-6.json';
    const { files, content } = JSON.parse(readFileSync(path.join(recorded, name), 'utf8')) as Recorded;
    await using folder = await temporaryFolder();
    for (const [file, packed] of Object.entries(files))
      writeFileSync(path.join(folder.path, file), gunzipSync(Buffer.from(packed, 'base64')));
    const images = Object.keys(files)
      .filter((file) => file.endsWith('.sqlite'))
      .sort();
    await damageFile(path.join(folder.path, images.at(-1) ?? ''), 5_000);
    const { store } = await openStoreIn(folder.path);
    const takeOver = await TakeOver.begin(await partsOf(folder.path, store));
    await takeOver?.finish();
    expect([images.length > 1, takeOver?.damage]).toEqual([true, [expect.stringContaining(images.at(-1) ?? '?')]]);
    expect(contentOf(store)).toMatchObject(content);
    await store.close();
  });

  test('CNV-5 an old store that was killed while it erased: its files go as soon as it is taken over', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    writeFileSync(path.join(folder.path, 'erasing'), '');
    const { store } = await openStoreIn(folder.path);
    await (await TakeOver.begin(await partsOf(folder.path, store)))?.finish();
    expect([oldFilesIn(folder.path), readdirSync(folder.path).includes('erasing'), idsIn(store).length]).toEqual([
      [],
      false,
      250,
    ]);
    await store.close();
  });

  test('STO-6 the old files stay for 30 days of use, and go then', async () => {
    await using folder = await temporaryFolder();
    oldStore(folder.path);
    const { store } = await openStoreIn(folder.path);
    const parts = await partsOf(folder.path, store);
    await (await TakeOver.begin(parts))?.finish();
    const left: number[] = [];
    for (const days of [0, 29, 31]) {
      await store.shelf('retention').put([{ key: 'time', value: { uptime: days * 86_400_000 } }]);
      await removeUnneeded(parts);
      left.push(oldFilesIn(folder.path).length);
    }
    expect(left).toEqual([1, 1, 0]);
    await store.close();
  });
});
