import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { homeAt } from '../machine/home.ts';
import { locateStore } from './location.ts';
import { temporaryFolder } from './store.testkit.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const at = (name: string) => path.join(folder.path, name);
  mkdirSync(at('home'));
  const home = homeAt(at('home'));
  const log = logLines();
  const locate = (name: string) => locateStore(home, { folder: at(name), app: name }, log);
  const written = () => (existsSync(home.storeLocation) ? readFileSync(home.storeLocation, 'utf8') : undefined);
  /** As after a first start. */
  async function begin(name: string) {
    await (await locate(name)).record();
    mkdirSync(at(name), { recursive: true });
    writeFileSync(path.join(at(name), 'generation'), '1');
  }
  return { at, home, log, locate, written, begin, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}
const refused = (name: string) => expect.objectContaining({ name });

describe('STO-1 where the store is', () => {
  test('STO-1 the first editor’s storage becomes everybody’s, and is recorded once it was opened', async () => {
    await using parts = await setUp();
    const { folder } = await parts.locate('first');
    expect([folder, parts.written()]).toEqual([parts.at('first'), undefined]);
    await parts.begin('first');
    const before = parts.written();
    const second = await parts.locate('second');
    await second.record();
    expect([second.folder, parts.written(), parts.log.lines]).toEqual([parts.at('first'), before, []]);
    expect(JSON.parse(before ?? '')).toEqual({ version: 1, folder: parts.at('first'), app: 'first' });
  });

  test('STO-1 a folder that was removed from among its neighbours is replaced, and that is told', async () => {
    await using parts = await setUp();
    await parts.begin('first');
    rmSync(parts.at('first'), { recursive: true });
    const { folder, record } = await parts.locate('second');
    await record();
    expect([folder, JSON.parse(parts.written() ?? ''), parts.log.lines]).toEqual([
      parts.at('second'),
      { version: 1, folder: parts.at('second'), app: 'second' },
      [expect.stringContaining('The store of first is gone')],
    ]);
  });

  test.each([
    ['the folder above it is gone', 'drive', []],
    ['the folder above it is an empty mount point', 'drive', ['drive']],
    ['it is an empty mount point itself', 'drive', ['drive/store']],
  ])('STO-1 a drive that may not be mounted splits no history, for either editor: %s', async (_name, drive, left) => {
    await using parts = await setUp();
    await parts.begin('drive/store');
    const before = parts.written();
    rmSync(parts.at(drive), { recursive: true });
    for (const name of left) mkdirSync(parts.at(name), { recursive: true });
    for (const editor of ['drive/store', 'other']) {
      await expect(parts.locate(editor)).rejects.toThrow(refused('StoreAwayError'));
      await expect(parts.locate(editor)).rejects.toThrow(`delete ${parts.home.storeLocation} to begin a new store`);
    }
    expect(parts.written()).toBe(before);
    rmSync(parts.home.storeLocation);
    expect((await parts.locate('other')).folder).toBe(parts.at('other'));
  });

  test.each([
    ['of a newer version', '{"version":2,"folder":"/elsewhere","app":"newer"}', 'NewerStoreError'],
    ['of a newer version that names no folder', '{"version":3}', 'NewerStoreError'],
    ['half a file', '{"version":1,"fol', 'StoreLocationError'],
    ['empty', '', 'StoreLocationError'],
    ['null', 'null', 'StoreLocationError'],
    ['of no version', '{"folder":"/elsewhere","app":"x"}', 'StoreLocationError'],
    ['without a folder', '{"version":1,"folder":"","app":"x"}', 'StoreLocationError'],
  ])('STO-1 a store.json that is %s is left as it is, and the start fails', async (_name, text, error) => {
    await using parts = await setUp();
    writeFileSync(parts.home.storeLocation, text);
    await expect(parts.locate('own')).rejects.toThrow(refused(error));
    await expect(parts.locate('own')).rejects.toThrow(parts.home.storeLocation);
    expect(parts.written()).toBe(text);
  });

  test('STO-1 what can’t be read or looked into just now is not taken for none', async () => {
    await using parts = await setUp();
    mkdirSync(parts.home.storeLocation);
    await expect(parts.locate('own')).rejects.toThrow('EISDIR');
    rmSync(parts.home.storeLocation, { recursive: true });
    writeFileSync(parts.at('file'), '');
    const location = { version: 1, folder: path.join(parts.at('file'), 'store'), app: 'x' };
    writeFileSync(parts.home.storeLocation, JSON.stringify(location));
    await expect(parts.locate('own')).rejects.toThrow('ENOTDIR');
  });
});
