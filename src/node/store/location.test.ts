import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
    await (await locate(name)).record(isOwner);
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(at(name), 'generation'), '1');
  }
  return { at, home, log, locate, written, begin, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}
const isOwner = () => Promise.resolve();
const refused = (name: string) => expect.objectContaining({ name });

describe('STO-1 where the store is', () => {
  test('STO-1 the first editor’s storage becomes everybody’s, and is recorded once it was opened', async () => {
    await using parts = await setUp();
    const { folder } = await parts.locate('first');
    expect([folder, parts.written()]).toEqual([parts.at('first'), undefined]);
    await parts.begin('first');
    const before = parts.written();
    const second = await parts.locate('second');
    await second.record(isOwner);
    expect([second.folder, parts.written(), parts.log.lines]).toEqual([parts.at('first'), before, []]);
    expect(JSON.parse(before ?? '')).toEqual({ version: 1, folder: parts.at('first'), app: 'first' });
  });

  test('STO-1 a folder that was removed from among its neighbours is replaced, and that is told', async () => {
    await using parts = await setUp();
    await parts.begin('first');
    rmSync(parts.at('first'), { recursive: true });
    const { folder, record } = await parts.locate('second');
    await record(isOwner);
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

  test('STO-1 MWN-2 an owner that was deposed since records nothing', async () => {
    await using parts = await setUp();
    const { record } = await parts.locate('first');
    const deposed = record(() => Promise.reject(new Error('another window')));
    await expect(deposed).rejects.toThrow('another window');
    expect([parts.written(), readdirSync(parts.at('home'))]).toEqual([undefined, []]);
  });

  test('STO-1 an owner whose store.json is gone writes it again, and leaves one that is there alone', async () => {
    await using parts = await setUp();
    await parts.begin('first');
    const before = parts.written();
    for (const editor of ['first', 'second']) {
      const { record } = await parts.locate(editor);
      rmSync(parts.home.storeLocation);
      await record(isOwner);
      expect(parts.written()).toBe(before);
    }
    const { record } = await parts.locate('second');
    writeFileSync(parts.home.storeLocation, 'another’s');
    await record(isOwner);
    expect(parts.written()).toBe('another’s');
  });
});

describe.skipIf(process.platform === 'win32')('STO-1 SEC-1 a store.json that was set aside', () => {
  async function setAside() {
    const parts = await setUp();
    await parts.begin('first');
    const aside = `${parts.home.storeLocation}.untrusted`;
    renameSync(parts.home.storeLocation, aside);
    const plant = (text: string) => writeFileSync(aside, text);
    const naming = (folder: string) => plant(JSON.stringify({ version: 1, folder, app: 'first' }));
    return { ...parts, aside, plant, naming, [Symbol.asyncDispose]: parts[Symbol.asyncDispose] };
  }

  // A store that only the person can have written is worth no less for who may have named it, and no other is begun beside it:
  // a history that was split can't be joined. To refuse would let a single chmod keep every window from owning.
  test('STO-1 SEC-1 still leads to a store that is the person’s alone; what is recorded then needs it no more', async () => {
    await using parts = await setAside();
    const { folder, record } = await parts.locate('second');
    expect([folder, parts.log.lines]).toEqual([parts.at('first'), [expect.stringContaining(parts.aside)]]);
    await record(isOwner);
    expect(JSON.parse(parts.written() ?? '')).toEqual({ version: 1, folder: parts.at('first'), app: 'first' });
    expect(existsSync(parts.aside)).toBe(false);
  });

  const open: readonly (readonly [string, (at: (name: string) => string) => string])[] = [
    ['its folder can be written by others', (at) => (chmodSync(at('first'), 0o702), at('first'))],
    ['the folder above it can', (at) => (chmodSync(at('.'), 0o757), at('first'))],
    [
      'it is reached by a link in a folder that others can write',
      (at) => {
        mkdirSync(at('theirs'));
        chmodSync(at('theirs'), 0o777);
        symlinkSync(at('first'), at('theirs/link'));
        return at('theirs/link');
      },
    ],
  ];
  test.each(open)('STO-1 SEC-1 is not followed to a store where %s, nor is another begun', async (_what, prepare) => {
    await using parts = await setAside();
    parts.naming(prepare(parts.at));
    await expect(parts.locate('second')).rejects.toThrow(refused('StoreAsideError'));
    await expect(parts.locate('second')).rejects.toThrow(`delete ${parts.aside} to begin a new store`);
  });

  test('STO-1 says nothing new to the editor whose own storage it names', async () => {
    await using parts = await setAside();
    chmodSync(parts.at('first'), 0o702);
    const { folder, record } = await parts.locate('first');
    await record(isOwner);
    expect([folder, parts.log.lines, existsSync(parts.aside)]).toEqual([parts.at('first'), [], false]);
  });

  const nothing: readonly (readonly [string, (parts: Awaited<ReturnType<typeof setAside>>) => void])[] = [
    ['is no store.json', ({ plant }) => plant('{')],
    ['is of no size that we write', ({ plant }) => plant(`{"version":1,"folder":"/${'x'.repeat(1024 * 1024)}"}`)],
    ['is a folder', ({ aside }) => (rmSync(aside), mkdirSync(aside))],
    ['names no whole path', ({ naming }) => naming('first')],
    ['names a folder that is gone', ({ at }) => rmSync(at('first'), { recursive: true })],
    ['names a folder that holds no store', ({ at }) => rmSync(at('first/generation'))],
    ['names a file', ({ naming, at }) => naming(at('first/generation'))],
    ...(process.getuid?.() === 0
      ? ([
          [
            'names a folder of another account',
            ({ at }: { at: (name: string) => string }) => chownSync(at('first'), 1, 1),
          ],
        ] as const)
      : []),
  ];
  test.each(nothing)('STO-1 SEC-1 leads nowhere when it %s, and that is told', async (_what, change) => {
    await using parts = await setAside();
    change(parts);
    const { folder, record } = await parts.locate('second');
    expect([folder, parts.log.lines]).toEqual([parts.at('second'), [expect.stringContaining(parts.aside)]]);
    await record(isOwner);
    expect([JSON.parse(parts.written() ?? ''), existsSync(parts.aside)]).toMatchObject([{ app: 'second' }, true]);
  });

  test('STO-1 is asked no more once a store.json is there', async () => {
    await using parts = await setAside();
    parts.naming('/elsewhere');
    writeFileSync(parts.home.storeLocation, JSON.stringify({ version: 1, folder: parts.at('first'), app: 'first' }));
    expect([(await parts.locate('second')).folder, parts.log.lines]).toEqual([parts.at('first'), []]);
  });
});
