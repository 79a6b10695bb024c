import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isThorough } from '../../../test/thorough.testkit.ts';
import { faultyFileSystem } from '../files/faultyFs.testkit.ts';
import { sealerOn } from '../log/recordLog.testkit.ts';
import { partsOf, readPlaces } from '../log/sealedBlocks.ts';
import { damageFile, record, records, sessionRow, temporaryFolder, unsyncedFileSystem } from './store.testkit.ts';
import { idsIn, openStoreIn, textsBelow } from './logStore.testkit.ts';
import { makeSegmentDigest } from './segmentDigest.ts';

/** Without `npm run fuzz -- thorough` one call in nine fails. */
const stride = isThorough ? 1 : 9;

const said = (number: number, session: string, text: string) =>
  record(number, { session, type: 'user_prompt', payload: { prompt: text } });

describe('CNV-5 erasing', () => {
  test('CNV-5 of an erased session no file holds a word, whether sealed, in the index or told to another session', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path, { sealAfterBytes: 3_000 });
    for (let number = 0; number < 60; number++) {
      await store.append([
        said(number * 2, 'gone', `xylophone${number}`),
        said(number * 2 + 1, 'stays', `trumpet${number}`),
      ]);
    }
    await store.append([
      record(900, { session: 'later', type: 'context_loaded', payload: { text: 'xylophone told', told: ['gone'] } }),
    ]);
    store.saveSessions([sessionRow('gone xylophone', '1'), { ...sessionRow('gone', '1'), json: '{"x":"xylophone"}' }]);
    await store.shelf('notes').put([{ key: 'n', session: 'gone', value: 'xylophone' }]);
    await store.trim({ sessionId: 'gone', remove: ['evt-0'], keepRow: true });
    await store.checkpoint();
    expect(textsBelow(folder.path)).toContain('xylophone');
    const gone = await store.erase({ sessions: ['gone', 'gone xylophone'] });
    expect(gone).toEqual({ sessions: 2, events: 59 });
    expect(store.searchSayings({ text: 'xylo' }, { limit: 9 }).items).toEqual([]);
    expect(await store.wipe()).toEqual([]);
    // The id of an erased session is kept as a mark; its words are not.
    expect(textsBelow(folder.path).replaceAll('gone xylophone', '')).not.toContain('xylophone');
    expect([idsIn(store, 'stays').length, idsIn(store, 'later')]).toEqual([60, ['evt-900']]);
    await store.append([said(901, 'gone', 'violin')]);
    expect([idsIn(store, 'gone'), store.erased.had('gone')]).toEqual([['evt-901'], true]);
    await store.close();
  });

  test('CNV-5 a process that ends before the files are written anew: the next start does it', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path, { sealAfterBytes: 1 });
    await store.append([said(1, 'gone', 'xylophone'), said(2, 'stays', 'trumpet')]);
    await store.checkpoint();
    await store.erase({ sessions: 'all' });
    await store.close();
    const { store: again } = await openStoreIn(folder.path, { generation: 2 });
    await again.wipe();
    expect(textsBelow(folder.path)).not.toContain('xylophone');
    await again.append([said(3, 'stays', 'drum')]);
    expect(idsIn(again, 'stays')).toEqual(['evt-3']);
    await again.close();
  });

  test('CNV-5 STO-5 a clock that is 100 days ahead or behind loses nothing and hides nothing', async () => {
    await using folder = await temporaryFolder();
    const day = 86_400_000;
    const days = [0, 100, -100, 0];
    for (const [index, ahead] of days.entries()) {
      const now = () => Date.UTC(2026, 0, 1) + ahead * day;
      const { store } = await openStoreIn(folder.path, { generation: index + 1, now, sealAfterBytes: 500 });
      await store.append([said(index * 2, 's', `before ${index}`), said(index * 2 + 1, 'e', `before ${index}`)]);
      await store.erase({ sessions: ['e'] });
      await store.append([said(index * 2 + 100, 'e', `after ${index}`)]);
      expect([idsIn(store).length, idsIn(store, 'e').length]).toEqual([index + 1, 1]);
      await store.close();
    }
  });
});

