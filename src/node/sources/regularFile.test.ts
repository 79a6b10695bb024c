import { execFileSync } from 'node:child_process';
import { constants, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeDisk } from './disk.ts';
import { isSame, openRegular, readSmall } from './regularFile.ts';
import { createTestFolder, type TestFolder } from './sources.testkit.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = createTestFolder();
});
afterEach(() => folder.dispose());

const onPosix = test.skipIf(process.platform === 'win32');

test('TRN-3 a small file is read whole, up to its limit', async () => {
  writeFileSync(folder.at('a'), 'é!');
  expect(await Promise.all([3, 4, 2].map((most) => readSmall(nodeDisk, folder.at('a'), most)))).toEqual([
    'é!',
    'é!',
    undefined,
  ]);
});

onPosix('TRN-3 what is no file is never opened: a pipe, a folder, a link, a device, nothing', async () => {
  execFileSync('mkfifo', [folder.at('pipe')]);
  writeFileSync(folder.at('a'), 'a');
  symlinkSync(folder.at('a'), folder.at('link'));
  const odd = [folder.at('pipe'), folder.path, folder.at('link'), '/dev/zero', folder.at('none'), 'a\0b'];
  expect(await Promise.all(odd.map((file) => openRegular(nodeDisk, file)))).toEqual(odd.map(() => undefined));
});

onPosix('TRN-3 a pipe’s writer, who waits for its reader, goes on waiting', async () => {
  execFileSync('mkfifo', [folder.at('pipe')]);
  let woken = false;
  const writer = open(folder.at('pipe'), 'w').finally(() => (woken = true));
  for (let n = 0; n < 50; n++) await openRegular(nodeDisk, folder.at('pipe'));
  expect(woken).toBe(false);
  const reader = await open(folder.at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  await (await writer).close();
  await reader.close();
});

test('TRN-3 a file is the same by its place and, where it is known, its birth', () => {
  const [old, young, unknown] = [1n, 2n, 0n].map((born) => ({ place: '1:2', born })) as [never, never, never];
  const elsewhere = { place: '1:3', born: 1n };
  expect([isSame(old, old), isSame(old, young), isSame(old, unknown), isSame(old, elsewhere)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
