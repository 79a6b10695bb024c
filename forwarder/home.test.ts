import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './forwarder.testkit.ts';
import { readOwnFile } from './home.ts';

describe('FWD-3 a file of the home', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder('own');
    file = path.join(folder, 'file');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
});
