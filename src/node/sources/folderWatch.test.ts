import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { createFolderEvents } from './folderEvents.ts';
import { createFolderWatch } from './folderWatch.ts';
import { createGatedDisk } from './gatedDisk.ts';
import { createHangingDisk } from './hangingDisk.testkit.ts';
import { createTestFolder, createTold, type TestFolder, type Told } from './sources.testkit.ts';

type News = readonly [name: string, text: string | undefined];

let folder: TestFolder;
let log: LogLines;
beforeEach(() => {
  folder = createTestFolder();
  log = logLines();
});
afterEach(() => folder.dispose());

const onPosix = test.skipIf(process.platform === 'win32');

/** Polls are far away, so that the watch itself is what is tested. */
function watch(at = folder.path, matches = (name: string) => name.endsWith('.json')): Told<News> {
  const told = createTold<News>();
  const folderWatch = createFolderWatch(createFolderEvents(log, { watchedMs: 60_000, unwatchedMs: 10 }), log);
  folder.use(folderWatch.watch(at, matches, (name, text) => told.add([name, text])));
  return told;
}

const write = (name: string, text: string) => writeFileSync(folder.at(name), text);
const lastIs =
  (name: string, text: string | undefined) =>
  (news: readonly News[]): boolean =>
    JSON.stringify(news.at(-1)) === JSON.stringify([name, text]);

test('SES-5 what is there is told at once, then each change, then the end', async () => {
  write('1.json', '{"status":"busy"}');
  write('notes.txt', '{}');
  const told = watch();
  await told.until(lastIs('1.json', '{"status":"busy"}'));
  write('2.json', '{"status":"idle"}');
  await told.until(lastIs('2.json', '{"status":"idle"}'));
  write('1.json', '{"status":"idle"}');
  await told.until(lastIs('1.json', '{"status":"idle"}'));
  rmSync(folder.at('1.json'));
  await told.until(lastIs('1.json', undefined));
  expect(told.items).toEqual([
    ['1.json', '{"status":"busy"}'],
    ['2.json', '{"status":"idle"}'],
    ['1.json', '{"status":"idle"}'],
    ['1.json', undefined],
  ]);
});

test('SES-5 a file rewritten in place is never told empty or half, and its last content always is', async () => {
  write('1.json', '{"n":-1}');
  const told = watch();
  await told.until(lastIs('1.json', '{"n":-1}'));
  const file = openSync(folder.at('1.json'), 'r+');
  for (let n = 0; n < 200; n++) {
    ftruncateSync(file, 0);
    // Let the watch see it at different moments: before, between and after.
    if (n % 3 === 0) await new Promise(setImmediate);
    const text = `{"n":${n}}`;
    writeSync(file, text.slice(0, 4), 0);
    if (n % 5 === 0) await new Promise(setImmediate);
    writeSync(file, text.slice(4), 4);
    if (n % 7 === 0) await told.until(lastIs('1.json', text));
  }
  closeSync(file);
  await told.until(lastIs('1.json', '{"n":199}'));
  const values = told.items.map(([, text]) => (JSON.parse(text ?? 'null') as { n: number } | null)?.n);
  expect(values).toEqual([...new Set(values)].sort((a, b) => a! - b!));
});

test('SES-5 a broken file is looked at again and told once it is whole, or not at all', async () => {
  write('1.json', '{"status":');
  write('2.json', '');
  write('3.json', '{"status":"idle"}');
  const told = watch();
  await told.until(lastIs('3.json', '{"status":"idle"}'));
  write('1.json', '{"status":"busy"}');
  await told.until(lastIs('1.json', '{"status":"busy"}'));
  rmSync(folder.at('2.json'));
  rmSync(folder.at('3.json'));
  await told.until(lastIs('3.json', undefined));
  expect(told.items.map(([name]) => name)).toEqual(['3.json', '1.json', '3.json']);
});

test('SES-5 a broken file is looked at again even if the watch tells no more', async () => {
  const told = createTold<News>();
  const silent = { disk: createGatedDisk(log), listen: () => ({ dispose: () => undefined }) };
  write('1.json', '{"status":');
  write('2.json', '2');
  folder.use(
    createFolderWatch(silent, log).watch(
      folder.path,
      () => true,
      (name, text) => told.add([name, text]),
    ),
  );
  await told.until(lastIs('2.json', '2'));
  write('1.json', '1');
  await told.until(lastIs('1.json', '1'));
});

test('SES-5 what is written again unchanged is not told again', async () => {
  write('1.json', '1');
  const told = watch();
  await told.until(lastIs('1.json', '1'));
  write('1.json', '1');
  write('2.json', '2');
  await told.until(lastIs('2.json', '2'));
  expect(told.items.map(([name]) => name)).toEqual(['1.json', '2.json']);
});