describe('MWN-2 two owners', () => {
  test('MWN-2 a deposed owner stores nothing, and the index of its successor stays', async () => {
    await using folder = await temporaryFolder();
    let isOwner = true;
    const former = await openStoreIn(folder.path, { mayWrite: () => isOwner, fenceFreshMs: 0 });
    await former.store.append(records(0, 3));
    isOwner = false;
    const { store } = await openStoreIn(folder.path, { generation: 2 });
    const fenced = expect.objectContaining({ name: 'StoreFencedError' });
    await expect(former.store.append(records(3, 1))).rejects.toThrow(fenced);
    await expect(former.store.checkpoint()).rejects.toThrow(fenced);
    await store.append(records(4, 1));
    await store.checkpoint();
    await former.store.close();
    await store.close();
    expect(readdirSync(folder.path).filter((name) => name.startsWith('index'))).toEqual(['index-g2.db']);
    const { store: again } = await openStoreIn(folder.path, { generation: 3 });
    expect(idsIn(again)).toEqual(['evt-0', 'evt-1', 'evt-2', 'evt-4']);
    await again.close();
  });
});

describe('STO-3 a disk that fails', () => {
  test.each([
    ['once', 'ENOSPC'],
    ['onward', 'EIO'],
  ] as const)(
    'STO-3 whichever call fails %s with %s, what was stored is there once, and what was taken away stays away',
    async (lasting, code) => {
      for (let nth = 1, isThrough = false; !isThrough; nth += stride) {
        await using folder = await temporaryFolder();
        const store1 = await openStoreIn(folder.path, { sealAfterBytes: 2_000 });
        await store1.store.append([...records(0, 8), said(50, 'gone', 'xylophone')]);
        await store1.store.checkpoint();
        await store1.store.close();
        const fs = faultyFileSystem({ disk: unsyncedFileSystem });
        const { store } = await openStoreIn(folder.path, {
          ...{ fs, generation: 2, sealAfterBytes: 2_000, sealer: sealerOn(fs, makeSegmentDigest) },
        });
        fs.arm({ nth, code, lasting });
        const before = fs.calls.length;
        const stored = new Set(records(0, 8).map(({ event }) => event.id));
        const attempt = (work: () => Promise<unknown>) =>
          work().then(
            () => true,
            () => false,
          );
        for (let from = 10; from < 22; from += 4) {
          const batch = records(from, 4);
          if (await attempt(() => store.append(batch))) for (const { event } of batch) stored.add(event.id);
        }
        const isTrimmed = await attempt(() => store.trim({ sessionId: 's', remove: ['evt-3'], strip: ['evt-4'] }));
        const isErased = await attempt(() => store.erase({ sessions: ['gone'] }));
        await attempt(() => store.checkpoint());
        await attempt(() => store.wipe());
        await attempt(() => store.append(records(30, 1)));
        isThrough = fs.calls.length - before < nth;
        fs.arm(undefined);
        await store.close();
        const { store: again, damage } = await openStoreIn(folder.path, { generation: 3 });
        const where = `call ${nth}`;
        const ids = idsIn(again);
        expect(new Set(ids).size, where).toBe(ids.length);
        if (isTrimmed) expect(ids, where).not.toContain('evt-3');
        stored.delete('evt-3');
        expect(
          [...stored].filter((id) => !ids.includes(id)),
          where,
        ).toEqual([]);
        if (isErased) expect(idsIn(again, 'gone'), where).toEqual([]);
        expect(
          damage.filter((sentence) => !sentence.includes('incomplete')),
          where,
        ).toEqual([]);
        await again.erase({ sessions: ['gone'] });
        expect(await again.wipe(), where).toEqual([]);
        expect(textsBelow(path.join(folder.path, 'log')), where).not.toContain('xylophone');
        await again.close();
      }
    },
  );
});

