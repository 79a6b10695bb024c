import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { spooled, temporaryFolder } from './forwarder.testkit.ts';
import { droppedIn } from '../src/protocol/handOver.ts';
import { dropInTurn, dropOldest, spool } from './spool.ts';

describe('FWD-6 spool', () => {
  let home: string;
  beforeEach(() => {
    home = temporaryFolder('spool');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

  const event = (id: string, millisecond = 0, size = 0) => ({
    json: JSON.stringify({ id, pad: 'x'.repeat(size) }),
    collectedAt: new Date(1_700_000_000_000 + millisecond).toISOString(),
    deliveryId: id,
  });
  const names = () => spooled(home).map(({ name }) => name);
  const dropped = () => droppedIn(readFileSync(path.join(home, 'spool', 'dropped.count'), 'utf8'));
  const folderOf = () => path.join(home, 'spool');

  it('FWD-6 writes one whole line in a private file of a private folder', () => {
    spool(path.join(home, 'not', 'there'), event('a'));
    const folder = path.join(home, 'not', 'there');
    expect(spooled(folder)).toEqual([{ name: '1700000000000-a.json', mode: 0o600, text: '{"id":"a","pad":""}\n' }]);
    expect(statSync(path.join(folder, 'spool')).mode & 0o777).toBe(0o700);
  });

  it('FWD-6 what is being written has a name that begins with a dot and ends in .tmp', () => {
    const folder = path.join(home, 'spool');
    const unfinished = path.join(folder, '.1700000000000-a.json.tmp');
    // Found in the way, it tells that this is where the text goes first.
    mkdirSync(unfinished, { recursive: true });
    expect(() => spool(home, event('a'))).toThrow(unfinished);
    expect(readdirSync(folder)).toEqual([path.basename(unfinished), 'dropped.count']);
  });

  it('FWD-6 names sort in the order of collected_at', () => {
    for (const [id, time] of [
      ['c', 20],
      ['a', 0],
      ['b', 3],
    ] as const)
      spool(home, event(id, time));
    expect(names().map((name) => name.slice(14, 15))).toEqual(['a', 'b', 'c']);
  });

  it('FWD-6 drops the oldest above the limit, and counts them', () => {
    for (let index = 0; index < 6; index++) spool(home, event(`event-${index}`, index, 1000), { bytes: 3500 });
    expect(names()).toEqual([3, 4, 5].map((index) => `170000000000${index}-event-${index}.json`));
    expect(dropped()).toBe(3);
  });

  it('FWD-6 hand-over files without a time in their name are as old as their file', () => {
    mkdirSync(path.join(home, 'spool'));
    const [old, young] = ['old.json', 'young.json'].map((name) => path.join(home, 'spool', name));
    for (const [file = '', seconds] of [
      [old, 1_600_000_000],
      [young, 1_800_000_000],
    ] as const) {
      writeFileSync(file, 'x'.repeat(1000));
      utimesSync(file, seconds, seconds);
    }
    spool(home, event('a', 0, 1000), { bytes: 2500 });
    expect(names()).toEqual(['1700000000000-a.json', 'young.json']);
  });

  it('FWD-6 an event larger than the limit is dropped itself, and counted', () => {
    spool(home, event('a', 0, 1000), { bytes: 500 });
    expect([names(), dropped()]).toEqual([[], 1]);
  });

  it('FWD-6 a subfolder in the spool does no harm', () => {
    mkdirSync(path.join(home, 'spool', 'kept'), { recursive: true });
    spool(home, event('a', 0, 1000), { bytes: 1500 });
    expect(existsSync(path.join(home, 'spool', 'kept'))).toBe(true);
  });

  it('FWD-6 leaves no half file behind when the rename fails, and counts what is lost', () => {
    const target = path.join(home, 'spool', '1700000000000-a.json');
    mkdirSync(path.join(target, 'in-the-way'), { recursive: true });
    expect(() => spool(home, event('a'))).toThrow();
    expect(readdirSync(folderOf()).toSorted()).toEqual(['1700000000000-a.json', 'dropped.count']);
    expect(dropped()).toBe(1);
  });

  it.skipIf(process.getuid?.() === 0)('FWD-6 throws when the folder is not writable', () => {
    chmodSync(home, 0o500);
    expect(() => spool(home, event('a'))).toThrow(/EACCES/);
  });

  it('FWD-6 the entry’s files count too, each as old as it is, held ones and torn ones alike', () => {
    spool(home, event('a', 0, 10));
    const folder = path.join(home, 'spool');
    const put = (name: string, seconds: number) => {
      const file = path.join(folder, name);
      writeFileSync(file, 'x'.repeat(100));
      utimesSync(file, seconds, seconds);
    };
    put('1700000000999-1-by-its-name-newest.hook', 1_600_000_000);
    put('.7-1-held.hook', 1_600_000_001);
    put('8-1-later.hook', 1_800_000_000);
    put('9-1-latest.hook', 1_800_000_001);
    dropOldest(folder, { bytes: 220 });
    expect([names(), dropped()]).toEqual([['8-1-later.hook', '9-1-latest.hook'], 3]);
  });

  it('FWD-6 the number of files is bounded too, the oldest go first', () => {
    for (let index = 0; index < 5; index++) spool(home, event(`event-${index}`, index), { files: 3 });
    expect(names()).toEqual([2, 3, 4].map((index) => `170000000000${index}-event-${index}.json`));
    expect(dropped()).toBe(2);
  });

  it('FWD-6 where the count can’t be written the spool stays bounded all the same', () => {
    for (let index = 0; index < 3; index++) spool(home, event(`event-${index}`, index, 1000));
    mkdirSync(path.join(folderOf(), 'dropped.count'));
    dropOldest(folderOf(), { bytes: 2500 });
    expect(readdirSync(folderOf()).toSorted()).toEqual([
      '1700000000001-event-1.json',
      '1700000000002-event-2.json',
      'dropped.count',
    ]);
  });

  it('FWD-6 a count is a sum of whole lines; what is none counts nothing', () => {
    expect(['', '2\n3\n', '5\n-2\n', '1e9\nNaN\n 4\n7', '99999999999\n1\n'].map(droppedIn)).toEqual([0, 5, 3, 7, 1]);
  });

  it.skipIf(process.platform === 'win32')('FWD-6 what is none of ours is neither counted nor dropped', () => {
    const elsewhere = path.join(home, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'old.json'), 'x'.repeat(1000));
    utimesSync(path.join(elsewhere, 'old.json'), 1, 1);
    spool(home, event('a'));
    symlinkSync(path.join(elsewhere, 'old.json'), path.join(folderOf(), '1-link.json'));
    writeFileSync(path.join(folderOf(), 'notes.txt'), 'x'.repeat(1000));
    dropOldest(folderOf(), { bytes: 100 });
    expect(readdirSync(folderOf()).toSorted()).toEqual(['1-link.json', '1700000000000-a.json', 'notes.txt']);
    // A link in the folder's own place leads to what is not ours to empty.
    symlinkSync(elsewhere, path.join(home, 'linked'));
    dropOldest(path.join(home, 'linked'), { bytes: 0 });
    expect(readdirSync(elsewhere)).toEqual(['old.json']);
  });

  it('FWD-6 among very many files only some calls look; none fails its hook', () => {
    mkdirSync(folderOf());
    for (let index = 0; index < 2_001; index++) writeFileSync(path.join(folderOf(), `${index}-1-x.hook`), 'x');
    dropInTurn(folderOf(), { files: 1_000 }, 0.9);
    expect(readdirSync(folderOf())).toHaveLength(2_001);
    dropInTurn(folderOf(), { files: 1_000 }, 0.03);
    expect([names().length, dropped()]).toEqual([1_000, 1_001]);
    dropInTurn(folderOf(), { files: 999 }, 0.9);
    expect([names().length, dropped()]).toEqual([999, 1_002]);
    dropInTurn(path.join(home, 'not there'), {}, 0);
  });

  const day = 86_400_000;
  const begin = Date.UTC(2026, 0, 1);
  const put = (name: string, at: number) => {
    mkdirSync(folderOf(), { recursive: true });
    writeFileSync(path.join(folderOf(), name), 'x');
    utimesSync(path.join(folderOf(), name), at / 1000, at / 1000);
  };
  const sweep = (...days: readonly number[]) => {
    for (const each of days) dropOldest(folderOf(), {}, begin + each * day + 5);
  };
  const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

  it('FWD-6 STO-5 drops and counts a file after 30 later days on which a sweep ran, however many lie between them', () => {
    put('1-1-a.hook', begin);
    put(`${begin + 40 * day}-b.json`, begin);
    sweep(0, 0, ...range(100, 29), 128, 128);
    expect(names()).toEqual(['1-1-a.hook', `${begin + 40 * day}-b.json`].toSorted());
    sweep(400);
    expect([names(), dropped()]).toEqual([[], 2]);
  });

  it('FWD-6 STO-5 keeps files while the clock is wrong for a moment, years ahead or behind', () => {
    put('1-1-a.hook', begin + 28 * day);
    sweep(...range(0, 29), 40 * 365, -50 * 365, 60 * 365);
    put('2-1-behind.hook', Date.UTC(1970, 0, 1) + 5 * day);
    put('3-1-ahead.hook', begin + 40 * 365 * day);
    sweep(...range(29, 20));
    expect(names()).toEqual(['1-1-a.hook', '2-1-behind.hook', '3-1-ahead.hook']);
  });

  it('FWD-6 STO-5 keeps every file where the days can’t be read or written', () => {
    put('1-1-a.hook', begin);
    mkdirSync(`${folderOf()}.days`);
    sweep(...range(1, 40));
    expect(names()).toEqual(['1-1-a.hook']);
  });
});
