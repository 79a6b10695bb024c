import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThorough } from '../../../test/thorough.testkit.ts';
import { refuseNewer } from './newer.ts';
import { HEADER_BYTES, JOURNAL_FORMAT, RECORD_HEAD_BYTES, encodeHeader, encodeRecords } from './journalFormat.ts';
import {
  damageFile,
  filesIn,
  idsIn,
  idsOf,
  openIn,
  record,
  records,
  sideBySide,
  snapshotOf,
  temporaryFolder,
  unsyncedFileSystem,
} from './store.testkit.ts';

const IMAGE = 'agent-mascot-1-000002.sqlite';
const BACKUP = 'agent-mascot-1-000001.sqlite';
const JOURNAL = 'journal-1-000001.bin';

/** The bytes of a journal with these events, as a kill leaves it. */
async function journalOf(count: number): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  for (let number = 0; number < count; number++) await store.append([record(number)]);
  const bytes = await readFile(path.join(folder.path, JOURNAL));
  await store.close();
  return bytes;
}

const count = 2;
const fs = unsyncedFileSystem;
const ids = idsOf(records(0, count));

/** Every so many bytes of a payload, which is one stretch for its checksum; every byte when thorough. */
const PAYLOAD_STRIDE = isThorough ? 1 : 6;

/** Where the records of such a journal begin, and where the last one ends. */
function edgesOf(whole: Buffer): readonly number[] {
  const edges = [HEADER_BYTES];
  for (let number = 0; number < count; number++) {
    edges.push((edges.at(-1) ?? 0) + encodeRecords([payloadOf(record(number))]).length);
  }
  expect(edges.at(-1)).toBe(whole.length);
  return edges;
}

/** All of the header, of the records' heads and of the bytes beside an edge; samples of the payloads. */
function placesIn(whole: Buffer, edges: readonly number[]): readonly number[] {
  return Array.from({ length: whole.length }, (_, at) => at).filter((at) => {
    const isNearEdge = edges.some((edge) => at >= edge - 2 && at < edge + RECORD_HEAD_BYTES + 2);
    return at < HEADER_BYTES || isNearEdge || at % PAYLOAD_STRIDE === 0;
  });
}

