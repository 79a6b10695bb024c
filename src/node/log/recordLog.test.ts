import { copyFile, mkdir, readdir, readFile, truncate, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { faultyFileSystem } from '../files/faultyFs.testkit.ts';
import { damageFile, temporaryFolder, unsyncedFileSystem } from '../store/store.testkit.ts';
import {
  bytesBelow,
  draft,
  drafts,
  inflatedBlocks,
  openLog,
  recordsIn,
  sealerOn,
  textOf,
  told,
} from './recordLog.testkit.ts';
import { isThorough } from '../../../test/thorough.testkit.ts';
import type { RecordLog } from './recordLog.ts';
import { decodeBlock, encodeFrame, encodeHeader } from './segmentFormat.ts';
import { removalDraft, type RemovalRequest } from './removal.ts';
import { nameOfPlain } from './segmentNames.ts';
import { partsOf, readPlaces } from './sealedBlocks.ts';
import { inflate } from './sealing.ts';

async function onlyFile(folder: string, ending: string): Promise<string> {
  const [name, ...others] = (await readdir(folder)).filter((each) => each.endsWith(ending));
  expect(others).toEqual([]);
  return path.join(folder, name ?? 'none');
}

/** A log of one sealed segment with several blocks, closed again. */
async function sealedLog(folder: string, count = 8): Promise<readonly (readonly [number, string])[]> {
  const { log } = await openLog(folder, { sealAfterBytes: 1 });
  await log.append(Array.from({ length: count }, (_, index) => draft(index, `${index} `.repeat(22_000))));
  await log.compress();
  const all = told(log);
  await log.close();
  return all;
}

describe('STO-6 appending and reading', () => {
  test('STO-6 records come back in the order in which they were appended, with rising numbers', async () => {
    await using folder = await temporaryFolder();
    const { log } = await openLog(folder.path);
    const given = [...(await log.append(drafts(0, 2))), ...(await log.append(drafts(2, 1)))];
    expect(given.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(recordsIn(log)).toEqual(given);
    expect(told(log, 2)).toEqual([[3, 'words 2']]);
    expect([0, 1, 2, 3, 4].map((seq) => log.at(seq)?.seq)).toEqual([undefined, 1, 2, 3, undefined]);
    expect(log.lastSeq).toBe(3);
    await log.close();
  });

  test('STO-6 odd ids of sessions, an empty body and no session at all come back as they were', async () => {
    await using folder = await temporaryFolder();
    const { log } = await openLog(folder.path);
    const sessions = [undefined, '', 's\0t', '\ud800', '😀', '"', 'x'.repeat(10_000)];
    await log.append(sessions.map((session) => ({ kind: 'note', session, at: -1.5, body: new Uint8Array() })));
    await log.close();
    const { log: again } = await openLog(folder.path, { generation: 2 });
    const found = recordsIn(again).map(({ kind, session, at, body }) => [kind, session, at, body.length]);
    expect(found).toEqual(sessions.map((session) => ['note', session, -1.5, 0]));
    await again.close();
  });

  test('STO-6 numbers go on rising over owners, whether or not anything was compressed', async () => {
    await using folder = await temporaryFolder();
    for (let generation = 1; generation <= 5; generation++) {
      const { log, damage } = await openLog(folder.path, { generation, sealAfterBytes: 200 });
      expect(damage).toEqual([]);
      await log.append(drafts(generation * 10, 3));
      if (generation % 2 === 0) await log.compress();
      await log.close();
    }
    const { log } = await openLog(folder.path, { generation: 6 });
    expect(recordsIn(log).map(({ seq }) => seq)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(recordsIn(log).map(textOf)).toEqual(
      [10, 20, 30, 40, 50].flatMap((ten) => [0, 1, 2].map((one) => `words ${ten + one}`)),
    );
    await log.close();
  });

  test('STO-6 what is appended while a reader reads is given to it too', async () => {
    await using folder = await temporaryFolder();
    const { log } = await openLog(folder.path, { sealAfterBytes: 300 });
    await log.append(drafts(0, 4));
    const seen: number[] = [];
    let added = false;
    for (const records of log.recordsAfter(0)) {
      seen.push(...records.map(({ seq }) => seq));
      if (!added) await log.append(drafts(4, 4));
      added = true;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await log.close();
  });

  test('STO-6 compressing makes one small file of several segments, and changes nothing that is read', async () => {
    await using folder = await temporaryFolder();
    for (let generation = 1; generation <= 3; generation++) {
      const { log } = await openLog(folder.path, { generation });
      await log.append(
        Array.from({ length: 50 }, (_, index) => draft(index, `the same words again and again ${index}`)),
      );
      await log.close();
    }
    const { log } = await openLog(folder.path, { generation: 4, sealAfterBytes: 1 });
    const [before, bytes] = [told(log), log.bytes];
    await log.compress();
    expect(told(log)).toEqual(before);
    expect(before.map(([seq]) => log.at(seq)?.seq)).toEqual(before.map(([seq]) => seq));
    expect(await readdir(folder.path)).toEqual(['000000000001-g1.sealed', 'carried-out.json']);
    expect(log.bytes).toBeLessThan(bytes / 4);
    await log.close();
  });

  test('STO-6 a closed log refuses appends', async () => {
    await using folder = await temporaryFolder();
    const { log } = await openLog(folder.path);
    await log.close();
    await expect(log.append(drafts(0, 1))).rejects.toThrow(expect.objectContaining({ name: 'StoreClosedError' }));
  });
});

describe('STO-3 a damaged log', () => {
  async function plainLog(folder: string): Promise<readonly (readonly [number, string])[]> {
    const { log } = await openLog(folder);
    await log.append(drafts(0, 2));
    await log.append(drafts(2, 1));
    await log.append(drafts(3, 2));
    const all = told(log);
    await log.close();
    return all;
  }

  /** Appends are whole or gone, in order from the first, and numbers are never given out twice. */
  async function expectAWholeBeginning(folder: string, all: readonly (readonly [number, string])[], where: string) {
    const { log } = await openLog(folder, { generation: 2 });
    const left = told(log);
    expect([0, 2, 3, 5], where).toContain(left.length);
    expect(left, where).toEqual(all.slice(0, left.length));
    const [added] = await log.append([draft(9, 'added')]);
    expect(added?.seq, where).toBeGreaterThan(left.length === all.length ? 5 : (left.at(-1)?.[0] ?? 0));
    if (left.length < all.length) expect(added?.seq, where).toBeGreaterThan(5 - (5 - left.length));
    await log.close();
    return left.length;
  }

  test('STO-3 a plain segment cut at every byte: the appends before are whole, the rest is set aside', async () => {
    await using source = await temporaryFolder();
    const all = await plainLog(source.path);
    const file = await onlyFile(source.path, '.seg');
    const { length } = await readFile(file);
    for (let cut = 0; cut < length; cut++) {
      await using folder = await temporaryFolder();
      const target = path.join(folder.path, path.basename(file));
      await copyFile(file, target);
      await truncate(target, cut);
      await expectAWholeBeginning(folder.path, all, `cut at ${cut}`);
    }
  });

  test('STO-3 every byte of a plain segment flipped: the appends before are whole, and no number is given out again', async () => {
    await using source = await temporaryFolder();
    const all = await plainLog(source.path);
    const file = await onlyFile(source.path, '.seg');
    const { length } = await readFile(file);
    for (let at = 0; at < length; at++) {
      await using folder = await temporaryFolder();
      const target = path.join(folder.path, path.basename(file));
      await copyFile(file, target);
      await damageFile(target, at);
      const { log, damage } = await openLog(folder.path, { generation: 2 });
      const left = told(log);
      expect(left, `byte ${at}`).toEqual(all.slice(0, left.length));
      expect(damage.length, `byte ${at}`).toBe(1);
      expect(at < 36 ? left.length : [0, 2, 3].includes(left.length), `byte ${at}`).toBe(at < 36 ? 5 : true);
      const [added] = await log.append([draft(9)]);
      expect(added?.seq, `byte ${at}`).toBeGreaterThan(5);
      await log.close();
    }
  });

  test('STO-3 bytes of a sealed segment flipped: only the records of the damaged block are missing', async () => {
    await using source = await temporaryFolder();
    await sealedLog(source.path);
    const file = await onlyFile(source.path, '.sealed');
    const { log: second } = await openLog(source.path, { generation: 2 });
    await second.append(drafts(100, 2));
    const all = told(second);
    await second.close();
    const behind = '000000000009-g2.seg';
    const bytes = await readFile(file);
    const blocks = readPlaces(partsOf(bytes), bytes.length).places.map(({ position, end }) => {
      const block = decodeBlock(bytes.subarray(position, end));
      return { from: position, to: end, first: block?.head.firstSeq ?? 0, last: block?.head.lastSeq ?? 0 };
    });
    expect(blocks.length).toBeGreaterThan(2);
    for (let at = 0; at < bytes.length; at += isThorough ? 1 : 5) {
      await using folder = await temporaryFolder();
      await copyFile(file, path.join(folder.path, path.basename(file)));
      await copyFile(path.join(source.path, behind), path.join(folder.path, behind));
      await damageFile(path.join(folder.path, path.basename(file)), at);
      const { log } = await openLog(folder.path, { generation: 3 });
      const hit = blocks.find(({ from, to }) => at >= from && at < to);
      const expected = all.filter(([seq]) => hit === undefined || seq < hit.first || seq > hit.last);
      expect(told(log), `byte ${at}`).toEqual(expected);
      const [added] = await log.append([draft(9)]);
      expect(added?.seq, `byte ${at}`).toBeGreaterThan(all.length);
      await log.close();
    }
  });

  test('STO-3 a sealed segment cut at any byte: the blocks before are whole, and no number is given out again', async () => {
    await using source = await temporaryFolder();
    const all = await sealedLog(source.path);
    const file = await onlyFile(source.path, '.sealed');
    const { length } = await readFile(file);
    for (let cut = 36; cut < length; cut += 7) {
      await using folder = await temporaryFolder();
      await copyFile(file, path.join(folder.path, path.basename(file)));
      await truncate(path.join(folder.path, path.basename(file)), cut);
      const { log } = await openLog(folder.path, { generation: 2 });
      const left = told(log);
      expect(left, `cut at ${cut}`).toEqual(all.slice(0, left.length));
      await log.close();
    }
  });

  test('STO-1 a segment of a newer version is refused, and nothing in the folder is changed', async () => {
    await using folder = await temporaryFolder();
    await sealedLog(folder.path);
    const file = path.join(folder.path, '000000000100-g9.seg');
    const header = encodeHeader({ state: 'plain', generation: 9, firstSeq: 100 });
    header.writeUInt32LE(2, 8);
    const { crc32 } = await import('node:zlib');
    header.writeUInt32LE(crc32(header.subarray(0, 32)), 32);
    await writeFile(file, header);
    const before = bytesBelow(folder.path);
    await expect(openLog(folder.path, { generation: 10 })).rejects.toThrow(
      expect.objectContaining({ name: 'NewerStoreError' }),
    );
    expect(bytesBelow(folder.path)).toEqual(before);
  });

  test('STO-3 with both files of one segment left by a crash the sound one stays', async () => {
    await using folder = await temporaryFolder();
    const all = await plainLog(folder.path);
    const plain = await onlyFile(folder.path, '.seg');
    const kept = await readFile(plain);
    const { log } = await openLog(folder.path, { generation: 2, sealAfterBytes: 1 });
    await log.compress();
    await log.close();
    for (const isDamaged of [false, true]) {
      await writeFile(plain, kept);
      if (isDamaged) await damageFile(plain.replace('.seg', '.sealed'), 60);
      const { log: again, damage } = await openLog(folder.path, { generation: 3 });
      expect([told(again), damage]).toEqual([all, []]);
      expect((await readdir(folder.path)).filter((name) => name.includes('-g'))).toEqual([
        path.basename(isDamaged ? plain : plain.replace('.seg', '.sealed')),
      ]);
      await again.close();
    }
  });

  test('STO-3 of several plain segments that a crash left beside the sealed one made of them, each record is read once', async () => {
    await using folder = await temporaryFolder();
    for (let generation = 1; generation <= 3; generation++) {
      const { log } = await openLog(folder.path, { generation });
      await log.append(drafts(generation * 10, 3));
      await log.close();
    }
    const names = (await readdir(folder.path)).filter((name) => name.endsWith('.seg'));
    const files = await Promise.all(names.map((name) => readFile(path.join(folder.path, name))));
    const { log } = await openLog(folder.path, { generation: 4, sealAfterBytes: 1 });
    await log.compress();
    const all = told(log);
    await log.close();
    for (const [index, bytes] of files.entries()) {
      if (index > 0) await writeFile(path.join(folder.path, names[index] ?? ''), bytes);
    }
    const { log: again, damage } = await openLog(folder.path, { generation: 5 });
    expect([names.length, told(again), damage]).toEqual([3, all, []]);
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.seg'))).toEqual([]);
    await again.close();
  });
});

describe('MWN-2 STO-2 two owners', () => {
  test('MWN-2 a deposed owner appends nothing, and says so', async () => {
    await using folder = await temporaryFolder();
    let isOurs = true;
    const { log } = await openLog(folder.path, { mayWrite: () => isOurs });
    await log.append(drafts(0, 1));
    isOurs = false;
    await expect(log.append(drafts(1, 1))).rejects.toThrow(expect.objectContaining({ name: 'StoreFencedError' }));
    await log.close();
  });

  test('MWN-2 what a deposed owner still wrote after its successor began is never read', async () => {
    await using folder = await temporaryFolder();
    const { log: old } = await openLog(folder.path);
    await old.append(drafts(0, 2));
    const { log: young } = await openLog(folder.path, { generation: 2 });
    await young.append([draft(2, 'of the successor')]);
    const file = path.join(folder.path, '000000000001-g1.seg');
    const late = encodeFrame([{ ...draft(3, 'too late'), seq: 3 }]);
    await writeFile(file, Buffer.concat([await readFile(file), late]));
    const expected = [
      [1, 'words 0'],
      [2, 'words 1'],
      [3, 'of the successor'],
    ];
    expect(told(young)).toEqual(expected);
    await young.close();
    const { log: next, damage } = await openLog(folder.path, { generation: 3 });
    expect([told(next), damage]).toEqual([expected, []]);
    await next.close();
    await old.close();
  });

  test('STO-2 an owner whose generation was lost with its file still writes files of its own', async () => {
    await using folder = await temporaryFolder();
    await sealedLog(folder.path, 2);
    const { log } = await openLog(folder.path, { generation: 1 });
    await log.append(drafts(2, 1));
    await log.close();
    expect(await readdir(folder.path)).toEqual(['000000000001-g1.sealed', '000000000003-g2.seg', 'carried-out.json']);
  });
});

test('STO-6 a block that an earlier release compressed with gzip is read, one of a later release is refused', () => {
  expect(inflate(1, gzipSync('words')).toString()).toBe('words');
  expect(inflate(2, brotliCompressSync('words')).toString()).toBe('words');
  expect(() => inflate(3, Buffer.from('words'))).toThrow(/not known here/);
});

describe('CNV-5 removing', () => {
  const bytesHold = (folder: string, words: string) =>
    [...bytesBelow(folder)]
      .filter(([, bytes]) => [bytes, ...inflatedBlocks(bytes)].some((each) => each.toString('latin1').includes(words)))
      .map(([file]) => file);

  /** Resolves when the removal is on disk, so that nothing gives its records any more. */
  const remove = (log: RecordLog, request: RemovalRequest) => log.append([removalDraft('erase', request, 0)]);
  const isEvent = ({ kind }: { readonly kind: string }) => kind === 'event';

  async function filledLog(folder: string): Promise<RecordLog> {
    const { log } = await openLog(folder, { sealAfterBytes: 400 });
    await log.append(drafts(0, 12));
    await log.compress();
    await log.append(drafts(12, 3));
    return log;
  }

  test('CNV-5 a session is gone at once and in no byte afterwards; what it says later is kept', async () => {
    await using folder = await temporaryFolder();
    const log = await filledLog(folder.path);
    await remove(log, { sessions: ['s1'] });
    const carryingOut = log.carryOut();
    await log.append([{ ...draft(1), body: Buffer.from('said afterwards') }]);
    expect(
      recordsIn(log)
        .filter(({ session }) => session === 's1')
        .map(textOf),
    ).toEqual(['said afterwards']);
    await carryingOut;
    expect(bytesHold(folder.path, 'words 4')).toEqual([]);
    expect(bytesHold(folder.path, 'words 13')).toEqual([]);
    expect(bytesHold(folder.path, 'words 12')).not.toEqual([]);
    await log.close();
    const { log: again } = await openLog(folder.path, { generation: 2 });
    expect(
      recordsIn(again)
        .filter(isEvent)
        .map(({ seq }) => seq),
    ).toEqual([1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 17]);
    await again.close();
  });

  test('CNV-4 everything is gone, and numbers go on rising', async () => {
    await using folder = await temporaryFolder();
    const log = await filledLog(folder.path);
    await remove(log, { sessions: 'all', kinds: ['event', 'work', 'note', 'erase', 'trim'] });
    await log.carryOut();
    expect([recordsIn(log).filter(isEvent), bytesHold(folder.path, 'words')]).toEqual([[], []]);
    await log.close();
    const { log: again } = await openLog(folder.path, { generation: 2 });
    expect((await again.append(drafts(0, 1)))[0]?.seq).toBe(17);
    await again.close();
  });

  test('STO-4 single records are removed, and everything else stays', async () => {
    await using folder = await temporaryFolder();
    const log = await filledLog(folder.path);
    await remove(log, { seqs: [2, 13] });
    expect([log.at(2), log.at(13), log.at(3)?.seq]).toEqual([undefined, undefined, 3]);
    await log.carryOut();
    expect([bytesHold(folder.path, 'words 12'), recordsIn(log).filter(isEvent).length]).toEqual([[], 13]);
    await log.close();
  });

  test('STO-3 CNV-5 whichever call to the disk fails, what was removed never comes back, and is in no byte in the end', async () => {
    for (let nth = 1, isThrough = false; !isThrough; nth++) {
      await using folder = await temporaryFolder();
      await (await filledLog(folder.path)).close();
      const fs = faultyFileSystem({ disk: unsyncedFileSystem });
      const { log } = await openLog(folder.path, { fs, sealer: sealerOn(fs), generation: 2 });
      fs.arm({ nth, code: 'EIO', lasting: 'onward' });
      const before = fs.calls.length;
      const isRemoved = await remove(log, { sessions: ['s1'] }).then(
        () => true,
        () => false,
      );
      await log.carryOut().catch(() => undefined);
      isThrough = fs.calls.length - before < nth;
      fs.arm(undefined);
      const isGone = () => recordsIn(log).every(({ session }) => session !== 's1');
      if (isRemoved) expect(isGone(), `call ${nth}`).toBe(true);
      await log.close();
      const { log: again } = await openLog(folder.path, { generation: 3 });
      const sessions = recordsIn(again)
        .filter(isEvent)
        .map(({ session }) => session);
      expect(sessions.filter((session) => session !== 's1').length, `call ${nth}`).toBe(10);
      if (isRemoved) {
        expect(sessions, `call ${nth}`).not.toContain('s1');
        await again.carryOut();
        expect(bytesHold(folder.path, 'words 13'), `call ${nth}`).toEqual([]);
      }
      await again.close();
    }
  });

  test('CNV-5 the torn end of a segment, which was set aside, goes with an erased session', async () => {
    await using folder = await temporaryFolder();
    await (await filledLog(folder.path)).close();
    const file = path.join(folder.path, nameOfPlain({ firstSeq: 999, generation: 7 }));
    const torn = encodeFrame([{ ...draft(1, 'words torn away'), seq: 999 }]).subarray(0, -1);
    await writeFile(file, Buffer.concat([encodeHeader({ state: 'plain', firstSeq: 999, generation: 7 }), torn]));
    const { log, damage } = await openLog(folder.path, { generation: 8 });
    expect([damage.length, bytesHold(folder.path, 'words torn').length]).toEqual([1, 1]);
    await remove(log, { sessions: ['s1'], isErasure: true });
    await log.carryOut();
    expect(bytesHold(folder.path, 'words torn')).toEqual([]);
    await log.close();
  });

  test('CNV-5 without the file that says what was carried out it is carried out once more', async () => {
    await using folder = await temporaryFolder();
    const log = await filledLog(folder.path);
    await remove(log, { sessions: ['s1'] });
    await log.carryOut();
    const left = told(log);
    await log.close();
    for (const content of ['', '{"upTo":"x"}', undefined]) {
      const file = path.join(folder.path, 'carried-out.json');
      await (content === undefined ? unlink(file) : writeFile(file, content));
      const { log: again } = await openLog(folder.path, { generation: 2 });
      await again.carryOut();
      expect(told(again)).toEqual(left);
      await again.close();
    }
  });
});

describe('STO-3 a disk that fails', () => {
  test('STO-3 whichever call fails once while appending and compressing, what was acknowledged is there once and in order', async () => {
    for (const code of ['ENOSPC', 'EIO']) {
      for (let nth = 1, isThrough = false; !isThrough; nth++) {
        await using folder = await temporaryFolder();
        await mkdir(folder.path, { recursive: true });
        const fs = faultyFileSystem({ disk: unsyncedFileSystem });
        const { log } = await openLog(folder.path, { fs, sealer: sealerOn(fs), sealAfterBytes: 150 });
        fs.arm({ nth, code });
        const before = fs.calls.length;
        const acknowledged: number[] = [];
        for (let number = 0; number < 6; number++) {
          const stored = await log.append([draft(number)]).catch(() => []);
          acknowledged.push(...stored.map(({ at }) => at));
          await log.compress().catch(() => undefined);
        }
        isThrough = fs.calls.length - before < nth;
        fs.arm(undefined);
        await log.close();
        const { log: again } = await openLog(folder.path, { generation: 2 });
        const found = recordsIn(again).map(({ at }) => at);
        expect(found, `${code} in call ${nth}`).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        expect(
          found.filter((at) => acknowledged.includes(at)),
          `${code} in call ${nth}`,
        ).toEqual(acknowledged);
        await again.close();
      }
    }
  });
});
