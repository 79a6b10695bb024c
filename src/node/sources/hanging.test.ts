import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundFile, TailChunk } from '../../app/sourcePorts.ts';
import { logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { createFolderEvents, type FolderEvents } from './folderEvents.ts';
import { createFolderWatch } from './folderWatch.ts';
import { SetAside } from './gate.ts';
import { createGatedDisk, type GatedDisk } from './gatedDisk.ts';
import { createHangingDisk, type DiskCall, type HangingDisk } from './hangingDisk.testkit.ts';
import { createSessionFiles } from './sessionFiles.ts';
import { createTestFolder, createTold, type TestFolder, type Told } from './sources.testkit.ts';
import { createTails } from './tail.ts';

let folder: TestFolder;
let log: LogLines;
let hanging: HangingDisk;
let disk: GatedDisk;
let events: FolderEvents;
beforeEach(() => {
  folder = createTestFolder();
  log = logLines();
  hanging = createHangingDisk();
  disk = createGatedDisk(log, hanging, hanging.after);
  events = createFolderEvents(log, { watchedMs: 20, unwatchedMs: 20 }, undefined, disk);
  for (const name of ['hung', 'well', 'other']) mkdirSync(folder.at(name));
});
afterEach(() => {
  hanging.back();
  folder.dispose();
});

function follow(name: string, tails = createTails(log, { events })): Told<string> {
  const told = createTold<string>();
  const onChunk = ({ lines }: TailChunk) => lines.forEach(told.add);
  folder.use(tails.follow({ path: folder.at(name), from: 0, wants: () => true, onChunk }));
  return told;
}

/** More than any file here has. */
const ALL = 1_000;

const has = (item: string) => (items: readonly string[]) => items.includes(item);
/** The deadline of a call under this folder has passed. */
async function setAside(): Promise<void> {
  await expect.poll(() => hanging.hanging()).toBe(1);
  await expect(disk.stat(folder.at('hung'))).rejects.toBeInstanceOf(SetAside);
}

/** Everything that was opened is closed again, also what answered too late. */
const closed = () => expect.poll(() => [hanging.pending(), hanging.unclosed()]).toEqual([0, 0]);

describe('TRN-1 a disk that does not answer', () => {
  const calls: readonly (DiskCall | 'all')[] = ['stat', 'lstat', 'open', 'file.stat', 'file.read', 'all'];

  test.each(calls)('TRN-1 in %s holds up nobody else, and all is read once it answers', async (call) => {
    const tails = createTails(log, { events });
    for (const name of ['hung/s', 'well/s']) writeFileSync(folder.at(name), `first of ${name}\n`);
    const hung = follow('hung/s', tails);
    const well = follow('well/s', tails);
    await Promise.all([hung.until(has('first of hung/s')), well.until(has('first of well/s'))]);
    hanging.hang(call, 'hung');
    appendFileSync(folder.at('hung/s'), 'second\n');
    const ends = ['hung/s', 'well/s'].map((name) => tails.tail(folder.at(name), ALL));
    for (let n = 0; n < 20; n++) {
      appendFileSync(folder.at('well/s'), `line ${n}\n`);
      await well.until(has(`line ${n}`));
    }
    // Where only the look at the folder hangs, it may not have been made yet.
    if (call !== 'stat') expect(await Promise.all(ends)).toEqual([[], expect.arrayContaining(['first of well/s'])]);
    await setAside();
    hanging.back();
    await hung.until(has('second'));
    appendFileSync(folder.at('well/s'), 'last\n');
    await well.until(has('last'));
    expect(hung.items).toEqual(['first of hung/s', 'second']);
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    expect(well.items).toEqual(['first of well/s', ...lines, 'last']);
    expect([hanging.mostPending() <= 2, log.lines]).toEqual([true, []]);
  });

  test('TRN-1 where two folders hang, nothing more is asked of any disk until one answers', async () => {
    const names = ['hung/1/s', 'hung/2/s', 'well/s'];
    names.forEach((name) => mkdirSync(folder.at(name, '..'), { recursive: true }));
    names.forEach((name) => writeFileSync(folder.at(name), 'first\n'));
    const told = names.map((name) => follow(name));
    await Promise.all(told.map(({ until }) => until(has('first'))));
    hanging.hang('all', 'hung');
    await expect.poll(() => log.lines.length).toBe(1);
    const asked = hanging.calls.length;
    names.forEach((name) => appendFileSync(folder.at(name), 'second\n'));
    expect(await createTails(log, { events }).tail(folder.at('well/s'), ALL)).toEqual([]);
    expect([hanging.calls.length, hanging.pending()]).toEqual([asked, 2]);
    hanging.back();
    await Promise.all(told.map(({ until }) => until(has('second'))));
    expect([hanging.mostPending(), told.map(({ items }) => items)]).toEqual([2, Array(3).fill(['first', 'second'])]);
  });

  test('TRN-1 its return is enough to read on: neither a change nor a poll is waited for', async () => {
    events = createFolderEvents(log, { watchedMs: 60_000, unwatchedMs: 60_000 }, undefined, disk);
    writeFileSync(folder.at('hung/s'), 'first\n');
    const told = follow('hung/s');
    await told.until(has('first'));
    hanging.hang('file.read', 'hung');
    appendFileSync(folder.at('hung/s'), 'second\n');
    await setAside();
    hanging.back();
    await told.until(has('second'));
  });

  test('TRN-1 an end does not wait for it, and what it opens too late is closed', async () => {
    writeFileSync(folder.at('hung/s'), 'first\n');
    const tails = createTails(log, { events });
    hanging.hang('open', 'hung');
    const told = createTold<TailChunk>();
    const following = tails.follow({ path: folder.at('hung/s'), from: 0, wants: () => true, onChunk: told.add });
    expect(await tails.tail(folder.at('hung/s'), ALL)).toEqual([]);
    following.dispose();
    hanging.back();
    await closed();
    expect([hanging.calls.some(({ call }) => call === 'open'), told.items]).toEqual([true, []]);
  });
});

test.each<DiskCall>(['lstat', 'open', 'opendir', 'folder.read', 'file.read'])(
  'SES-5 status files whose %s hangs are not gone, and their change is told once the disk answers',
  async (call) => {
    const told = createTold<string>();
    const watch = createFolderWatch(events, log);
    for (const name of ['hung', 'well']) {
      writeFileSync(folder.at(name, '1.json'), '"first"');
      folder.use(
        watch.watch(
          folder.at(name),
          () => true,
          (_file, text) => told.add(`${name} ${text}`),
        ),
      );
    }
    await told.until(({ length }) => length === 2);
    hanging.hang(call, 'hung');
    writeFileSync(folder.at('hung', '1.json'), '"second"');
    for (const text of ['a', 'b', 'c']) {
      writeFileSync(folder.at('well', '1.json'), `"${text}"`);
      await told.until(has(`well "${text}"`));
    }
    await setAside();
    hanging.back();
    await told.until(has('hung "second"'));
    rmSync(folder.at('hung', '1.json'));
    await told.until(has('hung undefined'));
    expect(told.items.filter((item) => item.startsWith('hung'))).toEqual([
      'hung "first"',
      'hung "second"',
      'hung undefined',
    ]);
    expect([hanging.mostPending() <= 2, log.lines]).toEqual([true, []]);
  },
);

test.each<DiskCall>(['stat', 'lstat', 'opendir', 'folder.read'])(
  'TRN-4 a project whose %s hangs is not forgotten, and new sessions of others are found',
  async (call) => {
    const told = createTold<FoundFile>();
    for (const name of ['hung', 'well']) writeFileSync(folder.at(name, 'a.jsonl'), 'x\n');
    folder.use(
      createSessionFiles(log, { roundMs: 5, disk }).watch({ folder: folder.path, layout: 'projects' }, told.add),
    );
    await told.until(({ length }) => length === 2);
    hanging.hang(call, 'hung');
    for (const name of ['well/b.jsonl', 'other/c.jsonl', 'hung/d.jsonl']) {
      writeFileSync(folder.at(name), 'x\n');
      if (!name.startsWith('hung')) await told.until((found) => found.some((one) => one.path === folder.at(name)));
    }
    await setAside();
    hanging.back();
    await told.until((found) => found.some((one) => one.path === folder.at('hung/d.jsonl')));
    expect(told.items.map(({ path }) => path).sort()).toEqual(
      ['hung/a.jsonl', 'hung/d.jsonl', 'other/c.jsonl', 'well/a.jsonl', 'well/b.jsonl'].map((name) => folder.at(name)),
    );
    expect([hanging.mostPending() <= 2, log.lines]).toEqual([true, []]);
  },
);
