import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../hooks/hooks.testkit.ts';
import { lacksItsFiles, refreshBin } from './binFolder.ts';
import { type Home, homeAt, prepareHome } from './home.ts';
import { isBinBelieved } from './openedFiles.ts';

describe('HKI-4 what hooks find in the home', () => {
  function build(folder: TestFolder, text: string): string {
    rmSync(folder.at('built'), { recursive: true, force: true, maxRetries: 5 });
    for (const name of ['hook', 'mascot.sh', 'mascot.mjs', 'forward-to-mascot.mjs', 'notes.txt'])
      folder.write(`built/${name}`, `${name} ${text}`);
    return folder.at('built');
  }
  const bin = (folder: TestFolder) =>
    Object.fromEntries(
      readdirSync(folder.at('home', 'bin')).map((name) => [name, readFileSync(folder.at('home', 'bin', name), 'utf8')]),
    );
  const all = (text: string, version: string, runtime?: string) => ({
    hook: `hook ${text}`,
    mascot: `mascot.sh ${text}`,
    'mascot.mjs': `mascot.mjs ${text}`,
    'forward-to-mascot.mjs': `forward-to-mascot.mjs ${text}`,
    'version.json': `{"version":"${version}"}\n`,
    ...(runtime === undefined ? {} : { runtime: `${runtime}\n` }),
  });

  test('HKI-4 entry, forwarder, `mascot`, the version and the editor’s runtime, each with no more rights than it needs', async () => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    expect(await refreshBin(home, build(folder, 'one'), '1.0.0', '/an editor/code')).toBe('refreshed');
    expect(bin(folder)).toEqual(all('one', '1.0.0', '/an editor/code'));
    expect(await refreshBin(home, folder.at('built'), '1.0.0')).toBe('current');
    expect(bin(folder)).toEqual(all('one', '1.0.0', '/an editor/code'));
    if (process.platform === 'win32') return;
    const modes = Object.fromEntries(
      readdirSync(home.bin).map((name) => [name, (statSync(path.join(home.bin, name)).mode & 0o777).toString(8)]),
    );
    expect(modes).toEqual({
      hook: '600',
      mascot: '700',
      'mascot.mjs': '700',
      'forward-to-mascot.mjs': '700',
      'version.json': '600',
      runtime: '600',
    });
  });

  test('MWN-2 who is deposed in the middle of it replaces nothing more', async () => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    await refreshBin(home, build(folder, 'one'), '1.0.0');
    const deposed = refreshBin(home, build(folder, 'two'), '1.0.1', undefined, () => Promise.resolve(false));
    await expect(deposed).rejects.toThrow('another window');
    expect(bin(folder)).toEqual(all('one', '1.0.0'));
  });

  test.skipIf(process.platform === 'win32')(
    'SEC the home becomes the person’s alone also when only `mascot` is used',
    async () => {
      using folder = testFolder();
      const home = homeAt(folder.at('home'));
      const modes = () => [home.folder, home.bin, home.spool].map((name) => (statSync(name).mode & 0o777).toString(8));
      await refreshBin(home, build(folder, 'one'), '2.0.0');
      expect(modes()).toEqual(['700', '700', '700']);
      for (const name of [home.folder, home.bin, home.spool]) chmodSync(name, 0o777);
      expect(await refreshBin(home, folder.at('built'), '1.0.0')).toBe('refreshed');
      expect(modes()).toEqual(['700', '700', '700']);
    },
  );

  test.runIf(process.getuid?.() === 0)('SEC a home of another user is refused, and stays as it is', async () => {
    for (const name of ['home', 'home/spool']) {
      using folder = testFolder();
      folder.folder('home/bin');
      folder.folder('home/spool');
      chownSync(folder.at(name), 12_345, 12_345);
      await expect(refreshBin(homeAt(folder.at('home')), build(folder, 'one'), '1.0.0')).rejects.toThrow(
        `${folder.at(name)} belongs to another user (12345)`,
      );
      expect([readdirSync(folder.at('home/bin')), statSync(folder.at(name)).mode & 0o777]).toEqual([[], 0o755]);
    }
  });

  const opened: readonly (readonly [what: string, open: (home: Home) => void])[] = [
    ['of a home', ({ folder }) => chmodSync(folder, 0o777)],
    ['of a folder', ({ bin }) => chmodSync(bin, 0o777)],
    ['of a file', ({ bin }) => chmodSync(path.join(bin, 'hook'), 0o666)],
    ['of a file that tells the version', ({ bin }) => chmodSync(path.join(bin, 'version.json'), 0o666)],
    ...(process.getuid?.() === 0
      ? ([
          ['of a file of theirs', ({ bin }: Home) => chownSync(path.join(bin, 'hook'), 1, 1)],
          ['of a folder of theirs', ({ bin }: Home) => chownSync(bin, 1, 1)],
        ] as const)
      : []),
  ];
  describe.skipIf(process.platform === 'win32')('SEC-1 what others could have written', () => {
    test.each(opened)(
      'SEC-1 FWD-8 a version that others could write, %s, keeps nothing of theirs',
      async (_what, open) => {
        using folder = testFolder();
        const home = homeAt(folder.at('home'));
        await refreshBin(home, build(folder, 'one'), '1.0.0', '/an editor/code');
        const planted = {
          hook: 'theirs',
          'version.json': '{"version":"999.0.0"}',
          git: 'theirs',
          runtime: '/tmp/theirs',
        };
        for (const [name, text] of Object.entries(planted)) folder.write(`home/bin/${name}`, text);
        open(home);
        const asked = { before: await isBinBelieved(home) };
        expect(await refreshBin(home, folder.at('built'), '1.0.0', '/an editor/code')).toBe('refreshed');
        expect(bin(folder)).toEqual(all('one', '1.0.0', '/an editor/code'));
        expect({ ...asked, after: await isBinBelieved(home) }).toEqual({ before: false, after: true });
        // Nothing of the person's goes.
        expect(readFileSync(folder.at('home/bin.untrusted/git'), 'utf8')).toBe('theirs');
        expect(await refreshBin(home, folder.at('built'), '1.0.0', '/an editor/code')).toBe('current');
      },
    );

    test('SEC-1 what another window has set aside is written anew by who has a build, and nothing else is', async () => {
      using folder = testFolder();
      const home = homeAt(folder.at('home'));
      await prepareHome(home);
      expect(await lacksItsFiles(home)).toBe(false);
      await refreshBin(home, build(folder, 'one'), '1.0.0');
      expect(await lacksItsFiles(home)).toBe(false);
      chmodSync(home.folder, 0o777);
      await prepareHome(home);
      expect(await lacksItsFiles(home)).toBe(true);
      await refreshBin(home, folder.at('built'), '1.0.0');
      expect(await lacksItsFiles(home)).toBe(false);
    });

    test('SEC-1 FWD-8 a `mascot` that would copy itself from there says what to do', async () => {
      using folder = testFolder();
      const home = homeAt(folder.at('home'));
      await refreshBin(home, build(folder, 'one'), '1.0.0');
      chmodSync(home.folder, 0o777);
      await expect(refreshBin(home, home.bin, '1.0.0')).rejects.toThrow('Open an editor');
      expect(bin(folder)).toEqual({});
    });
  });

  test('HKI-4 an editor that moved leaves its new place; the bytes of the rest stay current', async () => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    await refreshBin(home, build(folder, 'one'), '1.0.0', '/old/code');
    expect(await refreshBin(home, folder.at('built'), '1.0.0', '/new/code')).toBe('current');
    expect(bin(folder)['runtime']).toBe('/new/code\n');
  });

  test('HKI-4 an older extension beside a newer one leaves all alone', async () => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    await refreshBin(home, build(folder, 'new'), '2.0.0', '/new/code');
    const before = bin(folder);
    expect(await refreshBin(home, build(folder, 'old'), '1.9.0', '/old/code')).toBe('newer');
    expect(bin(folder)).toEqual(before);
  });

  const damages: readonly (readonly [what: string, damage: (bin: string) => void])[] = [
    ['an entry that was changed', (at) => writeFileSync(path.join(at, 'hook'), 'something else')],
    ['a file that is missing', (at) => unlinkSync(path.join(at, 'mascot'))],
    [
      'a version without its files, as an interrupted copy could leave',
      (at) => ['hook', 'mascot.mjs'].forEach((name) => unlinkSync(path.join(at, name))),
    ],
    ['a folder that is gone', (at) => rmSync(at, { recursive: true })],
    ['a half-written entry', (at) => writeFileSync(path.join(at, 'hook'), 'ho')],
    ['an entry that nobody may read', (at) => chmodSync(path.join(at, 'hook'), 0)],
  ];
  test.each(damages)('HKI-4 %s heals', async (_what, damage) => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    await refreshBin(home, build(folder, 'one'), '1.0.0');
    damage(home.bin);
    expect(await refreshBin(home, folder.at('built'), '1.0.0')).toBe('refreshed');
    expect(bin(folder)).toEqual(all('one', '1.0.0'));
    if (process.platform !== 'win32') expect(statSync(path.join(home.bin, 'hook')).mode & 0o400).toBe(0o400);
  });

  test('FWD-8 the version is written last: what stopped half-way is begun again by whoever comes next', async () => {
    using folder = testFolder();
    const home = homeAt(folder.at('home'));
    await refreshBin(home, build(folder, 'one'), '1.0.0');
    // Nothing can take the place of a folder.
    unlinkSync(path.join(home.bin, 'mascot'));
    mkdirSync(path.join(home.bin, 'mascot'));
    await expect(refreshBin(home, build(folder, 'two'), '2.0.0')).rejects.toThrow();
    expect(bin0(home.bin)).toBe('{"version":"1.0.0"}\n');
    rmSync(path.join(home.bin, 'mascot'), { recursive: true });
    expect(await refreshBin(home, folder.at('built'), '2.0.0')).toBe('refreshed');
    expect(bin(folder)).toEqual(all('two', '2.0.0'));
  });
});

function bin0(folder: string): string {
  return readFileSync(path.join(folder, 'version.json'), 'utf8');
}