describe('STO-6 an index that is lost', () => {
  test('STO-6 of 120 sessions without their index all are named, newest first, and every event is there', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path, { sealAfterBytes: 20_000 });
    for (let number = 0; number < 120; number++) {
      const session = `s${number}`;
      await store.append([said(number, session, 'words'.repeat(100))]);
      store.saveSessions([sessionRow(session, String(number))]);
    }
    await store.close();
    for (const name of readdirSync(folder.path)) if (name.startsWith('index')) rmSync(path.join(folder.path, name));
    const { store: again, unreduced } = await openStoreIn(folder.path, { generation: 2 });
    expect([unreduced.length, unreduced[0], unreduced.at(-1), again.eventCount()]).toEqual([120, 's119', 's0', 120]);
    expect(idsIn(again, 's7')).toEqual(['evt-7']);
    await again.close();
  });
});

describe('STO-6 an index that is behind', () => {
  test('STO-6 a row that lacks an event when the process ends is not taken for whole after a strip of its session', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path);
    const withRaw = { ...record(1), event: { ...record(1).event, raw: { a: 1 } } };
    await store.append([withRaw]);
    store.saveSessions([sessionRow('s', '1')]);
    await store.checkpoint();
    await store.append([record(2)]);
    await store.trim({ sessionId: 's', strip: ['evt-1'] });
    await using killed = await temporaryFolder();
    const copy = path.join(killed.path, 'store');
    cpSync(folder.path, copy, { recursive: true });
    await store.close();
    const { store: again, unreduced } = await openStoreIn(copy, { generation: 2 });
    expect([unreduced, idsIn(again)]).toEqual([['s'], ['evt-1', 'evt-2']]);
    await again.close();
  });

  test('STO-6 a session whose row is whole stays so when retention strips it', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path);
    await store.append([{ ...record(1), event: { ...record(1).event, raw: { a: 1 } } }]);
    store.saveSessions([sessionRow('s', '1')]);
    await store.trim({ sessionId: 's', strip: ['evt-1'] });
    await store.close();
    const { store: again, unreduced } = await openStoreIn(folder.path, { generation: 2 });
    expect(unreduced).toEqual([]);
    await again.close();
  });

  test('STO-3 with any byte of a digest damaged the store opens without its index, and an erasure reaches every file', async () => {
    await using source = await temporaryFolder();
    const { store } = await openStoreIn(source.path, { sealAfterBytes: 1 });
    await store.append([said(1, 'gone', 'xylophone'), said(2, 'stays', 'trumpet')]);
    await store.checkpoint();
    await store.close();
    const [name = ''] = readdirSync(path.join(source.path, 'log')).filter((each) => each.endsWith('.sealed'));
    const bytes = readFileSync(path.join(source.path, 'log', name));
    const { digest } = readPlaces(partsOf(bytes), bytes.length);
    for (let at = digest?.position ?? 0; at < bytes.length; at += isThorough ? 1 : 13) {
      await using folder = await temporaryFolder();
      const copy = path.join(folder.path, 'store');
      cpSync(source.path, copy, { recursive: true });
      await damageFile(path.join(copy, 'log', name), at);
      for (const each of readdirSync(copy)) if (each.startsWith('index')) rmSync(path.join(copy, each));
      const { store: again } = await openStoreIn(copy, { generation: 2 });
      const where = `byte ${at}`;
      expect([idsIn(again, 'gone'), idsIn(again, 'stays')], where).toEqual([['evt-1'], ['evt-2']]);
      await again.erase({ sessions: ['gone'] });
      expect(await again.wipe(), where).toEqual([]);
      expect(textsBelow(copy), where).not.toContain('xylophone');
      expect(idsIn(again, 'stays'), where).toEqual(['evt-2']);
      await again.close();
    }
  });

  test('STO-6 documents that are written again and again take little room in the end', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openStoreIn(folder.path, { sealAfterBytes: 100_000 });
    await store.append([record(1)]);
    for (let number = 0; number < 6_000; number += 10) {
      await store.shelf('a').put(Array.from({ length: 10 }, (_, key) => ({ key: `k${key}`, value: number + key })));
    }
    await store.wipe();
    expect([store.shelf('a').count(), store.shelf('a').get('k3')?.value, idsIn(store)]).toEqual([10, 5_993, ['evt-1']]);
    await store.close();
    const { store: again } = await openStoreIn(folder.path, { generation: 2 });
    expect([again.shelf('a').get('k3')?.value, (await again.size()).journalBytes < 100_000]).toEqual([5_993, true]);
    await again.close();
  });
});