describe('STO-3 a damaged journal', () => {
  it('STO-3 cut anywhere: an earlier state, what is left over kept aside', async () => {
    const whole = await journalOf(count);
    const ends = edgesOf(whole);
    const lengths = [...placesIn(whole, ends), whole.length];
    await sideBySide(lengths.length, async (index) => {
      const length = lengths[index] ?? 0;
      await using folder = await temporaryFolder();
      await writeFile(path.join(folder.path, JOURNAL), whole.subarray(0, length));
      const opened = await openIn(folder.path, { generation: 2, fs });
      const complete = ends.filter((end) => end <= length).length - 1;
      const atEdge = length === 0 || ends.includes(length);
      expect(
        [idsIn(opened), opened.damage.length, (await filesIn(path.join(folder.path, 'damaged'), /./)).length],
        `${length}`,
      ).toEqual([ids.slice(0, Math.max(0, complete)), atEdge ? 0 : 1, atEdge ? 0 : 1]);
      await opened.store.close();
    });
  });

  it('STO-3 a byte flipped anywhere: an earlier state, the damaged part kept aside, told once', async () => {
    const whole = await journalOf(count);
    const places = placesIn(whole, edgesOf(whole));
    await sideBySide(places.length, async (index) => {
      const at = places[index] ?? 0;
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, JOURNAL);
      await writeFile(file, whole);
      await damageFile(file, at);
      let owner = true;
      const opened = await openIn(folder.path, { generation: 2, fs, mayWrite: () => owner });
      const found = idsIn(opened);
      // A damaged header costs no event: each record stands by its own checksum.
      expect(found, `${at}`).toEqual(ids.slice(0, at < HEADER_BYTES ? count : found.length));
      expect(found.length < count || at < HEADER_BYTES, `${at}`).toBe(true);
      expect([opened.damage.length, (await filesIn(path.join(folder.path, 'damaged'), /./)).length], `${at}`).toEqual([
        1, 1,
      ]);
      // Deposed, it closes without an image: the next start has the repaired journal alone.
      owner = false;
      await opened.store.close();
      const again = await openIn(folder.path, { generation: 3, fs });
      expect([idsIn(again), again.damage], `${at}`).toEqual([found, []]);
      await again.store.close();
    });
  });

  it('STO-3 the sentence says which file, and where the damaged part is', async () => {
    await using folder = await temporaryFolder();
    const whole = await journalOf(2);
    await writeFile(path.join(folder.path, JOURNAL), Buffer.concat([whole, Buffer.from('rubble')]));
    const opened = await openIn(folder.path);
    const kept = path.join(folder.path, 'damaged', `${JOURNAL}.from-${whole.length}`);
    expect(opened.damage).toEqual([
      `${JOURNAL} was damaged or incomplete from byte ${whole.length} on. Those 6 bytes are kept as ${kept}.`,
    ]);
    expect(await readFile(kept, 'utf8')).toBe('rubble');
    await opened.store.close();
  });

  it('STO-3 damage in one segment leaves the later ones', async () => {
    await using folder = await temporaryFolder();
    const write = (name: string, ...numbers: number[]): Promise<void> =>
      writeFile(
        path.join(folder.path, name),
        Buffer.concat([encodeHeader(1), encodeRecords(numbers.map((number) => payloadOf(record(number))))]),
      );
    await write('journal-1-000001.bin', 1, 2);
    await write('journal-1-000002.bin', 3);
    await damageFile(path.join(folder.path, 'journal-1-000001.bin'), -1);
    const opened = await openIn(folder.path);
    expect([idsIn(opened), opened.damage.length]).toEqual([['evt-1', 'evt-3'], 1]);
    await opened.store.close();
  });

  it('STO-3 a sound record that is no event is left out and told', async () => {
    await using folder = await temporaryFolder();
    const strange = [Buffer.from('null'), Buffer.from('{"event":{"id":1}}'), Buffer.from('not json')];
    const payloads = [payloadOf(record(1)), ...strange, payloadOf(record(2))];
    await writeFile(path.join(folder.path, JOURNAL), Buffer.concat([encodeHeader(1), encodeRecords(payloads)]));
    const opened = await openIn(folder.path);
    expect([idsIn(opened), opened.damage.length]).toEqual([['evt-1', 'evt-2'], strange.length]);
    await opened.store.close();
  });
});

/** Two checkpoints and then a kill: image has 0-3, backup 0-1, the journal 2-5. */
async function livedIn(folder: string): Promise<void> {
  await using working = await temporaryFolder();
  const { store } = await openIn(working.path);
  for (const from of [0, 2]) {
    await store.append(records(from, 2));
    await store.checkpoint();
  }
  await store.append(records(4, 2));
  await snapshotOf(working.path, folder);
  await store.close();
}

