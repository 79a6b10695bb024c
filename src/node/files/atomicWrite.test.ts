import { lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { atomicWrite, temporaryOf, type Content } from './atomicWrite.ts';
import { faultyFileSystem, meddledFileSystem } from './faultyFs.testkit.ts';

interface Place {
  readonly folder: string;
  readonly file: string;
}

const inFolder = it.extend<{ place: Place }>({
  // The first argument must be a pattern: what it names is what is set up before.
  place: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mascot-files-'));
    await use({ folder, file: path.join(folder, 'settings.json') });
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  },
});
const posixOnly = inFolder.skipIf(process.platform === 'win32');

describe('COL-2 an atomic write', () => {
  const contents: readonly (readonly [what: string, content: Content, written: readonly number[]])[] = [
    ['a text', 'ü', [0xc3, 0xbc]],
    ['bytes', new Uint8Array([0, 1, 255]), [0, 1, 255]],
    ['pieces', [new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([3])], [1, 2, 3]],
    ['nothing', '', []],
  ];
  for (const [what, content, written] of contents) {
    inFolder(`COL-2 writes ${what} and leaves nothing else behind`, async ({ place: { file, folder } }) => {
      await atomicWrite(file, content);
      expect([[...(await readFile(file))], await readdir(folder)]).toEqual([written, ['settings.json']]);
    });
  }

  posixOnly(
    'COL-2 gives the mode that was asked for, else keeps the one there is, else the person alone may read',
    async ({ place: { file } }) => {
      const mode = async (): Promise<number> => (await stat(file)).mode & 0o777;
      await atomicWrite(file, 'new');
      expect(await mode()).toBe(0o600);
      await atomicWrite(file, 'asked', { mode: 0o666 });
      expect(await mode()).toBe(0o666);
      await atomicWrite(file, 'kept');
      expect(await mode()).toBe(0o666);
    },
  );

  posixOnly('HKI-1 writes what a link points to and leaves the link', async ({ place: { file, folder } }) => {
    const real = path.join(folder, 'dotfiles.json');
    await writeFile(real, 'old');
    await symlink(real, file);
    await atomicWrite(file, 'new');
    expect([(await lstat(file)).isSymbolicLink(), await readFile(real, 'utf8')]).toEqual([true, 'new']);
  });

  posixOnly(
    'HKI-2 the mode is given to the file that was written, not to what took its name since',
    async ({ place: { file, folder } }) => {
      const victim = path.join(folder, 'victim');
      await writeFile(victim, 'secret', { mode: 0o600 });
      const fs = meddledFileSystem(async (temporary) => {
        await rename(temporary, `${temporary}.kept`);
        await symlink(victim, temporary);
      });
      await atomicWrite(file, 'new', { mode: 0o666, fs });
      expect([(await stat(victim)).mode & 0o777, await readFile(victim, 'utf8')]).toEqual([0o600, 'secret']);
    },
  );

  for (const code of ['ENOSPC', 'EIO']) {
    inFolder(
      `STO-3 leaves the old content, and no temporary file, whichever call fails with ${code}`,
      async ({ place: { file, folder } }) => {
        const calm = faultyFileSystem();
        await writeFile(file, 'old');
        await atomicWrite(file, 'new', { fs: calm });
        for (let nth = 1; nth <= calm.calls.length; nth++) {
          await writeFile(file, 'old');
          const fs = faultyFileSystem();
          fs.arm({ nth, code });
          await expect(atomicWrite(file, 'new', { fs }), `call ${nth}`).rejects.toThrow(code);
          // Once renamed, the new content is whole; what failed is only the promise that a power cut can't undo it.
          const expected = fs.calls.includes('rename') && fs.calls[nth - 1] !== 'rename' ? 'new' : 'old';
          expect([await readFile(file, 'utf8'), await readdir(folder)], `call ${nth}`).toEqual([
            expected,
            ['settings.json'],
          ]);
        }
      },
    );
  }

  inFolder(
    'STO-3 leaves the old content when what was to come before the rename fails',
    async ({ place: { file, folder } }) => {
      await writeFile(file, 'old');
      const beforeReplace = async (): Promise<void> => {
        throw new Error('deposed');
      };
      await expect(atomicWrite(file, 'new', { beforeReplace })).rejects.toThrow('deposed');
      expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old', ['settings.json']]);
    },
  );

  const blocked = [
    { code: 'EPERM', waits: [1, 1], failing: 2, renames: 3, result: 'new' },
    { code: 'EBUSY', waits: [1, 1], failing: 3, renames: 3, result: 'old' },
    { code: 'EACCES', waits: [], failing: 1, renames: 1, result: 'old' },
    { code: 'ENOSPC', waits: [1, 1], failing: 1, renames: 1, result: 'old' },
  ];
  for (const { code, waits, failing, renames, result } of blocked) {
    inFolder(
      `COL-2 a rename refused ${failing} times with ${code} and ${waits.length} waits ends ${result}`,
      async ({ place: { file, folder } }) => {
        await writeFile(file, 'old');
        const faulty = faultyFileSystem({ renameWaitsMs: waits });
        let left = failing;
        let tried = 0;
        const fs = {
          ...faulty,
          rename: async (from: string, to: string) => {
            tried++;
            if (left-- > 0) throw Object.assign(new Error(code), { code });
            await faulty.rename(from, to);
          },
        };
        const outcome = await atomicWrite(file, 'new', { fs }).then(
          () => 'new',
          () => 'old',
        );
        expect([outcome, await readFile(file, 'utf8'), tried, await readdir(folder)]).toEqual([
          result,
          result,
          renames,
          ['settings.json'],
        ]);
      },
    );
  }

  inFolder('COL-2 two writers at once: one of the two contents, whole', async ({ place: { file, folder } }) => {
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
    await Promise.all(contents.map((content) => atomicWrite(file, content)));
    expect(contents).toContain(await readFile(file, 'utf8'));
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  inFolder('COL-2 a folder that is not there is an error that names it', async ({ place: { folder } }) => {
    await expect(atomicWrite(path.join(folder, 'no', 'x.json'), 'new')).rejects.toThrow(/ENOENT.*no/);
  });

  it('STO-2 only names of our own temporary files are taken for such', () => {
    expect(['a.sqlite.0123456789ab.tmp', 'a.tmp', 'a.0123456789AB.tmp', '.0123456789ab.tmp'].map(temporaryOf)).toEqual([
      'a.sqlite',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