test('SES-5 a file replaced by renaming is told', async () => {
  write('1.json', '1');
  const told = watch();
  await told.until(lastIs('1.json', '1'));
  write('new', '2');
  renameSync(folder.at('new'), folder.at('1.json'));
  await told.until(lastIs('1.json', '2'));
  expect(told.items).toEqual([
    ['1.json', '1'],
    ['1.json', '2'],
  ]);
});

test('SES-5 a folder that comes later, goes and comes again', async () => {
  const told = watch(folder.at('sessions'));
  for (const text of ['1', '2', '3']) {
    mkdirSync(folder.at('sessions'));
    write(path.join('sessions', '1.json'), text);
    await told.until(lastIs('1.json', text));
    rmSync(folder.at('sessions'), { recursive: true });
    await told.until(lastIs('1.json', undefined));
  }
  expect(log.lines).toEqual([]);
});

onPosix('SES-5 private neighbours, pipes, folders and large files are left alone', async () => {
  const asked: string[] = [];
  execFileSync('mkfifo', [folder.at('1.json')]);
  // Would be told if it were asked about and opened.
  write('2.key', '"secret"');
  mkdirSync(folder.at('3.json'));
  write('4.json', JSON.stringify('x'.repeat(70_000)));
  write('5.json', '5');
  const told = watch(folder.path, (name) => (asked.push(name), true));
  await told.until(lastIs('5.json', '5'));
  write('2.key', '"changed"');
  write('6.json', '6');
  await told.until(lastIs('6.json', '6'));
  expect(told.items.map(([name]) => name)).toEqual(['5.json', '6.json']);
  expect(asked).not.toContain('2.key');
});

test('SES-5 no more than some thousand files are told, and a place that is left is taken', async () => {
  for (let n = 0; n < 2_100; n++) write(`${n}.json`, `${n}`);
  const told = watch();
  await told.until(({ length }) => length === 2_000);
  const [first] = told.items;
  rmSync(folder.at(first![0]));
  await told.until(lastIs(first![0], undefined));
  write('new.json', '"new"');
  await told.until(lastIs('new.json', '"new"'));
  expect(told.items.length).toBe(2_002);
});

test('SES-5 a listener that throws is told of the next change, and nothing after its end', async () => {
  const told = createTold<News>();
  const folderWatch = createFolderWatch(createFolderEvents(log, { watchedMs: 60_000, unwatchedMs: 10 }), log);
  write('1.json', '1');
  const watching = folder.use(
    folderWatch.watch(
      folder.path,
      () => true,
      (name, text) => {
        told.add([name, text]);
        throw new Error('mine');
      },
    ),
  );
  await told.until(lastIs('1.json', '1'));
  write('1.json', '2');
  await told.until(lastIs('1.json', '2'));
  watching.dispose();
  const other = watch();
  await other.until(lastIs('1.json', '2'));
  write('1.json', '3');
  await other.until(lastIs('1.json', '3'));
  expect(told.items.length).toBe(2);
  expect(log.lines).toEqual(Array(2).fill('error A session file could not be taken in: Error: mine'));
});

test('SES-5 a quiet file is looked at and not opened; rewritten at the same size, it is told', async () => {
  const disk = createHangingDisk();
  const events = createFolderEvents(log, { watchedMs: 10, unwatchedMs: 10 }, undefined, createGatedDisk(log, disk));
  const told = createTold<News>();
  const files = ['1', '2', '3', 'broken', 'large'].map((name) => `${name}.json`);
  const texts = ['"1"', '"2"', '"3"', '{', JSON.stringify('x'.repeat(70_000))];
  files.forEach((name, index) => write(name, texts[index]!));
  // Young files may change within the same tick of the clock.
  const later = () => Date.now() + 10_000;
  folder.use(
    createFolderWatch(events, log, later).watch(
      folder.path,
      () => true,
      (name, text) => told.add([name, text]),
    ),
  );
  await told.until(({ length }) => length === 3);
  const looks = () => disk.calls.filter(({ call, path: file }) => call === 'lstat' && file.endsWith('1.json')).length;
  await expect.poll(looks).toBeGreaterThan(5);
  const opened = disk.calls.filter(({ call }) => call === 'open').map(({ path: file }) => path.basename(file));
  expect(opened.sort()).toEqual(['1.json', '2.json', '3.json', 'broken.json']);
  write('2.json', '"4"');
  await told.until(lastIs('2.json', '"4"'));
  write('broken.json', '5');
  await told.until(lastIs('broken.json', '5'));
});