describe('STO-3 a damaged image', () => {
  const harm: Readonly<Record<string, (file: string) => Promise<void>>> = {
    'a bit flipped in its header': (file) => damageFile(file, 3),
    'a bit flipped in a page': (file) => damageFile(file, 20_000),
    'a bit flipped in its checksum': (file) => damageFile(file, -1),
    'cut in the middle': async (file) => truncate(file, 30_000),
    'cut to nothing': async (file) => truncate(file, 0),
    'something else altogether': (file) => writeFile(file, 'x'.repeat(10_000)),
  };
  for (const [what, doHarm] of Object.entries(harm)) {
    it(`STO-3 ${what}: backup and journal give everything, the file is kept aside`, async () => {
      await using folder = await temporaryFolder();
      await livedIn(folder.path);
      await doHarm(path.join(folder.path, IMAGE));
      const harmed = await readFile(path.join(folder.path, IMAGE));
      const opened = await openIn(folder.path, { generation: 2 });
      expect(idsIn(opened)).toEqual(idsOf(records(0, 6)));
      expect(opened.damage).toEqual([
        expect.stringMatching(/^agent-mascot-1-000002\.sqlite was damaged .* The damaged file is kept as /),
      ]);
      expect(await readFile(path.join(folder.path, 'damaged', IMAGE))).toEqual(harmed);
      await opened.store.append(records(6, 1));
      await opened.store.close();
      const again = await openIn(folder.path, { generation: 3 });
      expect([idsIn(again), again.damage]).toEqual([idsOf(records(0, 7)), []]);
      await again.store.close();
    });
  }

  it('STO-3 image and backup both damaged: the journal gives what it has, and both are kept', async () => {
    await using folder = await temporaryFolder();
    await livedIn(folder.path);
    for (const name of [IMAGE, BACKUP]) await damageFile(path.join(folder.path, name), 20_000);
    const opened = await openIn(folder.path, { generation: 2 });
    expect([idsIn(opened), opened.damage.length, await filesIn(path.join(folder.path, 'damaged'), /./)]).toEqual([
      idsOf(records(2, 4)),
      2,
      [BACKUP, IMAGE],
    ]);
    await opened.store.close();
  });

  it('STO-3 the image lost: backup and journal give everything', async () => {
    await using folder = await temporaryFolder();
    await livedIn(folder.path);
    await rm(path.join(folder.path, IMAGE));
    const opened = await openIn(folder.path, { generation: 2 });
    expect([idsIn(opened), opened.damage]).toEqual([idsOf(records(0, 6)), []]);
    await opened.store.close();
  });

  it('STO-3 an image that another tool wrote has no checksum; SQLite looks at its pages', async () => {
    await using folder = await temporaryFolder();
    await livedIn(folder.path);
    const image = path.join(folder.path, IMAGE);
    const bare = (await readFile(image)).subarray(0, -16);
    await writeFile(image, bare);
    const opened = await openIn(folder.path, { generation: 2 });
    expect([idsIn(opened), opened.damage]).toEqual([idsOf(records(0, 6)), []]);
    await opened.store.close();

    // The root page of a table says that it is an index.
    bare[16_384] = 0x0a;
    await writeFile(path.join(folder.path, 'agent-mascot-9-000001.sqlite'), bare);
    const reopened = await openIn(folder.path, { generation: 3 });
    expect([idsIn(reopened), reopened.damage]).toEqual([
      idsOf(records(0, 6)),
      [expect.stringContaining('its pages are damaged')],
    ]);
    await reopened.store.close();
  });
});

describe('STO-1 a newer store', () => {
  async function contents(folder: string): Promise<Record<string, string>> {
    const names = await filesIn(folder, /./);
    const read = names.map(async (name) => [name, await readFile(path.join(folder, name), 'base64')] as const);
    return Object.fromEntries(await Promise.all(read));
  }
  const newer = expect.objectContaining({
    name: 'NewerStoreError',
    message: expect.stringContaining('Update the extension'),
  });

  it('STO-1 an image of a newer version is left byte for byte, with its journal', async () => {
    await using folder = await temporaryFolder();
    await livedIn(folder.path);
    const image = path.join(folder.path, IMAGE);
    const bytes = (await readFile(image)).subarray(0, -16);
    bytes.writeUInt32BE(1_000, 60);
    await writeFile(image, bytes);
    await writeFile(path.join(folder.path, `${IMAGE}.0123456789ab.tmp`), 'half');
    await damageFile(path.join(folder.path, (await filesIn(folder.path, /journal/))[0] ?? ''), -1);
    const before = await contents(folder.path);
    await expect(openIn(folder.path)).rejects.toThrow(newer);
    await expect(refuseNewer(folder.path)).rejects.toThrow(newer);
    expect(await contents(folder.path)).toEqual(before);
  });

  it('STO-1 a journal of a newer format as well', async () => {
    await using folder = await temporaryFolder();
    await livedIn(folder.path);
    await writeFile(path.join(folder.path, 'journal-9-000009.bin'), encodeHeader(9, JOURNAL_FORMAT + 1));
    await damageFile(path.join(folder.path, IMAGE), 20_000);
    const before = await contents(folder.path);
    await expect(openIn(folder.path)).rejects.toThrow(newer);
    await expect(refuseNewer(folder.path)).rejects.toThrow(newer);
    expect(await contents(folder.path)).toEqual(before);
  });

  it('STO-1 none of ours is taken for newer: sound, torn, damaged in its version, or not there', async () => {
    await using folder = await temporaryFolder();
    await refuseNewer(path.join(folder.path, 'none'));
    await livedIn(folder.path);
    await refuseNewer(folder.path);
    await damageFile(path.join(folder.path, IMAGE), 60);
    await writeFile(path.join(folder.path, 'journal-9-000009.bin'), 'AMJR');
    await refuseNewer(folder.path);
  });
});

function payloadOf(stored: ReturnType<typeof record>): Buffer {
  return Buffer.from(JSON.stringify({ event: stored.event, keys: stored.keys, rank: stored.rank }));
}
