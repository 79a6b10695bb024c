import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './forwarder.testkit.ts';
import { type Account, readOwnFile, unsafeFile, unsafeFolder } from './home.ts';

describe('FWD-3 a file of the home', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder('own');
    file = path.join(folder, 'file');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const write = (size: number) => writeFileSync(file, 'x'.repeat(size), { mode: 0o600 });

  it('FWD-3 is read up to 64 KiB', () => {
    write(64 * 1024);
    expect(readOwnFile(file)).toMatchObject({ kind: 'text', text: 'x'.repeat(64 * 1024) });
    write(64 * 1024 + 1);
    expect(readOwnFile(file)).toEqual({ kind: 'unsafe', why: `the file ${file} is too large to be ours (remove it)` });
  });

  it.skipIf(process.platform === 'win32')(
    'FWD-3 may be a link, as those who keep their settings elsewhere have it',
    () => {
      write(3);
      symlinkSync(file, `${file}.link`);
      expect(readOwnFile(`${file}.link`)).toEqual({ kind: 'text', text: 'xxx' });
    },
  );

  it.skipIf(process.platform === 'win32').each([
    ['a folder', () => mkdirSync(file)],
    ['a device', () => symlinkSync('/dev/null', file)],
  ])('FWD-3 is not %s', (_title, make) => {
    make();
    expect(readOwnFile(file)).toEqual({ kind: 'unsafe', why: `the file ${file} is not a file (remove it)` });
  });

  it.runIf(process.getuid)('FWD-3 is no file that others can write', () => {
    write(3);
    chmodSync(file, 0o602);
    expect(readOwnFile(file)).toMatchObject({ kind: 'unsafe' });
  });

  it('FWD-3 may be missing', () => {
    expect([readOwnFile(file), readOwnFile(path.join(file, 'below'))].map(({ kind }) => kind)).toEqual([
      'missing',
      'missing',
    ]);
  });

  it.runIf(process.getuid).each([0o720, 0o702, 0o1777])(
    'FWD-3 counts for nothing in a folder of mode %o, where others can put another in its place',
    (mode) => {
      write(3);
      chmodSync(folder, mode);
      expect(readOwnFile(file)).toEqual({
        kind: 'unsafe',
        why: `the folder ${folder} can be written by others (chmod 700 it)`,
      });
    },
  );

  it.runIf(process.getuid)(
    'FWD-3 the folder may be read by others, be a link to one’s own, and lie in an open one',
    () => {
      const inner = path.join(folder, 'inner');
      mkdirSync(inner);
      file = path.join(inner, 'file');
      write(3);
      chmodSync(inner, 0o755);
      chmodSync(folder, 0o777);
      symlinkSync(inner, path.join(folder, 'linked'));
      expect([file, path.join(folder, 'linked', 'file')].map((each) => readOwnFile(each).kind)).toEqual([
        'text',
        'text',
      ]);
      chmodSync(inner, 0o777);
      expect(readOwnFile(path.join(folder, 'linked', 'file')).kind).toBe('unsafe');
    },
  );
});

describe('FWD-3 who may have written it', () => {
  const ours: Account = 1000;
  it.each<[string, number, number, Account, boolean]>([
    ['ours alone', 1000, 0o700, ours, true],
    ['read by others', 1000, 0o755, ours, true],
    ['written by our group', 1000, 0o770, ours, false],
    ['written by everybody', 1000, 0o702, ours, false],
    ['another user’s', 1001, 0o700, ours, false],
    ['root’s', 0, 0o700, ours, false],
    // Node tells mode 666 and user 0 of whatever lies on Windows.
    ['on Windows', 0, 0o777, 'any', true],
  ])('FWD-3 %s (user %i, mode %o)', (_what, uid, mode, self, isSafe) => {
    const folder = unsafeFolder('/h', { uid, mode: 0o040000 | mode }, self);
    const file = unsafeFile('/h/f', { uid, mode: 0o100000 | mode, size: 1, isFile: true }, self);
    expect([folder === undefined, file === undefined]).toEqual([isSafe, isSafe]);
  });

  it.each([
    ['a folder', { isFile: false, size: 1 }],
    ['too large', { isFile: true, size: 64 * 1024 + 1 }],
  ])('FWD-3 on Windows too %s is none', (_what, seen) => {
    expect(unsafeFile('/h/f', { uid: 0, mode: 0o666, ...seen }, 'any')).toContain('/h/f');
  });
});
